'use strict';

const { startStopwatch } = require('../../scripts/stolen-time.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');
const { until } = require('../support/time.js');

disposeAfterEach();

const never = { host: { never: () => new Promise(() => {}) } };

test('a run that finds no place and a full queue is answered at once', async () => {
  const pool = openPool({ threads: 1, maxRunning: 2, maxQueued: 3 });
  const open = Array.from({ length: 5 }, () =>
    pool.run({ source: 'await host.never()', namespaces: never }),
  );
  await until(() => pool.stats().parked === 2 && pool.stats().queued === 3);
  const elapsedMs = startStopwatch();
  const outcome = await pool.run({ source: 'return 1' });
  expect(elapsedMs()).toBeLessThan(100);
  expect(outcome).toMatchObject({ ok: false, cause: 'queue_full', logs: [] });
  expect(outcome.error).toMatchObject({ name: 'QueueFullError', frames: [] });
  expect(outcome.error?.message).toMatch(/queue is full/);
  expect(outcome.error?.message).toMatch(/maxQueued/);
  expect(pool.stats().outcomes.queue_full).toBe(1);
  for (const run of open) run.terminate();
  for (const run of open) expect((await run).cause).toBe('terminated');
});

test('a place that becomes free is used again', async () => {
  const pool = openPool({ threads: 1, maxRunning: 1, maxQueued: 0 });
  const first = pool.run({ source: 'await host.never()', namespaces: never });
  expect((await pool.run({ source: 'return 1' })).cause).toBe('queue_full');
  first.terminate();
  await first;
  await until(() => pool.stats().running === 0 && pool.stats().parked === 0);
  // The place is free when the isolate is disposed of, which is behind the reply.
  await until(() => pool.stats().queued === 0);
  expect(await pool.run({ source: 'return 1' })).toMatchObject({ ok: true, value: 1 });
});

test('a run that is withdrawn from the queue makes place for another', async () => {
  const pool = openPool({ threads: 1, maxRunning: 1, maxQueued: 1 });
  const first = pool.run({ source: 'await host.never()', namespaces: never });
  const second = pool.run({ source: 'return 2' });
  expect((await pool.run({ source: 'return 3' })).cause).toBe('queue_full');
  second.terminate();
  expect((await second).cause).toBe('terminated');
  const fourth = pool.run({ source: 'return 4' });
  first.terminate();
  expect(await fourth).toMatchObject({ ok: true, value: 4 });
});

test('ten thousand runs at once are answered, each once', async () => {
  const pool = openPool({ threads: 2, maxRunning: 4, maxQueued: 40 });
  const runs = Array.from({ length: 10_000 }, () => pool.run({ source: 'return 1' }));
  const outcomes = await Promise.all(runs);
  const count = (cause) => outcomes.filter((outcome) => outcome.cause === cause).length;
  expect(count('finished') + count('queue_full')).toBe(10_000);
  expect(count('finished')).toBeGreaterThanOrEqual(44);
  const { finished, queue_full: full } = pool.stats().outcomes;
  expect([finished, full]).toEqual([count('finished'), count('queue_full')]);
});
