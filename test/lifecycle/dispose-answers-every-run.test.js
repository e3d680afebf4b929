'use strict';

const { runChild } = require('../support/child.js');

const STATES = ['justStarted', 'running', 'queued', 'parked', 'inBuiltin', 'collecting', 'mixed'];

test.each(STATES)('dispose() answers the runs of a pool that is %s', async (state) => {
  const child = await runChild(
    async ({ ENTER, report, until, poolThreads }, name) => {
      const { pool, runs } = await ENTER[name]();
      const start = performance.now();
      const late = runs.map(async (run) => {
        const { cause } = await run;
        return { cause, isInTime: performance.now() - start < 150 };
      });
      const disposal = pool.dispose();
      report(await Promise.all(late));
      await disposal;
      const { threads, running, parked, queued, warm } = pool.stats();
      report({ threads, running, parked, queued, warm });
      report(await until(() => poolThreads() === pool.stats().stuck));
      report((await pool.run({ source: 'return 1' })).cause);
    },
    { args: state },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [answers, stats, areThreadsGone, after] = child.reports;
  expect(answers.length).toBeGreaterThan(0);
  for (const answer of answers) expect(answer).toEqual({ cause: 'disposed', isInTime: true });
  expect(stats).toEqual({ threads: 0, running: 0, parked: 0, queued: 0, warm: 0 });
  expect(areThreadsGone).toBe(true);
  expect(after).toBe('disposed');
});

test('dispose() is idempotent and gives the same promise', async () => {
  const child = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool();
    const run = pool.run({ source: 'for (;;) {}' });
    const first = pool.dispose();
    report(first === pool.dispose());
    report((await run).cause);
    await first;
    await pool.dispose();
    report(pool.stats().outcomes.disposed);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([true, 'disposed', 1]);
});

test('dispose() resolves prewarms that are under way', async () => {
  const child = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool();
    const warm = pool.prewarm(500);
    await pool.dispose();
    await warm;
    await pool.prewarm(1);
    report(pool.stats().warm);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([0]);
});

test('dispose() brings the threads back to the number before', async () => {
  const child = await runChild(async ({ IsolatePool, allThreads, poolThreads, report, until }) => {
    const before = allThreads();
    for (let i = 0; i < 5; i++) {
      const pool = new IsolatePool({ threads: 4 });
      await pool.run({ source: 'return 1' });
      await pool.dispose();
      globalThis[`pool${i}`] = pool; // its end must not depend on the collector
    }
    report(await until(() => poolThreads() === 0));
    report(await until(() => allThreads() === before));
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([true, true]);
});

test('Symbol.asyncDispose disposes of the pool', async () => {
  const child = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool();
    const run = pool.run({ source: 'for (;;) {}' });
    await pool[Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]();
    report((await run).cause);
    report(pool.stats().threads);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['disposed', 0]);
});

test('a call of a run that was disposed of may still be answered', async () => {
  const child = await runChild(async ({ IsolatePool, report, sleep }) => {
    const pool = new IsolatePool();
    const replies = [];
    const late = () => new Promise((resolve) => replies.push(resolve));
    const run = pool.run({ source: 'return host.late()', namespaces: { host: { late } } });
    while (replies.length === 0) await sleep(1);
    await pool.dispose();
    replies[0]('too late');
    await sleep(10);
    report((await run).cause);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['disposed']);
});
