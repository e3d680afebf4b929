'use strict';

const { disposeAfterEach, host, openPool } = require('../support/pools.js');

const STOP_CAUSES = [
  'finished',
  'guest_error',
  'link_error',
  'serialization',
  'deadline',
  'cpu',
  'memory',
  'calls',
  'output',
  'terminated',
  'queue_full',
  'exhausted',
  'disposed',
  'crashed',
];

/** @type {import('isobox').IsolatePool} */
let pool;

beforeEach(() => {
  pool = openPool({ threads: 2, maxRunning: 4, maxQueued: 2, warm: { target: 1 } });
});

disposeAfterEach();

/** Starts a guest that waits for the host; resolves when its call is there. */
async function startWaiting() {
  const run = {};
  await new Promise((resolve) => {
    const hold = () =>
      new Promise((settle) => {
        run.answer = () => settle('answered');
        resolve(undefined);
      });
    run.handle = pool.run({ source: 'return host.hold()', namespaces: { host: { hold } } });
  });
  return run;
}

const until = async (isTrue) => {
  while (!isTrue()) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
};

test('stats have these members and no others', () => {
  const stats = pool.stats();
  expect(Object.keys(stats).sort()).toEqual([
    'callBytes',
    'calls',
    'latency',
    'outcomes',
    'parked',
    ...(host === 'process' ? ['processes', 'processesForked', 'processesStarted'] : []),
    'queued',
    'running',
    ...(host === 'process' ? ['sandbox'] : []),
    'stuck',
    'threads',
    'warm',
  ]);
  expect(Object.keys(stats.outcomes).sort()).toEqual([...STOP_CAUSES].sort());
  expect(Object.keys(stats.latency).sort()).toEqual(['p50Ms', 'p95Ms', 'p99Ms']);
});

test('a new pool has threads and nothing to show yet', () => {
  const { threads, parked, queued, stuck, calls, callBytes, outcomes } = pool.stats();
  expect({ threads, parked, queued, stuck, calls, callBytes }).toEqual({
    threads: 2,
    parked: 0,
    queued: 0,
    stuck: 0,
    calls: 0,
    callBytes: 0,
  });
  expect(Object.values(outcomes).every((count) => count === 0)).toBe(true);
});

test('every run is counted under its cause, at the latest when its outcome is there', async () => {
  const namespaces = { host: { fine() {} } };
  const requests = {
    finished: { source: 'return 1' },
    guest_error: { source: 'throw 1' },
    link_error: { source: 'let let' },
    serialization: { source: 'return 1n' },
    deadline: { source: 'for (;;);', limits: { wallMs: 50 } },
    cpu: { source: 'for (;;);', limits: { cpuMs: 50 } },
    calls: { source: 'for (;;) await host.fine()', namespaces, limits: { calls: 2 } },
    output: { source: 'return "xyz"', limits: { resultBytes: 2 } },
    terminated: { source: 'for (;;);', signal: AbortSignal.abort() },
  };
  for (const [cause, request] of Object.entries(requests)) {
    expect((await pool.run(request)).cause).toBe(cause);
    expect(pool.stats().outcomes[cause]).toBe(1);
  }
  const total = Object.values(pool.stats().outcomes).reduce((sum, count) => sum + count);
  expect(total).toBe(Object.keys(requests).length);
});

test('calls and their bytes are summed up over runs', async () => {
  const namespaces = { host: { echo: (input) => input } };
  await pool.run({ source: 'await host.echo("abc"); await host.echo(1)', namespaces });
  await pool.run({ source: 'await host.echo([])', namespaces });
  expect(pool.stats()).toMatchObject({ calls: 3, callBytes: 2 * (5 + 1 + 2) });
});

test('a guest that waits for the host is parked and holds no thread', async () => {
  const waiting = await Promise.all([startWaiting(), startWaiting(), startWaiting()]);
  await until(() => pool.stats().parked === 3);
  expect(pool.stats()).toMatchObject({ parked: 3, running: 0, queued: 0 });
  for (const { answer } of waiting) answer();
  for (const { handle } of waiting) expect(await handle).toMatchObject({ value: 'answered' });
  expect(pool.stats()).toMatchObject({ parked: 0 });
});

test('runs beyond maxRunning are queued, and beyond maxQueued refused at once', async () => {
  const waiting = await Promise.all(Array.from({ length: 4 }, startWaiting));
  const queued = [pool.run({ source: 'return 1' }), pool.run({ source: 'return 2' })];
  expect(pool.stats().queued).toBe(2);
  expect(await pool.run({ source: 'return 3' })).toMatchObject({ ok: false, cause: 'queue_full' });
  expect(pool.stats().outcomes.queue_full).toBe(1);
  for (const { answer } of waiting) answer();
  expect((await Promise.all(queued)).map(({ value }) => value)).toEqual([1, 2]);
  await Promise.all(waiting.map(({ handle }) => handle));
});

test('a busy guest is running', async () => {
  const handle = pool.run({ source: 'for (;;);' });
  await until(() => pool.stats().running === 1);
  handle.terminate();
  expect((await handle).cause).toBe('terminated');
  await until(() => pool.stats().running === 0);
  expect(pool.stats()).toMatchObject({ running: 0, stuck: 0 });
});

test('prewarm makes isolates ready, and a run uses one up', async () => {
  await pool.prewarm(3);
  const { warm } = pool.stats();
  expect(warm).toBeGreaterThanOrEqual(3);
  await pool.run({ source: '' });
  expect(pool.stats().warm).toBeLessThan(warm + 1);
});

test('latency covers runs from start to outcome', async () => {
  for (let i = 0; i < 20; i++) await pool.run({ source: '' });
  await pool.run({ source: 'for (let end = Date.now() + 100; Date.now() < end;);' });
  const { p50Ms, p95Ms, p99Ms } = pool.stats().latency;
  expect(p50Ms).toBeGreaterThan(0);
  expect(p50Ms).toBeLessThan(90);
  expect(p95Ms).toBeGreaterThanOrEqual(p50Ms);
  expect(p99Ms).toBeGreaterThanOrEqual(90);
  expect(p99Ms).toBeLessThan(1000);
});

test('stats can be asked of a pool that is disposed of, and runs on it are answered', async () => {
  await pool.run({ source: '' });
  await pool.dispose();
  expect(await pool.run({ source: '' })).toMatchObject({ ok: false, cause: 'disposed' });
  expect(pool.stats().outcomes.finished).toBe(1);
});
