'use strict';
// The helpers of isobox/execbox/runtime.

const runtime = require('../../lib/execbox/runtime.js');
const { EXECUTE_ERROR_CODES, ExecuteFailure } = require('../../lib/execbox/index.js');
const { toolsOf } = require('./contract.js');

const { signal } = new AbortController();

test('limits are the overrides, then the options, then the defaults', () => {
  const { DEFAULT_EXECUTOR_RUNTIME_OPTIONS: defaults, resolveExecutorRuntimeOptions } = runtime;
  expect(defaults).toEqual({
    timeoutMs: 5000,
    memoryLimitBytes: 64 * 2 ** 20,
    maxLogLines: 100,
    maxLogChars: 64_000,
  });
  expect(Object.isFrozen(defaults)).toBe(true);
  expect(resolveExecutorRuntimeOptions()).toEqual(defaults);
  const options = { timeoutMs: 10, maxLogLines: 5 };
  expect(resolveExecutorRuntimeOptions(options, { timeoutMs: 20, maxLogChars: undefined })).toEqual(
    {
      ...defaults,
      timeoutMs: 20,
      maxLogLines: 5,
    },
  );
  expect(() => resolveExecutorRuntimeOptions({ timeoutMs: -1 })).toThrow('options.timeoutMs');
});

describe('createToolCallDispatcher', () => {
  const tools = toolsOf({
    echo: (input, context) => ({ input, context: { ...context, signal: undefined } }),
    fail() {
      throw Object.assign(new Error('mine'), { code: 'timeout' });
    },
    refuse() {
      throw new ExecuteFailure('validation_error', 'no');
    },
    date: () => new Date(),
  });
  const call = (safeToolName, input) => ({ providerName: 'tools', safeToolName, input });

  test('answers calls with results', async () => {
    const dispatch = runtime.createToolCallDispatcher([tools], signal);
    expect(await dispatch(call('echo', { a: 1 }))).toEqual({
      ok: true,
      result: {
        input: { a: 1 },
        context: { providerName: 'tools', safeToolName: 'echo', originalToolName: 'echo' },
      },
    });
  });

  test.each([
    ['a tool that throws', call('fail'), 'tool_error', 'mine'],
    ['a tool that throws a failure', call('refuse'), 'validation_error', 'no'],
    ['a result that cannot cross', call('date'), 'serialization_error', undefined],
    ['input that cannot cross', call('echo', 1n), 'serialization_error', undefined],
    ['a tool that is not there', call('none'), 'internal_error', 'Unknown tool tools.none'],
    ['a name of Object.prototype', call('toString'), 'internal_error', undefined],
  ])('answers %s with a code', async (_name, made, code, message) => {
    const dispatch = runtime.createToolCallDispatcher([tools], signal);
    const { ok, error } = await dispatch(made);
    expect([ok, error?.code]).toEqual([false, code]);
    if (message !== undefined) expect(error?.message).toBe(message);
  });

  test('answers a call after the abort with timeout', async () => {
    const dispatch = runtime.createToolCallDispatcher([tools], AbortSignal.abort());
    expect(await dispatch(call('echo'))).toEqual({
      ok: false,
      error: { code: 'timeout', message: runtime.getExecutionTimeoutMessage() },
    });
  });

  test('refuses providers that are not resolved', () => {
    expect(() =>
      runtime.createToolCallDispatcher([/** @type {any} */ ({ tools: {} })], signal),
    ).toThrow(TypeError);
  });
});

test('contexts and results of a timeout have their shapes', () => {
  expect(runtime.createExecutionContext(signal, 'docs', 'search_docs', 'search-docs')).toEqual({
    signal,
    providerName: 'docs',
    safeToolName: 'search_docs',
    originalToolName: 'search-docs',
  });
  const error = { code: 'timeout', message: 'Execution timed out' };
  expect(runtime.createTimeoutExecuteResult()).toEqual({
    ok: false,
    error,
    logs: [],
    durationMs: 0,
  });
  expect(runtime.createTimeoutExecuteResult(7).durationMs).toBe(7);
});

test('the stable codes are known, and no others', () => {
  expect(EXECUTE_ERROR_CODES.every(runtime.isKnownExecuteErrorCode)).toBe(true);
  for (const other of ['cancelled', '', undefined, null, 5, {}]) {
    expect(runtime.isKnownExecuteErrorCode(other)).toBe(false);
  }
});

test('what JSON says whole is serializable', () => {
  const shared = { a: 1 };
  const cycle = {};
  cycle.cycle = cycle;
  for (const value of [null, '', 0, true, [], {}, Object.create(null), [shared, shared]]) {
    expect(runtime.isJsonSerializable(value)).toBe(true);
  }
  const others = [undefined, NaN, 1n, () => {}, Symbol('s'), new Date(), new Map(), cycle];
  for (const value of others) {
    expect(runtime.isJsonSerializable(value)).toBe(false);
    expect(runtime.isJsonSerializable([{ value }])).toBe(false);
  }
});

test('a call of the console is one line', () => {
  const hostile = {
    toJSON() {
      throw new Error('no');
    },
    toString: () => 'text',
  };
  const cycle = [];
  cycle.push(cycle);
  expect(runtime.formatConsoleLine(['a', 1, { b: [2] }, null, undefined])).toBe(
    'a 1 {"b":[2]} null undefined',
  );
  expect(runtime.formatConsoleLine([hostile, 1n, cycle])).toBe('text 1 ');
  expect(runtime.formatConsoleLine([])).toBe('');
});

test('logs are truncated to lines, then to characters', () => {
  const lines = ['12345', '67890', 'abc'];
  expect(runtime.truncateLogs(lines, 2, 100)).toEqual(['12345', '67890']);
  expect(runtime.truncateLogs(lines, 3, 7)).toEqual(['12345', '67']);
  expect(runtime.truncateLogs(lines, 3, 5)).toEqual(['12345']);
  expect(runtime.truncateLogs(lines, 0, 5)).toEqual([]);
});

describe('normalizeCode', () => {
  const AsyncFunction = /** @type {any} */ (async () => {}).constructor;

  test.each([
    ['an expression', '1 + 1', 2],
    ['statements', 'const x = 1;\nx + 1', 2],
    ['a fence', '```js\n1 + 1\n```', 2],
    ['an async arrow function', 'async () => 2', 2],
    ['a function declaration', 'function run() { return 2 }', 2],
    ['nothing', '', undefined],
    ['a line comment at the end', '2 // two', 2],
  ])('makes a function of %s', async (_name, source, value) => {
    const call = new AsyncFunction(`return (${runtime.normalizeCode(source)})()`);
    expect(await call()).toBe(value);
  });

  test.each(['let a: number = 1', '```ts\nlet a: number = 1\n```', '}); (() => {', '? ?'])(
    'throws a SyntaxError for %j',
    (source) => {
      expect(() => runtime.normalizeCode(source)).toThrow(
        expect.objectContaining({ name: 'SyntaxError' }),
      );
    },
  );

  test('takes text only', () => {
    expect(() => runtime.normalizeCode(/** @type {any} */ (5))).toThrow(TypeError);
  });
});

test('names and messages of what was thrown are read without throwing', () => {
  const { normalizeThrownMessage, normalizeThrownName } = runtime;
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
    },
  );
  expect(normalizeThrownMessage(new RangeError('far'))).toBe('far');
  expect(normalizeThrownMessage({ message: 'plain' })).toBe('plain');
  expect(normalizeThrownMessage('text')).toBe('text');
  expect(normalizeThrownMessage(undefined)).toBe('undefined');
  expect(normalizeThrownMessage(hostile)).toBe('[object]');
  expect(normalizeThrownName(new RangeError('far'))).toBe('RangeError');
  expect(normalizeThrownName({ name: 'Mine' })).toBe('Mine');
  for (const nameless of [undefined, null, 'text', 5, {}, hostile]) {
    expect(normalizeThrownName(nameless)).toBe(undefined);
  }
});
