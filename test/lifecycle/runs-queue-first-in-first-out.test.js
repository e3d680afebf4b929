'use strict';

const { disposeAfterEach, openPool } = require('../support/pools.js');
const { sleep, until } = require('../support/time.js');

disposeAfterEach();

test('runs start in the order in which they came', async () => {
  const pool = openPool({ threads: 1 });
  const order = [];
  const namespaces = { host: { note: (n) => void order.push(n) } };
  const runs = Array.from({ length: 100 }, (_, n) =>
    pool.run({ source: `void host.note(${n})`, namespaces }),
  );
  await Promise.all(runs);
  expect(order).toEqual(Array.from({ length: 100 }, (_, n) => n));
});

test('runs that wait for a place start in the order in which they came', async () => {
  const pool = openPool({ threads: 2, maxRunning: 1 });
  const order = [];
  const namespaces = { host: { note: (n) => sleep(1).then(() => void order.push(n)) } };
  const runs = Array.from({ length: 50 }, (_, n) =>
    pool.run({ source: `await host.note(${n})`, namespaces }),
  );
  await Promise.all(runs);
  expect(order).toEqual(Array.from({ length: 50 }, (_, n) => n));
});

test('CPU-bound guests take turns with those that came before them', async () => {
  const pool = openPool({ threads: 1 });
  const ends = [];
  const busy = 'const end = Date.now() + 30; while (Date.now() < end) {}';
  const runs = [0, 1, 2, 3].map((n) => pool.run({ source: busy }).then(() => ends.push(n)));
  await Promise.all(runs);
  expect(ends).toEqual([0, 1, 2, 3]);
});

test('a run behind maxRunning others waits, and queuedMs says how long', async () => {
  const pool = openPool({ threads: 2, maxRunning: 1 });
  await pool.prewarm(1);
  const namespaces = { host: { wait: () => sleep(100) } };
  const first = pool.run({ source: 'await host.wait()', namespaces });
  const second = pool.run({ source: 'return 1' });
  await until(() => pool.stats().parked === 1);
  expect(pool.stats()).toMatchObject({ running: 0, parked: 1, queued: 1 });
  expect((await first).facts.queuedMs).toBeLessThan(90);
  expect((await second).facts.queuedMs).toBeGreaterThan(90);
});

test('no more than maxRunning runs are under way at once', async () => {
  const pool = openPool({ threads: 2, maxRunning: 3 });
  let open = 0;
  let most = 0;
  const visit = async () => {
    open += 1;
    most = Math.max(most, open);
    await sleep(5);
    open -= 1;
  };
  const namespaces = { host: { visit } };
  await Promise.all(
    Array.from({ length: 30 }, () => pool.run({ source: 'await host.visit()', namespaces })),
  );
  expect(most).toBe(3);
});
