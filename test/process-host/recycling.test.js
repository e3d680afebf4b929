'use strict';
// A process serves so many runs in its life, and another takes its place.

const { IsolatePool } = require('../../lib/index.js');
const { watchChildren } = require('../execbox/child-processes.js');
const { until } = require('../support/time.js');

/** @type {import('../../types/index.js').IsolatePool} */
let pool;

const mine = watchChildren();

afterEach(async () => {
  await pool.dispose();
  expect(mine()).toEqual([]);
});

/** @param {number} runsPerProcess */
const newPool = (runsPerProcess) =>
  new IsolatePool({ host: 'process', threads: 2, runsPerProcess });

test('runsPerProcess: 1 gives every guest a process to itself', async () => {
  pool = newPool(1);
  for (let i = 0; i < 4; i++) {
    expect(await pool.run({ source: `return ${i}` })).toMatchObject({ ok: true, value: i });
  }
  // A successor may be on its way too.
  const { processesStarted, outcomes } = pool.stats();
  expect(processesStarted).toBeGreaterThanOrEqual(4);
  expect(outcomes).toMatchObject({ finished: 4, crashed: 0 });
});

test('guests that run at once have a process each', async () => {
  pool = newPool(1);
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(undefined)));
  const namespaces = { host: { wait: () => released } };
  const runs = Array.from({ length: 5 }, () =>
    pool.run({ source: 'await host.wait(); return 1', namespaces }),
  );
  await until(() => pool.stats().parked === 2);
  expect(pool.stats().processes).toBe(2);
  expect(pool.stats().queued).toBe(3);
  release();
  expect((await Promise.all(runs)).map(({ cause }) => cause)).toEqual(Array(5).fill('finished'));
});

test('a process that has had its runs leaves, and no run notices', async () => {
  pool = newPool(8);
  const first = await pool.run({ source: 'return 1' }).then(() => mine());
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, i) => pool.run({ source: `return ${i}` })),
  );
  expect(outcomes.map(({ value }) => value)).toEqual(Array.from({ length: 40 }, (_, i) => i));
  await until(() => !mine().some((pid) => first.includes(pid)));
  expect(pool.stats().processesStarted).toBeGreaterThanOrEqual(6);
});
