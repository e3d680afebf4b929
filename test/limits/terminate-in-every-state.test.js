'use strict';

const { runChild } = require('../support/child.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');
const { sleep, until } = require('../support/time.js');

disposeAfterEach();

const LATE_MS = 150;

test.each(['justStarted', 'running', 'queued', 'parked', 'inBuiltin', 'collecting', 'mixed'])(
  'terminate() answers the callers of a pool that is %s, in time',
  async (state) => {
    const child = await runChild(
      async ({ ENTER, report, startStopwatch, until: reach }, name) => {
        const { pool, runs } = await ENTER[name]();
        for (const run of runs) {
          const wasRunning = run.running;
          const elapsedMs = startStopwatch();
          run.terminate(`reason ${name}`);
          const { ok, cause, error } = await run;
          const lateMs = elapsedMs();
          report({ wasRunning, ok, cause, message: error?.message, lateMs, running: run.running });
        }
        await reach(() => pool.stats().running === 0 && pool.stats().queued === 0);
        const { running, parked, queued, outcomes } = pool.stats();
        report({ running, parked, queued, terminated: outcomes.terminated });
        report((await pool.run({ source: 'return 42' })).value);
      },
      { args: state },
    );
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
    const answers = child.reports.slice(0, -2);
    const [stats, value] = child.reports.slice(-2);
    expect(answers.length).toBeGreaterThan(0);
    for (const { lateMs, ...answer } of answers) {
      expect(answer).toEqual({
        wasRunning: true,
        ok: false,
        cause: 'terminated',
        message: `reason ${state}`,
        running: false,
      });
      expect(lateMs).toBeLessThan(LATE_MS);
    }
    expect(stats).toEqual({ running: 0, parked: 0, queued: 0, terminated: answers.length });
    expect(value).toBe(42);
  },
);

test('terminate() in the same tick as run() answers `terminated`', async () => {
  const pool = openPool({ threads: 1 });
  for (let i = 0; i < 50; i++) {
    const run = pool.run({ source: 'for (;;) {}' });
    run.terminate();
    expect((await run).cause).toBe('terminated');
  }
});

test('terminate() at any moment of a short run gives one of two answers', async () => {
  const pool = openPool({ threads: 2 });
  const causes = new Set();
  const runs = Array.from({ length: 200 }, async (_, i) => {
    const run = pool.run({
      source: 'await host.ping(); return 1',
      namespaces: { host: { ping: () => 1 } },
    });
    await sleep(i % 40);
    run.terminate();
    causes.add((await run).cause);
  });
  await Promise.all(runs);
  expect([...causes].filter((cause) => cause !== 'finished' && cause !== 'terminated')).toEqual([]);
  const { finished, terminated } = pool.stats().outcomes;
  expect(finished + terminated).toBe(200);
});

test('terminate() is idempotent, and the first reason stays', async () => {
  const pool = openPool({ threads: 1 });
  const run = pool.run({ source: 'for (;;) {}' });
  await until(() => pool.stats().running === 1);
  run.terminate('first');
  run.terminate('second');
  const outcome = await run;
  run.terminate('third');
  expect(outcome).toMatchObject({ cause: 'terminated', error: { message: 'first' } });
  expect(await run).toBe(outcome);
  expect(pool.stats().outcomes.terminated).toBe(1);
});

test('terminate() of a run that has ended changes nothing', async () => {
  const pool = openPool({ threads: 1 });
  const run = pool.run({ source: 'return 1' });
  const outcome = await run;
  run.terminate('late');
  expect(await run).toBe(outcome);
  expect(outcome).toMatchObject({ ok: true, value: 1 });
  expect(pool.stats().outcomes).toMatchObject({ finished: 1, terminated: 0 });
});

test('terminate() of a run whose pool is disposed of changes nothing', async () => {
  const pool = openPool({ threads: 1 });
  const run = pool.run({ source: 'for (;;) {}' });
  await pool.dispose();
  run.terminate('late');
  expect((await run).cause).toBe('disposed');
});

test('without a reason the outcome still says what happened', async () => {
  const pool = openPool();
  const run = pool.run({ source: 'for (;;) {}' });
  run.terminate();
  const { error } = await run;
  expect(error).toMatchObject({ name: 'TerminatedError', frames: [] });
  expect(error?.message ?? '').not.toBe('');
});

test('a reason that is not a string is misuse', async () => {
  const pool = openPool();
  const run = pool.run({ source: 'for (;;) {}' });
  expect(() => run.terminate(/** @type {any} */ (5))).toThrow(TypeError);
  expect(run.running).toBe(true);
  run.terminate();
  await run;
});

test('a guest cannot run on after it was terminated', async () => {
  const pool = openPool({ threads: 1 });
  const calls = [];
  const run = pool.run({
    source: `
      host.note('started');
      try { for (;;) {} } catch { host.note('caught') } finally { host.note('finally') }
      host.note('after');`,
    namespaces: { host: { note: (text) => void calls.push(text) } },
  });
  await until(() => calls.length === 1);
  run.terminate();
  expect((await run).cause).toBe('terminated');
  await pool.run({ source: 'return 1' });
  expect(calls).toEqual(['started']);
});

test('terminate() while awaiting a call drops the reply', async () => {
  const pool = openPool({ threads: 1 });
  let reply;
  const run = pool.run({
    source: 'return host.wait()',
    namespaces: { host: { wait: () => new Promise((resolve) => (reply = resolve)) } },
  });
  await until(() => reply !== undefined && pool.stats().parked === 1);
  run.terminate();
  const outcome = await run;
  reply('late');
  await pool.run({ source: 'return 1' });
  expect(await run).toBe(outcome);
  expect(outcome.cause).toBe('terminated');
  expect(outcome.facts.calls).toMatchObject([{ name: 'wait', ms: null, ok: false }]);
});
