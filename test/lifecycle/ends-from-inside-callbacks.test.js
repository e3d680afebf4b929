'use strict';

const { CRASH_TEXT, runChild } = require('../support/child.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');

disposeAfterEach();

test('a host function may exit the process', async () => {
  const child = await runChild(({ GUESTS, IsolatePool }) => {
    const pool = new IsolatePool({ threads: 2 });
    const namespaces = { host: { exit: () => process.exit(3), ping: () => 1 } };
    void pool.run({ source: GUESTS.loop });
    void pool.run({ source: 'await host.ping(); host.exit(); for (;;);', namespaces });
  });
  expect(child).toMatchObject({ code: 3, signal: null, stderr: '' });
});

test('a log listener may exit the process', async () => {
  const child = await runChild(({ IsolatePool }) => {
    const pool = new IsolatePool({ threads: 2 });
    void pool.run({ source: 'for (;;) console.log("x")', onLog: () => process.exit(3) });
  });
  expect(child).toMatchObject({ code: 3, signal: null, stderr: '' });
});

test('a log listener that throws is an uncaught exception of the process', async () => {
  const child = await runChild(({ IsolatePool }) => {
    const pool = new IsolatePool({ threads: 2 });
    const onLog = () => {
      throw new Error("the listener's mistake");
    };
    void pool.run({ source: 'console.log("x"); for (;;) {}', onLog });
  });
  expect(child).toMatchObject({ code: 1, signal: null });
  expect(child.stderr).toMatch(/the listener's mistake/);
  expect(child.stderr).not.toMatch(CRASH_TEXT);
});

test('a host function in a worker may exit the worker', async () => {
  const child = await runChild(async ({ exitOf, report, startWorker }) => {
    const worker = startWorker(({ GUESTS, IsolatePool }) => {
      const pool = new IsolatePool({ threads: 2 });
      const namespaces = { host: { exit: () => process.exit(3) } };
      void pool.run({ source: GUESTS.loop });
      // One call: a run that makes too many ends, and its calls are dropped.
      void pool.run({ source: 'host.exit(); for (;;);', namespaces });
    });
    report(await exitOf(worker));
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([3]);
});

test('pools can be used, made and disposed of while the process exits', async () => {
  const child = await runChild(async ({ ENTER, IsolatePool, report }) => {
    const { pool, runs } = await ENTER.mixed();
    process.on('exit', () => {
      for (const one of [pool, new IsolatePool()]) {
        void one.run({ source: 'return 1' });
        void one.prewarm(2);
        report(typeof one.stats().stuck);
        for (const run of runs) run.terminate();
        void one.dispose();
        void one.run({ source: 'return 1' });
      }
    });
    process.exit(3);
  });
  expect(child).toMatchObject({ code: 3, signal: null, stderr: '' });
  expect(child.reports).toEqual(['number', 'number']);
});

test('a pool that is made while the process exits naturally does not disturb the exit', async () => {
  const child = await runChild(({ IsolatePool }) => {
    void new IsolatePool();
    process.on('exit', () => {
      void new IsolatePool().run({ source: 'for (;;) {}' });
    });
    process.exitCode = 4;
  });
  expect(child).toMatchObject({ code: 4, signal: null, stderr: '' });
});

test('a host function may terminate its own run', async () => {
  const pool = openPool({ threads: 1 });
  const own = {};
  const stop = () => own.run.terminate('from inside');
  own.run = pool.run({ source: 'await host.stop(); for (;;) {}', namespaces: { host: { stop } } });
  expect(await own.run).toMatchObject({ cause: 'terminated', error: { message: 'from inside' } });
});

test('a host function may dispose of its own pool', async () => {
  const pool = openPool({ threads: 2 });
  let disposal;
  const end = () => {
    disposal = pool.dispose();
  };
  const runs = [
    pool.run({ source: 'for (;;) {}' }),
    pool.run({ source: 'await host.end(); for (;;) {}', namespaces: { host: { end } } }),
  ];
  for (const run of runs) expect((await run).cause).toBe('disposed');
  await disposal;
  expect(pool.stats().threads).toBe(0);
});

test('a host function may start runs of the pool that waits for it', async () => {
  const pool = openPool({ threads: 1 });
  const nest = async (depth) => {
    if (depth === 0) return 0;
    const source = `return 1 + await host.nest(${depth - 1})`;
    const { value } = await pool.run({ source, namespaces: { host: { nest } } });
    return value;
  };
  expect(await nest(5)).toBe(5);
});
