'use strict';
// The system refuses threads, address space or files. Everybody is answered, and what can go on goes on.

const { runChild } = require('../support/child.js');

/** Limits are set from inside, so that Node itself has what it needs to start. */
const withLimit = (body) => `async (tools, args) => {
  const fs = tools.require('node:fs');
  const { spawnSync } = tools.require('node:child_process');
  const limit = (...options) => {
    const { status, stderr } = spawnSync('prlimit', ['--pid', String(process.pid), ...options], { encoding: 'utf8' });
    if (status !== 0) throw new Error('prlimit: ' + stderr);
  };
  // Root is not bound by the number of threads of a user.
  const allowNoMoreThreads = () => {
    limit('--nproc=1:1');
    if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
  };
  // As many as there are now, and for a user of its own: no other process counts.
  const allowTheseThreads = (count) => {
    limit('--nproc=' + count + ':' + count);
    if (process.getuid() === 0) process.setuid(100_000 + process.pid);
  };
  const bounded = (promise) => Promise.race([promise, tools.sleep(8000).then(() => 'hung')]);
  await (${body})(tools, { fs, limit, allowNoMoreThreads, allowTheseThreads, bounded }, args);
  process.exit(0);
}`;

const run = (body, args) =>
  runChild(/** @type {any} */ (withLimit(String(body))), { args, boundMs: 25_000 });

test('no thread at all: runs are answered, and the pool can be disposed of', async () => {
  const child = await run(async ({ IsolatePool, report }, { allowNoMoreThreads, bounded }) => {
    allowNoMoreThreads();
    const pool = new IsolatePool({ threads: 2 });
    const runs = ['return 1', 'for (;;) {}', 'await new Promise(() => {})'].map((source) =>
      pool.run({ source, limits: { wallMs: 500 } }),
    );
    const outcomes = await bounded(Promise.all(runs));
    report(outcomes === 'hung' ? outcomes : outcomes.map(({ ok, cause }) => [ok, cause]));
    report((await bounded(pool.prewarm(1))) ?? 'prewarmed');
    report((await bounded(pool.dispose())) ?? 'disposed');
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([
    [
      [false, 'exhausted'],
      [false, 'exhausted'],
      [false, 'exhausted'],
    ],
    'prewarmed',
    'disposed',
  ]);
});

test('no thread when a pool is made, and some later: it waits for nothing, refuses, and then limits hold', async () => {
  const child = await run(
    async (
      { IsolatePool, allThreads, report, require, startStopwatch, until },
      { allowTheseThreads, bounded },
    ) => {
      const { Worker } = require('node:worker_threads');
      const holders = Array.from(
        { length: 4 },
        () => new Worker('setInterval(() => {}, 1000)', { eval: true }),
      );
      await Promise.all(holders.map((one) => new Promise((done) => one.once('online', done))));
      const threads = allThreads();
      allowTheseThreads(threads);
      const elapsedMs = startStopwatch();
      const pool = new IsolatePool({ threads: 2 });
      report(elapsedMs());
      const { cause, error } = await bounded(pool.run({ source: 'return 1' }));
      report([cause, error?.message]);
      await Promise.all(holders.map((one) => one.terminate()));
      report(await until(() => allThreads() <= threads - 4));
      const runs = ['for (;;) {}', 'return 42'].map((source) =>
        pool.run({ source, limits: { wallMs: 200 } }),
      );
      const outcomes = await bounded(Promise.all(runs));
      report(outcomes === 'hung' ? outcomes : outcomes.map((one) => one.cause));
      report((await bounded(pool.dispose())) ?? 'disposed');
    },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [constructorMs, refused, ...rest] = child.reports;
  expect(constructorMs).toBeLessThan(50);
  expect(refused).toEqual(['exhausted', expect.stringContaining('no room for the threads')]);
  expect(rest).toEqual([true, ['deadline', 'finished'], 'disposed']);
});

test('no thread to replace one that is lost: the rest serves as long as there is one', async () => {
  const child = await run(
    async ({ GUESTS, IsolatePool, report }, { allowNoMoreThreads, bounded }) => {
      const pool = new IsolatePool({ threads: 2 });
      await pool.run({ source: 'return 1' });
      allowNoMoreThreads();
      const causes = [];
      for (let i = 0; i < 3; i++) {
        const lost = await bounded(pool.run({ source: GUESTS.stuck, limits: { wallMs: 100 } }));
        const next = await bounded(pool.run({ source: 'return 42', limits: { wallMs: 2000 } }));
        causes.push(lost.cause ?? lost, next.cause ?? next);
      }
      report(causes);
      report((await bounded(pool.dispose())) ?? 'disposed');
    },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([
    ['deadline', 'finished', 'deadline', 'exhausted', 'exhausted', 'exhausted'],
    'disposed',
  ]);
});

test.each(['thread', 'process'])(
  'no thread for executions of host %s: they are answered, and prewarm() rejects',
  async (host) => {
    const child = await run(async ({ report, require }, { allowNoMoreThreads, bounded }, kind) => {
      const { IsolateExecutor } = require('../../lib/execbox/index.js');
      allowNoMoreThreads();
      const executor = new IsolateExecutor({ host: kind, timeoutMs: 3000, pool: { prewarm: 1 } });
      const warming = executor.prewarm(1).then(
        () => 'prewarmed',
        (error) => error instanceof Error && 'refused',
      );
      report(await bounded(warming));
      const results = await bounded(Promise.all([0, 1].map(() => executor.execute('1 + 1', []))));
      report(results === 'hung' ? results : results.map(({ ok, error }) => [ok, error?.code]));
      report((await bounded(executor.dispose())) ?? 'disposed');
    }, host);
    expect(child).toMatchObject({ code: 0, signal: null });
    expect(child.reports).toEqual([
      'refused',
      [
        [false, 'internal_error'],
        [false, 'internal_error'],
      ],
      'disposed',
    ]);
  },
);

test('no address space left in a process of guests: its executions are answered, and the host goes on', async () => {
  const child = await run(async ({ report, require }, { bounded, fs }) => {
    const { spawnSync } = require('node:child_process');
    const { childrenOf } = require('../execbox/child-processes.js');
    const { IsolateExecutor } = require('../../lib/execbox/index.js');
    const executor = new IsolateExecutor({
      host: 'process',
      pool: { maxSize: 1 },
      timeoutMs: 3000,
    });
    await executor.prewarm(1);
    const [shell] = childrenOf(process.pid);
    const size = /VmSize:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${shell}/status`, 'utf8'));
    const bytes = Number(size?.[1]) * 1024 + 8 * 2 ** 20;
    spawnSync('prlimit', ['--pid', String(shell), `--as=${bytes}:${bytes}`]);
    const greedy =
      'const kept = []; for (;;) kept.push(new Uint8Array(2 ** 22).fill(1), new Array(1e5).fill(1.5))';
    const starved = await bounded(executor.execute(greedy, [], { memoryLimitBytes: 2 ** 29 }));
    report([starved.ok, starved.error?.code ?? starved]);
    // A process that got over it is used again; whatever it answers, another follows in the end.
    let last;
    for (let i = 0; i < 5 && !last?.ok; i++) last = await bounded(executor.execute('1 + 1', []));
    report([last.ok, last.result]);
    report((await bounded(executor.dispose())) ?? 'disposed');
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [starved, ...rest] = child.reports;
  expect(starved[0]).toBe(false);
  expect(['internal_error', 'memory_limit', 'timeout', 'runtime_error']).toContain(starved[1]);
  expect(rest).toEqual([[true, 2], 'disposed']);
});

test.each([
  ['thread', true],
  ['process', false],
])(
  'no file left for executions of host %s: they are answered, and go on when there are some',
  async (host, isServed) => {
    const child = await run(
      async ({ IsolatePool, report, require, until }, { bounded, fs, limit }, kind) => {
        const { IsolateExecutor } = require('../../lib/execbox/index.js');
        const { childrenOf } = require('../execbox/child-processes.js');
        const pool = new IsolatePool({ threads: 2 });
        await pool.run({ source: 'return 1' });
        const executor = new IsolateExecutor({ host: kind });
        // The next execution needs another process, and files for it.
        for (const pid of childrenOf(process.pid)) {
          process.kill(pid, 'SIGKILL');
          await until(() => !fs.existsSync(`/proc/${pid}`));
        }
        limit('--nofile=100:100');
        const held = [];
        try {
          for (;;) held.push(fs.openSync('/dev/null'));
        } catch (error) {
          report(error.code);
        }
        report((await bounded(pool.run({ source: 'return 42' }))).value);
        const refused = await bounded(executor.execute('1 + 1', []));
        report([refused.ok, refused.error?.code ?? 'none']);
        for (const file of held) fs.closeSync(file);
        const { ok, result } = await bounded(executor.execute('1 + 1', []));
        report([ok, result]);
        report((await bounded(executor.dispose())) ?? 'disposed');
      },
      host,
    );
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(child.reports).toEqual([
      'EMFILE',
      42,
      isServed ? [true, 'none'] : [false, 'internal_error'],
      [true, 2],
      'disposed',
    ]);
  },
);

test('no descriptor left: a pool of processes is refused with what to do, and can be made later', async () => {
  const child = await run(async ({ IsolatePool, report }, { fs, limit, bounded }) => {
    limit('--nofile=64:64');
    const held = [];
    try {
      for (;;) held.push(fs.openSync('/dev/null'));
    } catch (error) {
      report(error.code);
    }
    try {
      report(String(new IsolatePool({ host: 'process' })));
    } catch (error) {
      report(error.message);
    }
    for (const file of held) fs.closeSync(file);
    const pool = new IsolatePool({ host: 'process' });
    report((await bounded(pool.run({ source: 'return 42' }))).value);
    await pool.dispose();
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['EMFILE', expect.stringContaining('ulimit -n'), 42]);
});
