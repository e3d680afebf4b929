'use strict';

const { disposeAfterEach, openPool } = require('../support/pools.js');
const { sleep, until } = require('../support/time.js');

disposeAfterEach();

test('prewarm(n) resolves when n unused isolates are ready', async () => {
  const pool = openPool({ threads: 2, warm: { target: 0 } });
  expect(pool.stats().warm).toBe(0);
  await pool.prewarm(5);
  expect(pool.stats().warm).toBeGreaterThanOrEqual(5);
  await pool.prewarm(3);
  await pool.prewarm(0);
  await pool.prewarm();
  expect(pool.stats().warm).toBeGreaterThanOrEqual(5);
});

test('prewarms under way at the same time all resolve', async () => {
  const pool = openPool({ threads: 2, warm: { target: 0 } });
  await Promise.all([pool.prewarm(2), pool.prewarm(6), pool.prewarm(4)]);
  expect(pool.stats().warm).toBeGreaterThanOrEqual(6);
});

test('prewarm refuses what is not a number of isolates', async () => {
  const pool = openPool();
  await expect(pool.prewarm(-1)).rejects.toThrow(RangeError);
  await expect(pool.prewarm(/** @type {any} */ ('2'))).rejects.toThrow(TypeError);
});

test('the target is made ready without being asked for', async () => {
  const pool = openPool({ threads: 2, warm: { target: 3 } });
  await pool.run({ source: 'return 1' });
  await until(() => pool.stats().warm === 3);
  expect(pool.stats().warm).toBe(3);
});

test('a warm isolate is used once, and replaced', async () => {
  const pool = openPool({ threads: 1, warm: { target: 1 } });
  await pool.prewarm(1);
  const source = `
    const before = typeof globalThis.mark + typeof Array.prototype.mark;
    globalThis.mark = 1;
    Array.prototype.mark = 1;
    return before;`;
  for (let i = 0; i < 20; i++) {
    expect((await pool.run({ source })).value).toBe('undefinedundefined');
  }
  await until(() => pool.stats().warm === 1);
  expect(pool.stats().outcomes.finished).toBe(20);
});

test('every run takes one warm isolate away', async () => {
  const pool = openPool({ threads: 1, warm: { target: 0 } });
  await pool.prewarm(3);
  const before = pool.stats().warm;
  for (let i = 0; i < 3; i++) await pool.run({ source: 'return 1' });
  await until(() => pool.stats().warm === before - 3);
});

test('warm isolates that nobody uses are disposed of after idleMs', async () => {
  const pool = openPool({ threads: 2, warm: { target: 4, idleMs: 150 } });
  await pool.prewarm(4);
  expect(pool.stats().warm).toBeGreaterThanOrEqual(4);
  await until(() => pool.stats().warm === 0, 3000);
  await sleep(100);
  expect(pool.stats().warm).toBe(0);
  expect((await pool.run({ source: 'return 1' })).value).toBe(1);
  await until(() => pool.stats().warm === 4);
});

test('runs keep the warm isolates from being disposed of', async () => {
  const idleMs = 2000;
  const pool = openPool({ threads: 2, warm: { target: 2, idleMs } });
  await pool.prewarm(2);
  const end = performance.now() + 1.5 * idleMs;
  while (performance.now() < end) {
    const start = performance.now();
    await pool.run({ source: 'return 1' });
    await until(() => pool.stats().warm === 2);
    await sleep(50);
    // A machine that is busy may have let the time pass.
    const { warm } = pool.stats();
    if (performance.now() - start < idleMs) expect(warm).toBeGreaterThan(0);
  }
});
