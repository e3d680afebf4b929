'use strict';

const { runChild } = require('../support/child.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');
const { sleep } = require('../support/time.js');

disposeAfterEach();

const spin = (ms) => `{ const end = Date.now() + ${ms}; while (Date.now() < end) {} }`;

test('a busy guest is stopped when its CPU time is used up', async () => {
  const child = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool({ threads: 1 });
    for (const source of [
      'for (;;) {}',
      'for (;;) await null',
      '/^(a+)+$/.test("a".repeat(40) + "b")',
    ]) {
      const { cause, error, facts } = await pool.run({ source, limits: { cpuMs: 100 } });
      report({ cause, name: error?.name, cpuMs: facts.cpuMs });
    }
    await pool.dispose();
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toHaveLength(3);
  for (const { cause, name, cpuMs } of child.reports) {
    expect([cause, name]).toEqual(['cpu', 'CpuLimitError']);
    expect(cpuMs).toBeGreaterThanOrEqual(99);
    expect(cpuMs).toBeLessThan(250);
  }
});

test('a guest that waits a second with a budget of 200 ms finishes', async () => {
  const pool = openPool({ threads: 1 });
  const namespaces = { host: { second: () => sleep(1000).then(() => 'rested') } };
  const limits = { cpuMs: 200 };
  const { cause, value, facts } = await pool.run({
    source: 'return host.second()',
    namespaces,
    limits,
  });
  expect([cause, value]).toEqual(['finished', 'rested']);
  expect(facts.wallMs).toBeGreaterThan(990);
  expect(facts.cpuMs).toBeLessThan(200);
});

test('the time of all turns is added up', async () => {
  const pool = openPool({ threads: 2 });
  const namespaces = { host: { tick: () => sleep(5) } };
  const source = `let turns = 0; for (;;) { ${spin(20)} turns += 1; await host.tick(turns); }`;
  const { cause, facts } = await pool.run({ source, namespaces, limits: { cpuMs: 150 } });
  expect(cause).toBe('cpu');
  expect(facts.cpuMs).toBeGreaterThanOrEqual(149);
  expect(facts.cpuMs).toBeLessThan(300);
  // No turn alone comes near the budget; on a busy machine a turn of 20 ms has less CPU, so there are more of them.
  expect(facts.callCount).toBeGreaterThanOrEqual(5);
});

test('a guest that shares its thread with others pays for itself only', async () => {
  const pool = openPool({ threads: 1 });
  const namespaces = { host: { wait: () => sleep(50) } };
  const others = [0, 1, 2, 3].map(() => pool.run({ source: spin(60) }));
  const run = pool.run({
    source: 'for (let i = 0; i < 5; i++) await host.wait(); return "done"',
    namespaces,
    limits: { cpuMs: 60 },
  });
  expect(await run).toMatchObject({ ok: true, value: 'done' });
  for (const other of others) expect((await other).cause).toBe('finished');
});

test('time in the queue costs no CPU', async () => {
  const pool = openPool({ threads: 1 });
  const busy = pool.run({ source: spin(300) });
  const run = pool.run({ source: 'return 1', limits: { cpuMs: 50 } });
  const { cause, facts } = await run;
  expect(cause).toBe('finished');
  expect(facts.queuedMs).toBeGreaterThan(200);
  expect(facts.cpuMs).toBeLessThan(50);
  await busy;
});

test('making an isolate ready is not on the account of the guest', async () => {
  const pool = openPool({ threads: 1, warm: { target: 0 } });
  const outcomes = [];
  for (let i = 0; i < 20; i++) {
    outcomes.push(await pool.run({ source: 'return 1', limits: { cpuMs: 20 } }));
  }
  expect(outcomes.map(({ cause }) => cause)).toEqual(Array(20).fill('finished'));
});

test('a budget of nothing stops the guest at once', async () => {
  const pool = openPool();
  expect((await pool.run({ source: 'for (;;) {}', limits: { cpuMs: 0 } })).cause).toBe('cpu');
});
