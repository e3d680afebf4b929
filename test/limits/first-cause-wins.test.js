'use strict';

const { disposeAfterEach, openPool } = require('../support/pools.js');
const { sleep, until } = require('../support/time.js');

disposeAfterEach();

test('terminate() before the deadline', async () => {
  const pool = openPool({ threads: 1 });
  const run = pool.run({ source: 'for (;;) {}', limits: { wallMs: 5000, cpuMs: 5000 } });
  run.terminate('mine');
  expect(await run).toMatchObject({ cause: 'terminated', error: { message: 'mine' } });
});

test('the deadline before terminate()', async () => {
  const pool = openPool({ threads: 1 });
  await pool.prewarm(1);
  const run = pool.run({ source: 'for (;;) {}', limits: { wallMs: 50 } });
  // The loop is held so that both are pending when it looks.
  const end = Date.now() + 150;
  while (Date.now() < end);
  run.terminate('too late');
  expect(await run).toMatchObject({ cause: 'deadline', error: { name: 'DeadlineError' } });
});

test('the end of the guest before terminate()', async () => {
  const pool = openPool({ threads: 1 });
  await pool.prewarm(1);
  const run = pool.run({ source: 'return 1' });
  const end = Date.now() + 300;
  while (Date.now() < end);
  run.terminate('too late');
  expect(await run).toMatchObject({ ok: true, value: 1 });
});

test('CPU before the deadline, and the deadline before CPU', async () => {
  const pool = openPool({ threads: 1 });
  const source = 'for (;;) {}';
  expect((await pool.run({ source, limits: { cpuMs: 30, wallMs: 5000 } })).cause).toBe('cpu');
  expect((await pool.run({ source, limits: { cpuMs: 5000, wallMs: 30 } })).cause).toBe('deadline');
});

test('terminate() before dispose()', async () => {
  const pool = openPool({ threads: 1 });
  const run = pool.run({ source: 'for (;;) {}' });
  await until(() => pool.stats().running === 1);
  run.terminate('mine');
  await pool.dispose();
  expect((await run).cause).toBe('terminated');
});

test('dispose() before the deadline', async () => {
  const pool = openPool({ threads: 1 });
  const run = pool.run({ source: 'for (;;) {}', limits: { wallMs: 5000 } });
  await until(() => pool.stats().running === 1);
  await pool.dispose();
  expect((await run).cause).toBe('disposed');
});

test('the call budget before an error the guest throws over it', async () => {
  const pool = openPool({ threads: 1 });
  const { cause } = await pool.run({
    source: 'try { await host.ping() } finally { throw new Error("mine") }',
    namespaces: { host: { ping: () => 1 } },
    limits: { calls: 0 },
  });
  expect(cause).toBe('calls');
});

test('the guest throwing before the deadline, whatever the error says', async () => {
  const pool = openPool({ threads: 1 });
  const source = `throw Object.assign(new Error('The run reached its deadline'), { name: 'DeadlineError', cause: 'deadline' })`;
  const outcome = await pool.run({ source, limits: { wallMs: 5000 } });
  expect(outcome).toMatchObject({ cause: 'guest_error', error: { name: 'DeadlineError' } });
});

test('an outcome is counted once, under its cause', async () => {
  const pool = openPool({ threads: 2 });
  const abort = new AbortController();
  const runs = Array.from({ length: 40 }, () =>
    pool.run({ source: 'for (;;) {}', signal: abort.signal, limits: { wallMs: 60, cpuMs: 20 } }),
  );
  await sleep(58);
  for (const run of runs) run.terminate();
  abort.abort();
  const outcomes = await Promise.all(runs);
  const counted = pool.stats().outcomes;
  for (const cause of ['deadline', 'cpu', 'terminated']) {
    expect(counted[cause]).toBe(outcomes.filter((outcome) => outcome.cause === cause).length);
  }
  expect(counted.deadline + counted.cpu + counted.terminated).toBe(40);
});
