'use strict';

const { runChild } = require('../support/child.js');

// Settled within 50 ms of the stop on a machine that is not overloaded; a busy one gets three times as much.
const LATE_MS = 150;

const GUESTS = {
  'an interpreted loop': 'for (;;) {}',
  'an optimized loop':
    'const sum = (n) => { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }; for (;;) sum(1e6)',
  'an optimized loop that never leaves its function':
    'const spin = () => { let x = 1; for (;;) x = (x * 31) | 0; }; spin()',
  'nested loops': 'for (;;) for (let i = 0; i < 1e6; i++) for (let j = 0; j < 10; j++);',
  'a loop with allocation, unrolled by Turboshaft': 'for (;;) new Array(1000).fill(1.5)',
  'a loop over a generator': 'function* numbers() { for (;;) yield 1 } for (const _ of numbers());',
  'a microtask flood':
    'const next = () => Promise.resolve().then(next); next(); await new Promise(() => {})',
  'a growing microtask flood':
    'const next = () => { queue(); queue(); }, queue = () => Promise.resolve().then(next); next(); await 0; for (;;) await 0',
  'a chain of promises': 'for (;;) await null',
  'a chain of thenables': 'const t = { then: (f) => f(t) }; await t',
  'deep recursion': 'const f = (n) => (n ? f(n - 1) : 0); for (;;) f(5000)',
  'a catch that never gives up': 'for (;;) { try { for (;;) {} } catch {} finally { continue } }',
  'a catch of stack overflows': 'const f = () => { try { f() } catch { f() } }; f()',
  'a regular expression that backtracks': '/^(a+)+$/.test("a".repeat(40) + "b")',
  'a replacement with a callback': 'for (;;) "x".repeat(1e5).replace(/x/g, () => "y")',
  'a comparator': '[3, 2, 1].sort(() => { for (;;) {} })',
  'a getter of the result': 'return { get x() { for (;;) {} } }',
  'a getter of an argument': 'await host.ping({ get x() { for (;;) {} } })',
  'a proxy': 'new Proxy({}, { get() { for (;;) {} } }).x',
  'a toJSON under JSON.stringify': 'JSON.stringify({ toJSON() { for (;;) {} } })',
  'a log flood': 'for (;;) console.log("x".repeat(1000))',
  'a promise that never settles': 'await new Promise(() => {})',
  'a call that is never answered': 'await host.never()',
  'a flood of calls': 'for (;;) await host.ping()',
  'a flood of calls that are not awaited': 'for (;;) { void host.ping(); await null }',
};

describe('the deadline stops, in time,', () => {
  /** @type {any[]} */
  let answers;
  /** @type {any} */
  let child;

  beforeAll(async () => {
    child = await runChild(
      async ({ IsolatePool, report, startStopwatch }, guests) => {
        const pool = new IsolatePool({ threads: 2 });
        const namespaces = { host: { never: () => new Promise(() => {}), ping: () => 1 } };
        for (const [name, source] of Object.entries(guests)) {
          const elapsedMs = startStopwatch();
          const limits = { wallMs: 100, callsInFlight: Infinity };
          const { ok, cause, error, facts } = await pool.run({ source, namespaces, limits });
          const ms = elapsedMs();
          const { stuck } = pool.stats();
          const after = await pool.run({ source: 'return 42' });
          report({ name, ok, cause, error, ms, wallMs: facts.wallMs, stuck, after: after.value });
        }
        await pool.dispose();
      },
      { args: GUESTS },
    );
    answers = child.reports;
  });

  test('and the process ends well', () => {
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  test.each(Object.keys(GUESTS))('%s', (name) => {
    const answer = answers.find((one) => one.name === name);
    expect(answer).toMatchObject({ ok: false, cause: 'deadline', after: 42 });
    expect(answer.error.name).toBe('DeadlineError');
    expect(answer.wallMs).toBeGreaterThanOrEqual(100);
    expect(answer.ms - 100).toBeLessThan(LATE_MS);
  });
});

test('the deadline counts from the call of run, time in the queue included', async () => {
  const child = await runChild(
    async ({ GUESTS: { loop }, IsolatePool, report, startStopwatch }) => {
      const pool = new IsolatePool({ threads: 1, maxRunning: 2 });
      const busy = [0, 1].map(() => pool.run({ source: loop }));
      const elapsedMs = startStopwatch();
      // One waits for a thread, the other for a place.
      const runs = [0, 1].map(() => pool.run({ source: 'return 1', limits: { wallMs: 100 } }));
      for (const run of runs) {
        const { cause, facts } = await run;
        report([cause, elapsedMs() - 100, facts.cpuMs]);
      }
      for (const run of busy) run.terminate();
      await Promise.all(busy);
      await pool.dispose();
    },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toHaveLength(2);
  for (const [cause, lateMs, cpuMs] of child.reports) {
    expect([cause, cpuMs]).toEqual(['deadline', 0]);
    expect(lateMs).toBeLessThan(LATE_MS);
  }
});

test('a guest within its deadline finishes', async () => {
  const child = await runChild(async ({ IsolatePool, report, sleep }) => {
    const pool = new IsolatePool();
    const namespaces = { host: { wait: () => sleep(100).then(() => 'done') } };
    const { cause, value } = await pool.run({
      source: 'return host.wait()',
      namespaces,
      limits: { wallMs: 10_000 },
    });
    report([cause, value]);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([['finished', 'done']]);
  expect(child.ms).toBeLessThan(9000);
});

test('a deadline of nothing stops the guest at once', async () => {
  const child = await runChild(
    async ({ GUESTS: { loop, wait }, IsolatePool, report, startStopwatch }) => {
      const pool = new IsolatePool();
      for (const source of [loop, wait]) {
        const elapsedMs = startStopwatch();
        const { cause } = await pool.run({ source, limits: { wallMs: 0 } });
        report([cause, elapsedMs()]);
      }
      await pool.dispose();
    },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  for (const [cause, lateMs] of child.reports) {
    expect(cause).toBe('deadline');
    expect(lateMs).toBeLessThan(LATE_MS);
  }
  expect(child.reports).toHaveLength(2);
});

test('a hundred deadlines at once are all kept', async () => {
  const child = await runChild(
    async ({ GUESTS: { loop, wait }, IsolatePool, report, startStopwatch }) => {
      const pool = new IsolatePool({ threads: 2 });
      const elapsedMs = startStopwatch();
      const late = Array.from({ length: 100 }, async (_, i) => {
        const wallMs = 100 + i;
        const { cause } = await pool.run({ source: i % 2 ? loop : wait, limits: { wallMs } });
        return cause === 'deadline' ? elapsedMs() - wallMs : Infinity;
      });
      report(Math.max(...(await Promise.all(late))));
      await pool.dispose();
    },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports[0]).toBeLessThan(LATE_MS);
});
