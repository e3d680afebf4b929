'use strict';

const { disposeAfterEach, openPool } = require('../support/pools.js');
const { sleep, until } = require('../support/time.js');

disposeAfterEach();

test('1,000 guests that await a host timer of a second finish together on two threads', async () => {
  const pool = openPool({ threads: 2 });
  const namespaces = { host: { second: () => sleep(1000).then(() => 1) } };
  const start = performance.now();
  const runs = Array.from({ length: 1000 }, () =>
    pool.run({ source: 'return await host.second()', namespaces }),
  );
  const outcomes = await Promise.all(runs);
  const ms = performance.now() - start;
  expect(outcomes.filter(({ ok, value }) => ok && value === 1)).toHaveLength(1000);
  expect(ms).toBeGreaterThan(990);
  // Two at a time they would take 500 s. An idle machine with two cores needs little over 2 s, of which making 1,000
  // isolates is the second; the bound leaves room for a busy one.
  expect(ms).toBeLessThan(15_000);
});

test('parked guests leave the threads to others', async () => {
  const pool = openPool({ threads: 1 });
  let reply;
  const namespaces = { host: { wait: () => new Promise((resolve) => (reply = resolve)) } };
  const parked = pool.run({ source: 'return host.wait()', namespaces });
  await until(() => reply !== undefined && pool.stats().parked === 1);
  expect(pool.stats()).toMatchObject({ running: 0, parked: 1, queued: 0 });
  expect(await pool.run({ source: 'return 2' })).toMatchObject({ ok: true, value: 2 });
  expect(parked.running).toBe(true);
  reply('now');
  expect(await parked).toMatchObject({ ok: true, value: 'now' });
  expect(parked.running).toBe(false);
  expect(pool.stats().parked).toBe(0);
});

test('a parked guest gets on though every thread was busy when its reply came', async () => {
  const pool = openPool({ threads: 1 });
  let reply;
  const namespaces = { host: { wait: () => new Promise((resolve) => (reply = resolve)) } };
  const parked = pool.run({ source: 'return host.wait()', namespaces });
  await until(() => reply !== undefined && pool.stats().parked === 1);
  const busy = pool.run({ source: 'for (;;) {}', limits: { wallMs: 150 } });
  await until(() => pool.stats().running === 1);
  reply('replied');
  expect(await parked).toMatchObject({ value: 'replied' });
  expect((await busy).cause).toBe('deadline');
});

test('the clock of the wall runs while a guest is parked, that of the CPU does not', async () => {
  const pool = openPool({ threads: 1 });
  const namespaces = { host: { wait: () => sleep(100) } };
  const { facts } = await pool.run({ source: 'await host.wait()', namespaces });
  expect(facts.wallMs).toBeGreaterThan(95);
  expect(facts.cpuMs).toBeLessThan(50);
});
