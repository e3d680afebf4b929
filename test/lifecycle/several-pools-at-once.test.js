'use strict';

const { disposeAfterEach, openPool } = require('../support/pools.js');
const { until } = require('../support/time.js');

disposeAfterEach();

test('pools have runs, limits and statistics of their own', async () => {
  const pools = [1, 2, 3, 4].map((threads) => openPool({ threads, limits: { calls: threads } }));
  const source = 'for (;;) await host.ping()';
  const namespaces = { host: { ping: () => 1 } };
  const outcomes = await Promise.all(pools.map((pool) => pool.run({ source, namespaces })));
  outcomes.forEach((outcome, i) => {
    expect(outcome.cause).toBe('calls');
    expect(outcome.facts.callCount).toBe(i + 1);
    expect(pools[i].stats().threads).toBe(i + 1);
    expect(pools[i].stats().outcomes).toMatchObject({ calls: 1, finished: 0 });
  });
});

test('a busy pool, and one that is disposed of, leave the others alone', async () => {
  const [busy, ended, calm] = [0, 1, 2].map(() => openPool({ threads: 1 }));
  const loop = busy.run({ source: 'for (;;) {}' });
  const dropped = ended.run({ source: 'for (;;) {}' });
  await until(() => busy.stats().running === 1 && ended.stats().running === 1);
  await ended.dispose();
  expect((await dropped).cause).toBe('disposed');
  expect((await calm.run({ source: 'return 3' })).value).toBe(3);
  expect(loop.running).toBe(true);
  loop.terminate();
  expect((await loop).cause).toBe('terminated');
});

test('fifty pools come and go', async () => {
  for (let i = 0; i < 50; i++) {
    const pool = openPool({ threads: 1, warm: { target: 0 } });
    if (i % 2 === 0) expect((await pool.run({ source: `return ${i}` })).value).toBe(i);
    await pool.dispose();
  }
});
