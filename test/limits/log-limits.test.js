'use strict';

const { runChild } = require('../support/child.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');

disposeAfterEach();

const texts = ({ logs }) => logs.map(({ text }) => text);

test('limits.logLines keeps the first lines and says that there were more', async () => {
  const pool = openPool();
  const source = 'for (let i = 0; i < 10; i++) console.log(i); return "done"';
  const outcome = await pool.run({ source, limits: { logLines: 3 } });
  expect(outcome).toMatchObject({ ok: true, value: 'done', logsTruncated: true });
  expect(texts(outcome)).toEqual(['0', '1', '2']);
});

test('limits.logChars cuts the line that does not fit and drops the rest', async () => {
  const pool = openPool();
  const source = 'console.log("abcde"); console.warn("fghij"); console.error("klmno")';
  const outcome = await pool.run({ source, limits: { logChars: 8 } });
  expect(outcome).toMatchObject({ ok: true, logsTruncated: true });
  expect(texts(outcome)).toEqual(['abcde', 'fgh']);
});

test('characters are counted as JavaScript counts them, and never cut in two', async () => {
  const pool = openPool();
  const source = 'console.log("äöü😀😀")';
  for (const [logChars, kept] of /** @type {const} */ ([
    [3, 'äöü'],
    [4, 'äöü'],
    [5, 'äöü😀'],
    [7, 'äöü😀😀'],
  ])) {
    const outcome = await pool.run({ source, limits: { logChars } });
    expect(texts(outcome)).toEqual([kept]);
    expect(outcome.logsTruncated).toBe(logChars < 7);
  }
});

test('logs that fit exactly are not called truncated', async () => {
  const pool = openPool();
  const source = 'console.log("ab"); console.log("cd")';
  const outcome = await pool.run({ source, limits: { logLines: 2, logChars: 4 } });
  expect(texts(outcome)).toEqual(['ab', 'cd']);
  expect(outcome.logsTruncated).toBe(false);
});

test('with limits of nothing there are no logs', async () => {
  const pool = openPool();
  for (const limits of [{ logLines: 0 }, { logChars: 0 }]) {
    const outcome = await pool.run({ source: 'console.log("x"); return 1', limits });
    expect(outcome).toMatchObject({ ok: true, value: 1, logs: [], logsTruncated: true });
  }
});

test('onLog hears of no more than is kept', async () => {
  const pool = openPool();
  const heard = [];
  const outcome = await pool.run({
    source: 'for (let i = 0; i < 100; i++) console.info("line", i)',
    limits: { logLines: 5 },
    onLog: ({ level, text }) => heard.push(`${level} ${text}`),
  });
  expect(heard).toEqual([0, 1, 2, 3, 4].map((i) => `info line ${i}`));
  expect(outcome.logs).toHaveLength(5);
});

test('the limits hold for entries, in bytes', async () => {
  const pool = openPool();
  const source = 'for (let i = 0; i < 10; i++) console.log("x".repeat(100), { i })';
  const outcome = await pool.run({ source, console: 'entries', limits: { logChars: 500 } });
  expect(outcome.logsTruncated).toBe(true);
  expect(outcome.logs.length).toBeGreaterThan(0);
  expect(outcome.logs.length).toBeLessThan(5);
});

test('logs are there when the run ends by force', async () => {
  const pool = openPool();
  const source = 'console.log("before"); for (;;) {}';
  const outcome = await pool.run({ source, limits: { wallMs: 100 } });
  expect(outcome.cause).toBe('deadline');
  expect(texts(outcome)).toEqual(['before']);
});

test('a log flood costs bounded memory and stops nobody', async () => {
  const child = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool({ threads: 2 });
    await pool.prewarm(2);
    const before = process.resourceUsage().maxRSS;
    const flood = 'for (;;) console.log("x".repeat(100_000))';
    const limits = { wallMs: 700 };
    const runs = /** @type {const} */ (['lines', 'entries']).map((mode) =>
      pool.run({ source: flood, console: mode, limits, onLog: () => {} }),
    );
    for (const run of runs) {
      const { cause, logs, logsTruncated } = await run;
      report([cause, logs.length > 0 && logs.length < 50, logsTruncated]);
    }
    report((process.resourceUsage().maxRSS - before) / 1024);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [lines, entries, grownMiB] = child.reports;
  expect(lines).toEqual(['deadline', true, true]);
  expect(entries).toEqual(['deadline', true, true]);
  expect(grownMiB).toBeLessThan(200);
});
