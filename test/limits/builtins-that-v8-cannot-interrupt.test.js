'use strict';

const { runChild } = require('../support/child.js');

const LATE_MS = 150;

// V8 polls for termination in none of these; their threads do not come back within any test's patience.
const BUILTINS = {
  'Array.prototype.indexOf': 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
  'Array.prototype.lastIndexOf': 'Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)',
  'Array.prototype.includes': 'Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)',
  'Array.prototype.reverse': 'Array.prototype.reverse.call({ length: 2 ** 53 - 1 })',
  'Array.prototype.join': 'Array.prototype.join.call({ length: 2 ** 32 - 2 }, "")',
};

test.each(Object.entries(BUILTINS))('%s: the caller is answered', async (_name, source) => {
  const child = await runChild(
    async ({ IsolatePool, report, startStopwatch, until }, guest) => {
      const pool = new IsolatePool({ threads: 2 });
      const elapsedMs = startStopwatch();
      const { cause } = await pool.run({ source: guest, limits: { wallMs: 100 } });
      const lateMs = elapsedMs() - 100;
      report({ cause, lateMs, isCounted: await until(() => pool.stats().stuck === 1) });
      const { threads } = pool.stats();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => pool.run({ source: `return ${n}` })),
      );
      report({ threads, sum: answers.reduce((sum, { value }) => sum + value, 0) });
      process.exitCode = 5;
    },
    { args: source, boundMs: 15_000 },
  );
  expect(child).toMatchObject({ code: 5, signal: null, stderr: '' });
  const [answer, others] = child.reports;
  expect(answer).toMatchObject({ cause: 'deadline', isCounted: true });
  expect(answer.lateMs).toBeLessThan(LATE_MS);
  expect(others).toEqual({ threads: 2, sum: 190 });
});

test('terminate() answers the caller, and the thread is counted as stuck and replaced', async () => {
  const child = await runChild(
    async ({ GUESTS, IsolatePool, report, sleep, startStopwatch, until }) => {
      const pool = new IsolatePool({ threads: 1 });
      const run = pool.run({ source: GUESTS.stuck });
      await until(() => pool.stats().running === 1);
      await sleep(50);
      const elapsedMs = startStopwatch();
      run.terminate('enough');
      const { cause, error } = await run;
      report({ cause, message: error?.message, lateMs: elapsedMs() });
      await until(() => pool.stats().stuck === 1);
      const { threads, running, stuck } = pool.stats();
      report({ threads, running, stuck });
      report((await pool.run({ source: 'return 42' })).value);
    },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [answer, stats, value] = child.reports;
  expect(answer).toMatchObject({ cause: 'terminated', message: 'enough' });
  expect(answer.lateMs).toBeLessThan(LATE_MS);
  expect(stats).toEqual({ threads: 1, running: 0, stuck: 1 });
  expect(value).toBe(42);
});

test('the CPU budget and an AbortSignal answer the caller too', async () => {
  const child = await runChild(async ({ GUESTS, IsolatePool, report, sleep, until }) => {
    const pool = new IsolatePool({ threads: 2 });
    const abort = new AbortController();
    const runs = [
      pool.run({ source: GUESTS.stuck, limits: { cpuMs: 50 } }),
      pool.run({ source: GUESTS.stuck, signal: abort.signal }),
    ];
    await sleep(50);
    abort.abort();
    report((await Promise.all(runs)).map(({ cause }) => cause));
    report(await until(() => pool.stats().stuck === 2));
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([['cpu', 'terminated'], true]);
});

test('a thread that comes back late is no longer stuck, and the process has no more threads', async () => {
  const child = await runChild(
    async ({ IsolatePool, poolThreads, report, until }) => {
      const pool = new IsolatePool({ threads: 1, warm: { target: 0 } });
      await pool.run({ source: 'return 1' });
      const before = poolThreads();
      // A second or two: long enough to be lost, short enough to end.
      const source = 'Array.prototype.lastIndexOf.call({ length: 1e8 }, 1)';
      const { cause } = await pool.run({ source, limits: { wallMs: 20 } });
      report(cause);
      report(await until(() => pool.stats().stuck === 1));
      report(await until(() => pool.stats().stuck === 0, 20_000));
      report(await until(() => poolThreads() === before));
      report((await pool.run({ source: 'return 42' })).value);
      await pool.dispose();
      const { stuck, running, queued, parked } = pool.stats();
      report({ stuck, running, queued, parked });
    },
    { boundMs: 28_000 },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([
    'deadline',
    true,
    true,
    true,
    42,
    { stuck: 0, running: 0, queued: 0, parked: 0 },
  ]);
});

test('threads are lost in bounded number, and then runs are answered `exhausted`', async () => {
  const child = await runChild(async ({ GUESTS, IsolatePool, report, until }) => {
    const pool = new IsolatePool({ threads: 1, maxStuck: 2 });
    const namespaces = { host: { never: () => new Promise(() => {}) } };
    const parked = pool.run({ source: 'await host.never()', namespaces });
    await until(() => pool.stats().parked === 1);
    const causes = [];
    for (let i = 0; i < 2; i++) {
      causes.push((await pool.run({ source: GUESTS.stuck, limits: { wallMs: 400 } })).cause);
      await until(() => pool.stats().stuck === i + 1);
      causes.push((await pool.run({ source: 'return 1' })).cause);
    }
    report(causes);
    // The limit is reached; what it takes to pass it is a thread or two.
    let over = 0;
    while (
      (await pool.run({ source: GUESTS.stuck, limits: { wallMs: 400 } })).cause === 'deadline'
    ) {
      over += 1;
      await until(() => pool.stats().stuck === 2 + over);
    }
    report(over);
    report((await parked).cause);
    const after = await pool.run({ source: 'return 1' });
    report([after.cause, after.error?.name]);
    report([pool.stats().threads, pool.stats().stuck - over]);
    await pool.prewarm(1);
    await pool.dispose();
    const other = new IsolatePool({ threads: 1 });
    report((await other.run({ source: 'return 42' })).value);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [causes, over, ...rest] = child.reports;
  expect(causes).toEqual(['deadline', 'finished', 'deadline', 'finished']);
  expect(over).toBeGreaterThanOrEqual(1);
  expect(over).toBeLessThanOrEqual(2);
  expect(rest).toEqual(['exhausted', ['exhausted', 'PoolExhaustedError'], [0, 2], 42]);
});

test('stuck threads cost the host and its guests little', async () => {
  const child = await runChild(async ({ GUESTS, IsolatePool, report, startStopwatch, until }) => {
    const pool = new IsolatePool({ threads: 4 });
    const time = async () => {
      const elapsedMs = startStopwatch();
      for (let i = 0; i < 30; i++) await pool.run({ source: 'return 1' });
      return elapsedMs();
    };
    await time();
    const before = await time();
    await Promise.all(
      [0, 1, 2, 3].map(() => pool.run({ source: GUESTS.stuck, limits: { wallMs: 200 } })),
    );
    await until(() => pool.stats().stuck === 4);
    const after = await time();
    report({ stuck: pool.stats().stuck, before, after });
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [{ stuck, before, after }] = child.reports;
  expect(stuck).toBe(4);
  // Four busy threads at normal priority would take two thirds of two cores.
  expect(after).toBeLessThan(before * 3 + 200);
});
