'use strict';

const { runChild } = require('../support/child.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');
const { until } = require('../support/time.js');

disposeAfterEach();

// How runs end, each with a call open.
const ENDS = {
  finished: { source: 'host.open(); return 1' },
  guest_error: { source: 'host.open(); throw new Error("mine")' },
  serialization: { source: 'host.open(); return 1n' },
  deadline: { source: 'await host.open()', limits: { wallMs: 500 } },
  cpu: { source: 'host.open(); await host.ping(); for (;;) {}', limits: { cpuMs: 50 } },
  memory: {
    source:
      'host.open(); await host.ping(); const kept = []; for (;;) kept.push(new Array(1000).fill({}))',
    limits: { memoryBytes: 16 * 2 ** 20 },
  },
  calls: { source: 'host.open(); await host.ping(); host.ping()', limits: { calls: 2 } },
  output: { source: 'host.open(); return "x".repeat(100)', limits: { resultBytes: 10 } },
  terminated: { source: 'await host.open()', stop: ({ run }) => run.terminate() },
  disposed: { source: 'await host.open()', stop: ({ pool }) => void pool.dispose() },
};

test.each(Object.entries(ENDS))('the signal of an open call aborts: %s', async (cause, end) => {
  const pool = openPool({ threads: 1 });
  const signals = [];
  const open = (_input, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  };
  const { source, limits, stop } = end;
  const namespaces = { host: { open, ping: () => 1 } };
  const run = pool.run({ source, namespaces, limits });
  if (stop) {
    await until(() => signals.length === 1);
    expect(signals[0].aborted).toBe(false);
    stop({ pool, run });
  }
  expect((await run).cause).toBe(cause);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('the signal fires its listeners before the outcome is seen', async () => {
  const pool = openPool({ threads: 1 });
  const events = [];
  const open = (_input, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        events.push('abort');
        reject(signal.reason);
      });
    });
  const limits = { wallMs: 500 };
  await pool.run({ source: 'await host.open()', namespaces: { host: { open } }, limits });
  events.push('outcome');
  expect(events).toEqual(['abort', 'outcome']);
});

test('all open calls of a run share its end, other runs do not', async () => {
  const pool = openPool({ threads: 1 });
  const signals = new Map();
  const open = (name, { signal }) => {
    signals.set(name, signal);
    return new Promise(() => {});
  };
  const namespaces = { host: { open } };
  const source = (name) => `await Promise.all([host.open("${name}1"), host.open("${name}2")])`;
  const first = pool.run({ source: source('a'), namespaces });
  const second = pool.run({ source: source('b'), namespaces });
  await until(() => signals.size === 4);
  first.terminate();
  await first;
  const aborted = (name) => signals.get(name).aborted;
  expect(['a1', 'a2', 'b1', 'b2'].map(aborted)).toEqual([true, true, false, false]);
  second.terminate();
  await second;
  expect(['b1', 'b2'].map(aborted)).toEqual([true, true]);
});

test('a signal that is first looked at after the end is aborted', async () => {
  const pool = openPool({ threads: 1 });
  const contexts = [];
  const open = (_input, context) => {
    contexts.push(context);
    return new Promise(() => {});
  };
  const run = pool.run({ source: 'await host.open()', namespaces: { host: { open } } });
  await until(() => contexts.length === 1);
  run.terminate();
  await run;
  expect(contexts[0].signal.aborted).toBe(true);
});

test('a guest that V8 cannot stop has its open calls aborted as well', async () => {
  const child = await runChild(async ({ GUESTS, IsolatePool, report, until: reach }) => {
    const pool = new IsolatePool({ threads: 1 });
    const signals = [];
    const open = (_input, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const run = pool.run({
      source: `host.open(); ${GUESTS.stuck}`,
      namespaces: { host: { open } },
    });
    // Stopped only once the call is there, however busy the machine is.
    await reach(() => signals.length === 1);
    run.terminate();
    const { cause } = await run;
    report([cause, signals.map(({ aborted }) => aborted)]);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([['terminated', [true]]]);
});

test.each(['thread', 'process'])(
  'any number of open calls may listen to the signal of their execution: host %s',
  async (host) => {
    const child = await runChild(
      async ({ report, require }, kind) => {
        const { IsolateExecutor, resolveProvider } = require('../../lib/execbox/index.js');
        let listening = 0;
        const execute = (_input, { signal }) => {
          listening += 1;
          return new Promise((resolve) => {
            signal.addEventListener('abort', resolve);
          });
        };
        const provider = resolveProvider({ name: 'tools', tools: { listen: { execute } } });
        const executor = new IsolateExecutor({ host: kind });
        const source = 'for (let i = 0; i < 50; i++) tools.listen({}); await new Promise(() => {})';
        const { error } = await executor.execute(source, [provider], { timeoutMs: 1500 });
        report([listening, error?.code]);
        await executor.dispose();
      },
      { args: host },
    );
    // Node warns of a leak otherwise.
    expect(child).toMatchObject({ code: 0, stderr: '' });
    expect(child.reports).toEqual([[50, 'timeout']]);
  },
);
