'use strict';
// What every executor must do, whatever its guests run on. Sections are those of the runner specification.

const { ExecuteFailure, resolveProvider } = require('../../lib/execbox/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { sleep, until } = require('../support/time.js');

/** @type {import('isobox/execbox').ExecuteErrorCode[]} */
const CODES = [
  'timeout',
  'memory_limit',
  'validation_error',
  'tool_error',
  'runtime_error',
  'serialization_error',
  'internal_error',
];

/** A tool that never answers, and what it has heard. */
function hangingTool() {
  const seen = { isStarted: false, isAborted: false };
  const execute = (_input, { signal }) =>
    new Promise((_resolve, reject) => {
      seen.isStarted = true;
      signal.addEventListener('abort', () => {
        seen.isAborted = true;
        reject(new Error('aborted'));
      });
    });
  return { seen, execute };
}

const toolsOf = (tools, name = 'tools') =>
  resolveProvider({
    name,
    tools: Object.fromEntries(Object.entries(tools).map(([tool, execute]) => [tool, { execute }])),
  });

/**
 * @typedef {import('isobox/execbox').ResolvedToolProvider[]} Providers
 * @typedef {import('isobox/execbox').ExecutionOptions} ExecutionOptions
 * @typedef {import('isobox/execbox').ExecuteError} ExecuteError
 *
 * @param {(options?: import('isobox/execbox').IsolateExecutorOptions) => import('isobox/execbox').Executor} create
 */
function describeExecutorContract(create) {
  /** @type {import('isobox/execbox').Executor} */
  let executor;

  beforeAll(() => {
    executor = create();
  });

  afterAll(async () => {
    await executor.dispose?.();
  });

  /** @type {(code: string, providers?: Providers, options?: ExecutionOptions) => Promise<any>} */
  const valueOf = async (code, providers = [], options = undefined) => {
    const result = await executor.execute(code, providers, options);
    if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
    return result.result;
  };
  /** @type {(code: string, providers?: Providers, options?: ExecutionOptions) => Promise<ExecuteError>} */
  const errorOf = async (code, providers = [], options = undefined) => {
    const result = await executor.execute(code, providers, options);
    if (result.ok) throw new Error(`it gave ${JSON.stringify(result.result)}`);
    expect(CODES).toContain(result.error.code);
    return result.error;
  };

  describe('Inputs To The Runner', () => {
    test.each([
      ['an expression', '1 + 1', 2],
      ['statements that end in an expression', 'const a = 40; a + 2', 42],
      ['an explicit return', 'return 7', 7],
      ['top-level await', 'const v = await Promise.resolve(5); v * 2', 10],
      ['a lone arrow function', '() => 3', 3],
      ['a lone async arrow function', 'async () => { return 4 }', 4],
      ['a lone function in parentheses', '(async () => 4)', 4],
      ['a lone function declaration', 'function main() { return 6 }', 6],
      ['an object in parentheses', '({ a: 1 })', { a: 1 }],
      ['code in a fence', '```js\n1 + 2\n```', 3],
      ['nothing', '', undefined],
    ])('guest code may be %s', async (_name, code, value) => {
      expect(await valueOf(code)).toEqual(value);
    });

    test('limits of a call override those of the executor', async () => {
      const result = await executor.execute('console.log("12345"); console.log("6789")', [], {
        maxLogLines: 1,
        maxLogChars: 3,
      });
      expect(result.logs).toEqual(['123']);
    });

    test('a guest has nothing of the host', async () => {
      const names = ['process', 'require', 'module', 'Buffer', 'fetch', 'setTimeout', 'global'];
      const code = `(${JSON.stringify(names)}).map((name) => typeof globalThis[name])`;
      expect(await valueOf(code)).toEqual(names.map(() => 'undefined'));
    });

    test('nothing of one execution is there in the next', async () => {
      const code =
        'const was = globalThis.left; globalThis.left = 1; Object.prototype.left2 = 1; typeof was';
      expect(await valueOf(code)).toBe('undefined');
      expect(await valueOf(code)).toBe('undefined');
      expect(await valueOf('typeof ({}).left2')).toBe('undefined');
    });
  });

  describe('Guest Namespace Contract', () => {
    test('a provider is a plain object on the global, its tools own properties by safe name', async () => {
      const provider = resolveProvider({
        name: 'firecrawl',
        tools: { 'scrape-url': { execute: () => 'page' } },
      });
      const code = `[
        Object.getPrototypeOf(firecrawl) === Object.prototype,
        Object.hasOwn(globalThis, 'firecrawl'),
        Object.keys(firecrawl),
        typeof firecrawl.scrape_url,
        firecrawl.scrape_url() instanceof Promise,
        await firecrawl.scrape_url({}),
      ]`;
      expect(await valueOf(code, [provider])).toEqual([
        true,
        true,
        ['scrape_url'],
        'function',
        true,
        'page',
      ]);
    });

    test('there may be several providers', async () => {
      const providers = [toolsOf({ one: () => 1 }, 'a'), toolsOf({ one: () => 2 }, 'b')];
      expect(await valueOf('[await a.one(), await b.one()]', providers)).toEqual([1, 2]);
    });

    test('only the first argument travels', async () => {
      const inputs = [];
      await valueOf('await tools.f(1, 2, 3)', [toolsOf({ f: (input) => void inputs.push(input) })]);
      expect(inputs).toEqual([1]);
    });

    test('omitted input is undefined', async () => {
      const inputs = [];
      const f = (...args) => void inputs.push(args[0], args.length);
      await valueOf('await tools.f()', [toolsOf({ f })]);
      expect(inputs).toEqual([undefined, 2]);
    });

    test('a tool is told who calls it', async () => {
      let seen;
      const provider = resolveProvider({
        name: 'docs',
        tools: { 'search-docs': { execute: (_input, context) => void (seen = context) } },
      });
      await valueOf('await docs.search_docs({})', [provider]);
      expect(seen).toMatchObject({
        providerName: 'docs',
        safeToolName: 'search_docs',
        originalToolName: 'search-docs',
      });
      expect(typeof seen.signal.addEventListener).toBe('function');
    });
  });

  describe('Pause/Resume Semantics', () => {
    test('the guest goes on after the await with what the tool gave', async () => {
      const code = `
        let x = 1;
        const page = await tools.scrape({ url: 'u' });
        x += 1;
        ({ title: page.title ?? null, x })`;
      const scrape = async ({ url }) => ({ title: `of ${url}` });
      expect(await valueOf(code, [toolsOf({ scrape })])).toEqual({ title: 'of u', x: 2 });
    });

    test('calls may be answered in any order', async () => {
      let release;
      const first = new Promise((resolve) => (release = resolve));
      const tools = toolsOf({ slow: () => first, fast: () => release('slow') ?? 'fast' });
      const code = 'await Promise.all([tools.slow(), tools.fast()])';
      expect(await valueOf(code, [tools])).toEqual(['slow', 'fast']);
    });

    test('a hundred calls one after the other', async () => {
      const code = 'let n = 0; for (let i = 0; i < 100; i++) n = await tools.add(n); n';
      expect(await valueOf(code, [toolsOf({ add: (n) => n + 1 })])).toBe(100);
    });
  });

  describe('Tool Call Contract', () => {
    test('a failure rejects with an error that has the host’s message and code', async () => {
      const fail = () => {
        throw new Error('no such page');
      };
      const code = `
        try { await tools.fail() } catch (e) { return { is: e instanceof Error, message: e.message, code: e.code } }`;
      expect(await valueOf(code, [toolsOf({ fail })])).toEqual({
        is: true,
        message: 'no such page',
        code: 'tool_error',
      });
    });

    test('input that does not fit is a validation_error and never reaches the tool', async () => {
      let isCalled = false;
      const provider = resolveProvider({
        name: 'tools',
        tools: {
          add: {
            inputSchema: { type: 'object', required: ['x'], properties: { x: { type: 'number' } } },
            execute: () => void (isCalled = true),
          },
        },
      });
      expect(await errorOf('await tools.add({ x: "1" })', [provider])).toMatchObject({
        code: 'validation_error',
      });
      expect(isCalled).toBe(false);
    });

    test('output that does not fit is a validation_error', async () => {
      const provider = resolveProvider({
        name: 'tools',
        tools: { get: { outputSchema: { type: 'string' }, execute: () => 5 } },
      });
      expect((await errorOf('await tools.get()', [provider])).code).toBe('validation_error');
    });

    test.each(CODES)(
      'an ExecuteFailure of a tool with the code %s is seen with it',
      async (code) => {
        const fail = () => {
          throw new ExecuteFailure(code, 'mine');
        };
        expect(await errorOf('await tools.fail()', [toolsOf({ fail })])).toEqual({
          code,
          message: 'mine',
        });
      },
    );

    test.each([...CODES, 'ENOENT'])(
      'any other error with the code %s is tool_error',
      async (code) => {
        const fail = () => {
          throw Object.assign(new Error('mine'), { code });
        };
        const seen = { code: 'tool_error', message: 'mine' };
        expect(await errorOf('await tools.fail()', [toolsOf({ fail })])).toEqual(seen);
        const caught =
          'try { await tools.fail() } catch ({ code, message }) { return { code, message } }';
        expect(await valueOf(caught, [toolsOf({ fail })])).toEqual(seen);
      },
    );
  });

  describe('Serialization Contract', () => {
    test.each([
      ['undefined', undefined],
      ['null', null],
      ['"text \\ud83d\\ude00 \\u0000"', 'text 😀 \0'],
      ['true', true],
      ['1.5', 1.5],
      ['[1, [2, "3"], null]', [1, [2, '3'], null]],
      ['({ a: { b: [] }, "c d": 1 })', { a: { b: [] }, 'c d': 1 }],
      ['Object.create(null)', {}],
    ])('%s crosses as a result, an input and a tool result', async (code, value) => {
      const inputs = [];
      const echo = (input) => inputs.push(input) && value;
      const got = await valueOf(`[await tools.echo(${code}), ${code}]`, [toolsOf({ echo })]);
      const inArray = value === undefined ? null : value;
      expect(got).toEqual([inArray, inArray]);
      expect(inputs).toEqual([value]);
      expect(await valueOf(code)).toEqual(value);
    });

    const REFUSED = [
      ['a bigint', '1n', () => 1n],
      ['a function', '(function () {})', () => () => {}],
      ['a symbol', 'Symbol("s")', () => Symbol('s')],
      ['NaN', 'NaN', () => NaN],
      ['Infinity', '-Infinity', () => -Infinity],
      ['a Date', 'new Date()', () => new Date()],
      ['a Map', 'new Map()', () => new Map()],
      ['an error', 'new Error("e")', () => new Error('e')],
      ['an instance of a class', 'new (class A {})', () => new (class A {})()],
      ['a bigint inside', '({ a: [1n] })', () => ({ a: [1n] })],
      [
        'a cycle',
        '(() => { const a = {}; a.a = a; return a })()',
        () => {
          const a = {};
          a.a = a;
          return a;
        },
      ],
    ];

    test.each(REFUSED)('%s as a final result is a serialization_error', async (_name, code) => {
      expect((await errorOf(`const value = ${code}; value`)).code).toBe('serialization_error');
    });

    test.each(REFUSED)(
      '%s as input rejects in the guest and never reaches the host',
      async (_name, code) => {
        let isCalled = false;
        const tools = toolsOf({ f: () => void (isCalled = true) });
        const body = `try { await tools.f(${code}) } catch (e) { return e.code }`;
        expect(await valueOf(body, [tools])).toBe('serialization_error');
        expect((await errorOf(`await tools.f(${code})`, [tools])).code).toBe('serialization_error');
        expect(isCalled).toBe(false);
      },
    );

    test.each(REFUSED)(
      '%s as a tool result is a serialization_error',
      async (_name, _code, execute) => {
        const tools = [toolsOf({ f: execute })];
        expect((await errorOf('await tools.f()', tools)).code).toBe('serialization_error');
        expect(await valueOf('try { await tools.f() } catch (e) { return e.code }', tools)).toBe(
          'serialization_error',
        );
      },
    );

    test('keys of every name are data on both sides', async () => {
      const value = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2, "toString": 3}');
      const inputs = [];
      const tools = toolsOf({ echo: (input) => inputs.push(input) && value });
      const text = JSON.stringify(JSON.stringify(value));
      const code = `const r = await tools.echo(JSON.parse(${text})); ({ keys: Object.keys(r), p: ({}).polluted ?? null, r })`;
      const got = await valueOf(code, [tools]);
      expect(got.keys).toEqual(['__proto__', 'constructor', 'toString']);
      expect(got.p).toBeNull();
      expect(JSON.stringify(got.r)).toBe(JSON.stringify(value));
      expect(JSON.stringify(inputs[0])).toBe(JSON.stringify(value));
      expect({}.polluted).toBeUndefined();
    });
  });

  describe('Logs', () => {
    test('log, info, warn and error each append one line', async () => {
      const code = 'console.log("a"); console.info("b"); console.warn("c"); console.error("d"); 1';
      expect(await executor.execute(code, [])).toMatchObject({ logs: ['a', 'b', 'c', 'd'] });
    });

    test('a line is its arguments formatted and joined by spaces', async () => {
      const code =
        'const cycle = {}; cycle.a = cycle; console.log("x", 1, true, null, undefined, { a: [1] }, "y z"); console.log(); console.log(cycle)';
      const { logs } = await executor.execute(code, []);
      expect(logs).toEqual(['x 1 true null undefined {"a":[1]} y z', '', '[object Object]']);
    });

    test('logs are there when the execution fails', async () => {
      const thrown = await executor.execute('console.log("before"); throw new Error("x")', []);
      expect(thrown).toMatchObject({ ok: false, logs: ['before'] });
      const stopped = await executor.execute('console.log("before"); for (;;);', [], {
        timeoutMs: 500,
      });
      expect(stopped).toMatchObject({ ok: false, error: { code: 'timeout' }, logs: ['before'] });
    });
  });

  describe('Truncation', () => {
    const THREE = 'console.log("12345"); console.log("67890"); console.log("abc")';

    test.each([
      ['the earliest lines are kept', { maxLogLines: 2 }, ['12345', '67890']],
      ['characters count across lines', { maxLogChars: 11 }, ['12345', '67890', 'a']],
      [
        'a limit that is reached exactly drops what follows',
        { maxLogChars: 10 },
        ['12345', '67890'],
      ],
      ['the line in which the limit is reached is clipped', { maxLogChars: 7 }, ['12345', '67']],
      ['lines first, then characters', { maxLogLines: 1, maxLogChars: 8 }, ['12345']],
      ['no lines', { maxLogLines: 0 }, []],
      ['no characters', { maxLogChars: 0 }, []],
    ])('%s', async (_name, limits, logs) => {
      expect((await executor.execute(THREE, [], limits)).logs).toEqual(logs);
    });
  });

  describe('Final Result Contract', () => {
    test('success has a result, and failure an error', async () => {
      const success = await executor.execute('1', []);
      expect(Object.keys(success).sort()).toEqual(['durationMs', 'logs', 'ok', 'result']);
      const failure = await executor.execute('throw new Error("x")', []);
      expect(Object.keys(failure).sort()).toEqual(['durationMs', 'error', 'logs', 'ok']);
      expect(Object.keys(failure.error ?? {}).sort()).toEqual([
        ...['code', 'column', 'frame', 'line', 'message', 'name'],
      ]);
    });

    test('durationMs is the wall time of the run', async () => {
      const wait = () => sleep(60);
      const { durationMs } = await executor.execute('await tools.wait()', [toolsOf({ wait })]);
      expect(durationMs).toBeGreaterThan(50);
      expect(durationMs).toBeLessThan(3000);
    });

    test('misuse is a result too', async () => {
      /** @type {any} */
      const misused = executor;
      const results = await Promise.all([
        misused.execute(5, []),
        misused.execute('1', 'providers'),
        misused.execute('1', [{ name: 'x' }]),
        misused.execute('1', [{ name: 'x', tools: { f: { execute() {} } } }]),
        executor.execute('1', [toolsOf({}), toolsOf({})]),
        misused.execute('1', [], { timeout: 5 }),
        misused.execute('1', [], { timeoutMs: 'soon' }),
        misused.execute('1', [], { signal: 1 }),
      ]);
      for (const result of results) {
        expect(result).toMatchObject({ ok: false, error: { code: 'internal_error' }, logs: [] });
      }
    });
  });

  describe('Error Mapping Rules', () => {
    test('a guest error is a runtime_error with its message', async () => {
      expect(await errorOf('throw new TypeError("mine")')).toEqual({
        code: 'runtime_error',
        message: 'mine',
        name: 'TypeError',
        line: 1,
        column: expect.any(Number),
        frame: expect.stringContaining('> 1 | throw new TypeError("mine")\n'),
      });
      expect((await errorOf('null.x')).code).toBe('runtime_error');
      expect((await errorOf('const f = () => f() + 1; f()')).code).toBe('runtime_error');
    });

    test('what does not compile is a runtime_error that says where', async () => {
      const error = await errorOf('const a = 1;\nconst b = = 2;');
      expect(error.code).toBe('runtime_error');
      expect(error.message).toMatch(/\(2:11\)$/);
    });

    test.each([
      'throw new Error("The upstream service timed out")',
      'throw new Error("Execution timed out")',
      'throw Object.assign(new Error("out of memory"), { name: "InternalError", code: "memory_limit" })',
      'throw Object.assign(new Error("x"), { code: "tool_error", hostCode: "timeout", trusted: true })',
      'throw { code: "timeout", message: "Execution timed out" }',
      'throw "timeout"',
      'await Promise.reject({ ok: false, error: { code: "timeout", message: "" } })',
    ])('no thrown value becomes a trusted code: %s', async (code) => {
      expect((await errorOf(code)).code).toBe('runtime_error');
    });

    const fail = () => {
      throw new Error('from the host');
    };

    test('a host error that is caught and thrown again keeps its code', async () => {
      const code = 'try { await tools.fail() } catch (e) { throw e }';
      expect(await errorOf(code, [toolsOf({ fail })])).toEqual({
        code: 'tool_error',
        message: 'from the host',
      });
    });

    test('changing a host error changes neither its code nor its message', async () => {
      const code =
        'try { await tools.fail() } catch (e) { e.code = "timeout"; e.message = "forged"; throw e }';
      expect(await errorOf(code, [toolsOf({ fail })])).toEqual({
        code: 'tool_error',
        message: 'from the host',
      });
    });

    test.each([
      ['a wrapper', 'new Error("w", { cause: e })'],
      ['a copy', 'Object.assign(new Error(e.message), e, { code: e.code })'],
      ['an heir', 'Object.create(e)'],
      ['a proxy', 'new Proxy(e, {})'],
    ])('%s of a host error is the guest’s own', async (_name, thrown) => {
      const code = `try { await tools.fail() } catch (e) { throw ${thrown} }`;
      expect((await errorOf(code, [toolsOf({ fail })])).code).toBe('runtime_error');
    });

    test('too much memory is memory_limit', async () => {
      const code = 'const kept = []; for (;;) kept.push(new Array(1e5).fill(1.5))';
      expect((await errorOf(code, [], { memoryLimitBytes: 16 * 2 ** 20 })).code).toBe(
        'memory_limit',
      );
    });

    test('so are buffers, which are no heap', async () => {
      const code = 'new ArrayBuffer(2 ** 30).byteLength';
      expect((await errorOf(code, [], { memoryLimitBytes: 16 * 2 ** 20 })).code).toBe(
        'memory_limit',
      );
    });

    test('the next execution is as good as ever after each kind of failure', async () => {
      for (const code of ['throw 1', 'for (;;);', '1n', '???', 'await new Promise(() => {})']) {
        await errorOf(code, [], { timeoutMs: 50 });
        expect(await valueOf('1 + 1')).toBe(2);
      }
    });
  });

  describe('Cancellation And Transport Failure', () => {
    const TIMEOUT = { code: 'timeout', message: 'Execution timed out' };
    const LATE = { ...TIMEOUT, hint: expect.stringContaining('limit of 100 ms') };
    const ABORTED = { ...TIMEOUT, hint: expect.stringContaining('caller ended') };

    test.each([
      ['runs', 'for (;;) {}'],
      ['waits for nothing', 'await new Promise(() => {})'],
      ['waits for a tool', 'await tools.hang()'],
      ['runs in promises', 'const f = () => Promise.resolve().then(f); await f()'],
    ])('a guest that %s is stopped at the deadline', async (_name, code) => {
      const { seen, execute } = hangingTool();
      const elapsedMs = startStopwatch();
      const tools = [toolsOf({ hang: execute })];
      expect(await errorOf(code, tools, { timeoutMs: 100 })).toEqual(LATE);
      expect(elapsedMs()).toBeLessThan(3000);
      if (seen.isStarted) await until(() => seen.isAborted);
    });

    test('aborting ends a guest that runs', async () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      expect(await errorOf('for (;;) {}', [], { signal: controller.signal })).toEqual(ABORTED);
    });

    test('aborting ends a guest that waits for a tool, and tells the tool at once', async () => {
      const controller = new AbortController();
      const { seen, execute } = hangingTool();
      const running = executor.execute('await tools.hang({})', [toolsOf({ hang: execute })], {
        signal: controller.signal,
      });
      await until(() => seen.isStarted);
      const elapsedMs = startStopwatch();
      controller.abort();
      expect(seen.isAborted).toBe(true);
      expect(await running).toMatchObject({ ok: false, error: TIMEOUT });
      expect(elapsedMs()).toBeLessThan(1000);
    });

    test('a signal that has aborted already starts nothing', async () => {
      let isCalled = false;
      const tools = toolsOf({ f: () => void (isCalled = true) });
      const signal = AbortSignal.abort();
      expect(await errorOf('await tools.f()', [tools], { signal })).toEqual(ABORTED);
      expect(isCalled).toBe(false);
    });

    test('aborting after the end changes nothing', async () => {
      const controller = new AbortController();
      expect(await valueOf('1', [], { signal: controller.signal })).toBe(1);
      controller.abort();
      expect(await valueOf('2')).toBe(2);
    });

    test('a guest cannot catch its end', async () => {
      const code =
        'for (;;) { try { await tools.hang() } catch {} finally { await tools.hang() } }';
      const { execute } = hangingTool();
      expect(await errorOf(code, [toolsOf({ hang: execute })], { timeoutMs: 100 })).toEqual(LATE);
    });

    test('a tool that a finished guest did not wait for is told', async () => {
      const { seen, execute } = hangingTool();
      expect(
        await valueOf('void tools.hang(); await tools.other()', [
          toolsOf({ hang: execute, other: () => 1 }),
        ]),
      ).toBe(1);
      await until(() => seen.isAborted);
    });
  });

  describe('Execution Id And Message Correlation', () => {
    test('executions at once do not see each other', async () => {
      const results = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          valueOf('const a = await tools.get(); globalThis.x = a; (await tools.get()) + x', [
            toolsOf({ get: () => i }),
          ]),
        ),
      );
      expect(results).toEqual([0, 2, 4, 6, 8, 10]);
    });

    test('two calls of the same tool are told apart', async () => {
      const code = 'await Promise.all([1, 2, 3, 4].map((n) => tools.later(n)))';
      const later = async (n) => {
        for (let i = n; i < 5; i++) await null;
        return n * 10;
      };
      expect(await valueOf(code, [toolsOf({ later })])).toEqual([10, 20, 30, 40]);
    });
  });
}

module.exports = { describeExecutorContract, toolsOf };
