'use strict';

const {
  IsolateExecutor,
  isExecuteFailureResult,
  isExecuteSuccess,
} = require('../../lib/execbox/index.js');
const { poolThreads } = require('../support/child-tools.js');
const { sleep, until } = require('../support/time.js');
const { toolsOf } = require('./contract.js');

const executors = [];

function open(options) {
  const executor = new IsolateExecutor(options);
  executors.push(executor);
  return executor;
}

afterEach(async () => {
  for (const executor of executors.splice(0)) await executor.dispose();
});

test.each([
  ['an option that does not exist', { timeout: 5 }],
  ['a pool option that does not exist', { pool: { size: 5 } }],
  ['a host that does not exist', { host: 'cloud' }],
  ['a mode that does not exist', { mode: 'fast' }],
  ['a time that is no number', { timeoutMs: '5' }],
  ['a time that is none', { timeoutMs: NaN }],
  ['a negative time', { timeoutMs: -1 }],
  ['a pool for nobody', { pool: { maxSize: 0 } }],
  ['a prewarm that is no number', { pool: { maxSize: 1, prewarm: 'yes' } }],
  ['a grace that is none', { cancelGraceMs: Infinity }],
  ['no options but a number', 5],
])('%s throws', (_name, /** @type {any} */ options) => {
  expect(() => new IsolateExecutor(options)).toThrow(/option/);
});

test.each(['thread', 'process'])('execbox options are understood by host %s', async (host) => {
  const executor = open({
    host,
    mode: 'pooled',
    timeoutMs: 2000,
    memoryLimitBytes: 2 ** 20,
    maxLogLines: 1,
    maxLogChars: 5,
    cancelGraceMs: 100,
    pool: { maxSize: 2, minSize: 1, idleTimeoutMs: 1000, prewarm: 2 },
  });
  const code = 'console.log("123456789"); console.log("x"); 5';
  expect(await executor.execute(code, [])).toMatchObject({
    ok: true,
    result: 5,
    logs: ['12345'],
  });
});

test.each(['thread', 'process'])('maxSize executions run at once on host %s', async (host) => {
  const executor = open({ host, pool: { maxSize: 2 } });
  const seen = { now: 0, most: 0 };
  const visit = async () => {
    seen.most = Math.max(seen.most, ++seen.now);
    await until(() => seen.most >= 2);
    await sleep(20);
    seen.now--;
  };
  const runs = Array.from({ length: 6 }, () =>
    executor.execute('await tools.visit(); 1', [toolsOf({ visit })], { timeoutMs: 10_000 }),
  );
  for (const result of await Promise.all(runs)) expect(result.ok).toBe(true);
  expect(seen.most).toBe(2);
});

test.each(['thread', 'process'])(
  'waiting for a place on host %s takes nothing of the time, and ends with an abort',
  async (host) => {
    const executor = open({ host, pool: { maxSize: 1 } });
    await executor.prewarm();
    const wait = () => sleep(400);
    const first = executor.execute('await tools.wait()', [toolsOf({ wait })]);
    const second = executor.execute('2', [], { timeoutMs: 300 });
    const controller = new AbortController();
    const third = executor.execute('3', [], { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    expect(await third).toMatchObject({ ok: false, error: { code: 'timeout' } });
    expect(await second).toMatchObject({ ok: true, result: 2 });
    expect((await first).ok).toBe(true);
  },
);

test.each(['thread', 'process'])('disposing ends what runs on host %s', async (host) => {
  const executor = open({ host, pool: { maxSize: 2 } });
  const runs = ['for (;;);', 'await new Promise(() => {})', '1', '2'].map((code) =>
    executor.execute(code, [], { timeoutMs: 60_000 }),
  );
  setTimeout(() => void executor.dispose(), 300);
  const [first, second] = await Promise.all(runs);
  expect(first).toMatchObject({ ok: false, error: { code: 'internal_error' } });
  expect(second).toMatchObject({ ok: false, error: { code: 'internal_error' } });
  await executor.dispose();
  expect(await executor.execute('1', [])).toMatchObject({ error: { code: 'internal_error' } });
  await expect(executor.prewarm(1)).rejects.toThrow('The executor is disposed of');
});

test('inline, execbox’s word for guests in this process, is host thread', async () => {
  const before = poolThreads();
  const executor = open({ host: 'inline' });
  expect(await executor.execute('6 * 7', [])).toMatchObject({ ok: true, result: 42 });
  expect(poolThreads()).toBeGreaterThan(before);
});

test.each([
  [{ loadModule: async () => {} }, /loadModule .* leave it out/],
  [{ workerResourceLimits: { stackSizeMb: 4 } }, /memoryLimitBytes/],
  [{ host: 'worker' }, /write 'thread'.*or 'process'/],
])('options that only execbox has are refused with advice: %j', (options, advice) => {
  expect(() => open(options)).toThrow(TypeError);
  expect(() => open(options)).toThrow(advice);
});

test('an executor is disposed of by its scope', async () => {
  const executor = open();
  await executor[Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]();
  expect((await executor.execute('1', [])).ok).toBe(false);
});

test('providers may be left out', async () => {
  expect(await open().execute('1')).toMatchObject({ ok: true, result: 1 });
});

test('results can be told apart', async () => {
  const executor = open();
  const success = await executor.execute('1', []);
  const failure = await executor.execute('throw 1', []);
  expect([isExecuteSuccess(success), isExecuteFailureResult(success)]).toEqual([true, false]);
  expect([isExecuteSuccess(failure), isExecuteFailureResult(failure)]).toEqual([false, true]);
});

test('providers that execbox resolved are taken as they are', async () => {
  // The shape of @execbox/core's resolveProvider, without anything of ours in it.
  const provider = {
    name: 'mcp',
    originalToSafeName: { 'math-add': 'math_add' },
    safeToOriginalName: { math_add: 'math-add' },
    tools: {
      math_add: {
        description: 'Adds',
        inputSchema: { type: 'object' },
        originalName: 'math-add',
        safeName: 'math_add',
        async execute(input, context) {
          class ExecuteFailureOfExecbox extends Error {
            /** @override */
            name = 'ExecuteFailure';
            code = 'validation_error';
          }
          if (typeof input?.a !== 'number') throw new ExecuteFailureOfExecbox('a must be number');
          return { sum: input.a + input.b, name: context.originalToolName };
        },
      },
    },
    types: 'declare namespace mcp {}',
  };
  const executor = open();
  expect(await executor.execute('await mcp.math_add({ a: 1, b: 2 })', [provider])).toMatchObject({
    ok: true,
    result: { sum: 3, name: 'math-add' },
  });
  expect(await executor.execute('await mcp.math_add()', [provider])).toMatchObject({
    ok: false,
    error: { code: 'validation_error', message: 'a must be number' },
  });
});
