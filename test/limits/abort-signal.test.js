'use strict';

const { getEventListeners } = require('node:events');

const { startStopwatch } = require('../../scripts/stolen-time.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');
const { until } = require('../support/time.js');

disposeAfterEach();

test('a signal that has aborted before the run ends it at once', async () => {
  const pool = openPool({ threads: 1 });
  const elapsedMs = startStopwatch();
  const signal = AbortSignal.abort('not today');
  const outcome = await pool.run({ source: 'for (;;) {}', signal });
  expect(elapsedMs()).toBeLessThan(150);
  expect(outcome).toMatchObject({ cause: 'terminated', error: { message: 'not today' } });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([
  ['computes', 'for (;;) {}', ({ running }) => running === 1],
  ['is parked', 'await new Promise(() => {})', ({ parked }) => parked === 1],
  ['awaits a call', 'await host.never()', ({ parked }) => parked === 1],
])('a signal that aborts while the guest %s ends the run', async (_name, source, isThere) => {
  const pool = openPool({ threads: 1 });
  const abort = new AbortController();
  const namespaces = { host: { never: () => new Promise(() => {}) } };
  const run = pool.run({ source, namespaces, signal: abort.signal });
  await until(() => isThere(pool.stats()));
  const elapsedMs = startStopwatch();
  abort.abort(new Error('enough'));
  const outcome = await run;
  expect(elapsedMs()).toBeLessThan(150);
  expect(outcome).toMatchObject({ cause: 'terminated', error: { message: 'enough' } });
});

test('a signal that aborts while the run is queued ends it', async () => {
  const pool = openPool({ threads: 1, maxRunning: 1 });
  const busy = pool.run({ source: 'for (;;) {}' });
  const abort = new AbortController();
  const run = pool.run({ source: 'return 1', signal: abort.signal });
  await until(() => pool.stats().queued === 1);
  abort.abort();
  expect((await run).cause).toBe('terminated');
  await until(() => pool.stats().queued === 0);
  expect(busy.running).toBe(true);
  busy.terminate();
  await busy;
});

test('a signal that aborts after the run changes nothing', async () => {
  const pool = openPool({ threads: 1 });
  const abort = new AbortController();
  const run = pool.run({ source: 'return 1', signal: abort.signal });
  const outcome = await run;
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  abort.abort();
  expect(await run).toBe(outcome);
  expect(outcome).toMatchObject({ ok: true, value: 1 });
});

test('one signal ends many runs, and keeps no listener of any', async () => {
  const pool = openPool({ threads: 2 });
  const abort = new AbortController();
  const runs = Array.from({ length: 100 }, (_, i) =>
    pool.run({
      source: i % 2 ? 'for (;;) {}' : 'await new Promise(() => {})',
      signal: abort.signal,
    }),
  );
  await until(() => pool.stats().running === 2);
  abort.abort();
  const outcomes = await Promise.all(runs);
  expect(new Set(outcomes.map(({ cause }) => cause))).toEqual(new Set(['terminated']));
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
});

test('AbortSignal.timeout ends the run', async () => {
  const pool = openPool({ threads: 1 });
  const { cause } = await pool.run({ source: 'for (;;) {}', signal: AbortSignal.timeout(50) });
  expect(cause).toBe('terminated');
});

test('reasons of any type are accepted', async () => {
  const pool = openPool({ threads: 1 });
  for (const reason of [undefined, null, 5, Symbol('x'), { toString: () => 'no' }]) {
    const outcome = await pool.run({ source: 'for (;;) {}', signal: AbortSignal.abort(reason) });
    expect(outcome.cause).toBe('terminated');
    expect(outcome.error?.message ?? '').not.toBe('');
  }
});
