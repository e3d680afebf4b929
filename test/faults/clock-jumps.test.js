'use strict';
// The time of day jumps by days, forwards and back, while guests run. Deadlines are not told by it.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { stolenMs } = require('../../scripts/stolen-time.js');
const { runNode } = require('../support/child.js');

// Every 20 ms of true time the time of day is another: two days ahead, then two days behind.
const SHIM = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

typedef int (*clock_function)(clockid_t, struct timespec *);

static int truth(clockid_t clock, struct timespec *out) {
  static clock_function real;
  if (!real) real = (clock_function)dlsym(RTLD_NEXT, "clock_gettime");
  return real(clock, out);
}

static long jump(void) {
  struct timespec now;
  truth(CLOCK_MONOTONIC, &now);
  return (now.tv_nsec / 20000000) % 2 ? 172800 : -172800;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
  int result = truth(clock, out);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) out->tv_sec += jump();
  return result;
}

int gettimeofday(struct timeval *out, void *zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
`;

const PROGRAM = `
  const { IsolatePool } = require(${JSON.stringify(path.join(__dirname, '..', '..', 'lib', 'index.js'))});
  (async () => {
    const pool = new IsolatePool({ threads: 2 });
    const dates = new Set();
    for (let i = 0; i < 400; i++) { dates.add(new Date().getUTCDate()); await new Promise((r) => setTimeout(r, 1)); if (dates.size > 1) break; }
    const runs = [
      ['for (;;) {}', { wallMs: 200 }],
      ['await new Promise(() => {})', { wallMs: 300 }],
      ['for (;;) {}', { cpuMs: 100 }],
      ['await host.later(); return 42', { wallMs: 5000 }],
      ['const seen = new Set(); const end = 3e6; for (let i = 0; i < end; i++) if (i % 1e4 === 0) seen.add(new Date().getUTCDate()); return seen.size > 0', { wallMs: 5000 }],
    ];
    const namespaces = { host: { later: () => new Promise((r) => setTimeout(r, 250)) } };
    const report = await Promise.all(runs.map(async ([source, limits]) => {
      const start = performance.now();
      const { cause, value, facts } = await pool.run({ source, limits, namespaces });
      return { cause, value, ms: performance.now() - start, wallMs: facts.wallMs };
    }));
    await pool.dispose();
    console.log(JSON.stringify({ report: { jumps: dates.size > 1, runs: report } }));
  })();`;

test('deadlines and budgets hold', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-clock-'));
  try {
    const source = path.join(directory, 'clock.c');
    const library = path.join(directory, 'clock.so');
    fs.writeFileSync(source, SHIM);
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
    const stolenBefore = stolenMs();
    const child = await runNode(['-e', PROGRAM], { env: { ...process.env, LD_PRELOAD: library } });
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
    const [{ jumps, runs }] = child.reports;
    expect(jumps).toBe(true);
    expect(runs.map(({ cause }) => cause)).toEqual([
      'deadline',
      'deadline',
      'cpu',
      'finished',
      'finished',
    ]);
    expect(runs[3].value).toBe(42);
    const lateMs = 150 + stolenMs() - stolenBefore;
    for (const [i, wallMs] of [200, 300].entries()) {
      expect(runs[i].ms).toBeGreaterThanOrEqual(wallMs - 1);
      expect(runs[i].ms).toBeLessThan(wallMs + lateMs);
    }
    for (const { ms, wallMs } of runs) expect(Math.abs(ms - wallMs)).toBeLessThan(lateMs);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});
