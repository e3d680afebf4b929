'use strict';
// A process that ends, is killed or does not answer costs its own runs, and is replaced.

const { IsolatePool } = require('../../lib/index.js');
const { watchChildren } = require('../execbox/child-processes.js');
const { until } = require('../support/time.js');

const mine = watchChildren();

/** @type {import('../../types/index.js').IsolatePool} */
let pool;

afterEach(async () => {
  await pool.dispose();
  expect(mine()).toEqual([]);
});

/** A run that waits for its host, once it does. */
async function startWaiting() {
  let handle;
  await new Promise((resolve) => {
    const hold = () => new Promise(() => resolve(undefined));
    handle = pool.run({ source: 'await host.hold()', namespaces: { host: { hold } } });
  });
  return { outcome: Promise.resolve(handle) };
}

const newPool = (options = {}) => new IsolatePool({ host: 'process', threads: 2, ...options });

test('a process that is killed costs its runs, and the next run has another', async () => {
  pool = newPool();
  const { outcome } = await startWaiting();
  const [first] = mine();
  process.kill(first, 'SIGKILL');
  expect(await outcome).toMatchObject({ ok: false, cause: 'crashed' });
  expect(await pool.run({ source: 'return 42' })).toMatchObject({ ok: true, value: 42 });
  expect(mine()).not.toContain(first);
  expect(pool.stats().outcomes).toMatchObject({ crashed: 1, finished: 1 });
});

test('a process that is killed costs nobody else', async () => {
  pool = newPool({ processes: 2 });
  const waiting = [await startWaiting(), await startWaiting()];
  const ends = waiting.map(({ outcome }, i) => outcome.then(({ cause }) => ({ i, cause })));
  process.kill(mine()[0], 'SIGKILL');
  expect(await Promise.race(ends)).toMatchObject({ cause: 'crashed' });
  expect(await pool.run({ source: 'return 42' })).toMatchObject({ ok: true, value: 42 });
  expect(pool.stats().outcomes).toMatchObject({ crashed: 1, finished: 1 });
});

test('a deadline holds when the process does not answer, and the process is replaced', async () => {
  pool = newPool();
  await pool.run({ source: 'return 1' });
  const [stopped] = mine();
  process.kill(stopped, 'SIGSTOP');
  const other = pool.run({ source: 'return 1' });
  const start = performance.now();
  const outcome = await pool.run({ source: 'return 1', limits: { wallMs: 100 } });
  expect(outcome).toMatchObject({ ok: false, cause: 'deadline' });
  expect(performance.now() - start).toBeLessThan(1000);
  expect(await other).toMatchObject({ ok: false, cause: 'crashed' });
  await until(() => !mine().includes(stopped));
  expect(await pool.run({ source: 'return 42' })).toMatchObject({ ok: true, value: 42 });
});

test('a process that is stopped is noticed though its runs have no deadline', async () => {
  pool = newPool({ limits: { wallMs: Infinity } });
  const { outcome } = await startWaiting();
  const [stopped] = mine();
  process.kill(stopped, 'SIGSTOP');
  expect(await outcome).toMatchObject({
    ok: false,
    cause: 'crashed',
    error: { message: expect.stringMatching(/did not answer/) },
  });
  await until(() => !mine().includes(stopped));
  expect(await pool.run({ source: 'return 42' })).toMatchObject({ ok: true, value: 42 });
});

test('a guest whose memory V8 does not tell of costs no more than its process may hold', async () => {
  pool = newPool();
  const { outcome } = await startWaiting();
  const limits = { memoryBytes: 64 * 2 ** 20, wallMs: 120_000 };
  const source = "return new RegExp('.'.repeat(3e7)).test('x')";
  const before = process.memoryUsage().rss;
  const swollen = await pool.run({ source, limits });
  expect(swollen.cause).toBe('crashed');
  expect(swollen.error?.message).toMatch(/process of this guest .* \d+ MiB/);
  expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 28);
  expect(await outcome).toMatchObject({ ok: false, cause: 'crashed' }); // with its process
  expect(await pool.run({ source: 'return 42' })).toMatchObject({ ok: true, value: 42 });
}, 120_000);

test('a run can be ended when its process does not answer', async () => {
  pool = newPool();
  await pool.run({ source: 'return 1' });
  process.kill(mine()[0], 'SIGSTOP');
  const handle = pool.run({ source: 'return 1' });
  handle.terminate('enough');
  expect(await handle).toMatchObject({ ok: false, cause: 'terminated' });
});

test('a process with a thread that does not come back is replaced', async () => {
  pool = newPool();
  const source = 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)';
  const outcome = await pool.run({ source, kind: 'script', limits: { wallMs: 100 } });
  expect(outcome).toMatchObject({ ok: false, cause: 'deadline' });
  const [first] = mine();
  await until(() => !mine().includes(first), 20_000);
  expect(pool.stats().stuck).toBe(0);
  expect(await pool.run({ source: 'return 42' })).toMatchObject({ ok: true, value: 42 });
});
