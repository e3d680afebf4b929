'use strict';
// Whatever is passed as options: it works, or it is refused at once with a TypeError or RangeError that names what is
// wrong. Nothing else is thrown, and nothing hangs.

const fc = require('fast-check');

const { DEFAULT_LIMITS, IsolatePool } = require('../../lib/index.js');
const { IsolateExecutor } = require('../../lib/execbox/index.js');
const { runCode } = require('../../lib/run-code/index.js');
const { usePool } = require('../support/pools.js');

const { run } = usePool();

const anyNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, -1, 0.5, 1, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 53, NaN, Infinity, -Infinity),
);
const anyOdd = fc.oneof(
  anyNumber,
  fc.anything({ maxDepth: 1, withBigInt: true, withNullPrototype: true }),
  fc.constantFrom('10', [], {}, () => {}, Symbol('s'), 10n),
);

/** Names that exist, mostly, with values that mostly do not fit. */
const recordOf = (names) =>
  fc.dictionary(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...names) },
      { weight: 1, arbitrary: fc.string() },
    ),
    anyOdd,
    { maxKeys: 3 },
  );

const isRefusal = (error) =>
  (error instanceof TypeError || error instanceof RangeError) && error.message.length > 10;

const refusalOf = (act) => {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
};

test('limits of a run', async () => {
  await fc.assert(
    fc.asyncProperty(recordOf(Object.keys(DEFAULT_LIMITS)), async (limits) => {
      let handle;
      const error = refusalOf(() => {
        handle = run({ source: 'return 1', limits });
      });
      if (error !== undefined) {
        expect(isRefusal(error)).toBe(true);
        return;
      }
      const { cause } = await handle;
      expect(['finished', 'deadline', 'cpu', 'memory', 'output', 'serialization']).toContain(cause);
    }),
    { numRuns: 500 },
  );
});

test('options of a pool', async () => {
  const anyOptions = fc.oneof(
    recordOf(['maxRunning', 'maxQueued', 'warm', 'maxStuck', 'limits']),
    fc.record({ limits: recordOf(Object.keys(DEFAULT_LIMITS)) }),
    fc.record({ warm: recordOf(['target', 'idleMs']) }),
    anyOdd,
  );
  await fc.assert(
    fc.asyncProperty(anyOptions, async (/** @type {any} */ options) => {
      let made;
      const error = refusalOf(() => {
        made = new IsolatePool(
          typeof options === 'object' && options !== null && !Array.isArray(options)
            ? { threads: 1, ...options }
            : options,
        );
      });
      if (error !== undefined) {
        expect(isRefusal(error)).toBe(true);
        return;
      }
      await made.dispose();
      expect(made.stats().threads).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('requests', async () => {
  const names = [
    'source',
    'kind',
    'filename',
    'values',
    'namespaces',
    'globals',
    'bindings',
    'console',
    'intrinsics',
    'module',
    'limits',
    'signal',
    'onLog',
    'liveLogs',
  ];
  await fc.assert(
    fc.asyncProperty(recordOf(names), async (request) => {
      let handle;
      const error = refusalOf(() => {
        handle = run({ limits: { wallMs: 5000 }, source: 'return 1', ...request });
      });
      if (error !== undefined) {
        expect(isRefusal(error)).toBe(true);
        return;
      }
      const { ok, cause } = await handle;
      expect(ok).toBe(cause === 'finished');
    }),
    { numRuns: 500 },
  );
});

test('options of an executor, and of its executions, which never reject', async () => {
  const names = [
    'timeoutMs',
    'memoryLimitBytes',
    'maxLogLines',
    'maxLogChars',
    'host',
    'mode',
    'cancelGraceMs',
    'signal',
  ];
  await fc.assert(
    fc.asyncProperty(recordOf(names), recordOf(names), async (options, execution) => {
      let executor;
      const error = refusalOf(() => {
        executor = new IsolateExecutor({ ...options, host: 'thread' });
      });
      if (error !== undefined) {
        expect(isRefusal(error)).toBe(true);
        return;
      }
      const result = await executor.execute('1 + 1', [], execution);
      expect(typeof result.ok).toBe('boolean');
      if (!result.ok) expect(result.error.message.length).toBeGreaterThan(5);
      await executor.dispose();
    }),
    { numRuns: 60 },
  );
});

test('options of runCode, which never throws and never rejects', async () => {
  const names = [
    'execute',
    'imports',
    'globals',
    'modules',
    'language',
    'memoryLimitBytes',
    'filename',
    'report',
  ];
  await fc.assert(
    fc.asyncProperty(fc.oneof(recordOf(names), anyOdd), async (/** @type {any} */ options) => {
      const { status, error } = await runCode('export default 1', options);
      expect(['success', 'error', 'link_error', 'terminated', 'memory']).toContain(status);
      if (status !== 'success') expect(error.message.length).toBeGreaterThan(5);
    }),
    { numRuns: 200 },
  );
});
