'use strict';

const { useRunCode } = require('./use-run-code.js');

const { runCode, runJs, errorOf, resultOf } = useRunCode();

class Opaque {}

const throws = () => {
  throw new Error('from a getter');
};

// In the order of the contract's checks.
const REFUSALS = [
  ['an unknown key', { timeout: 5 }, 'Unknown runCode option: timeout'],
  ['an unsupported language', { language: 'python' }, 'Unsupported runCode language: python'],
  ['execute null', { execute: null }, 'runCode execute must be an object'],
  ['execute that is a string', { execute: 'main' }, 'runCode execute must be an object'],
  ['execute that is an array', { execute: [] }, 'runCode execute must be an object'],
  ['fn empty', { execute: { fn: '' } }, 'runCode execute.fn must be a non-empty string'],
  ['fn not a string', { execute: { fn: 5 } }, 'runCode execute.fn must be a non-empty string'],
  ['fn null', { execute: { fn: null } }, 'runCode execute.fn must be a non-empty string'],
  ['args not an array', { execute: { args: { 0: 1 } } }, 'runCode execute.args must be an array'],
  [
    'args that cannot cross',
    { execute: { args: [new Opaque()] } },
    'SerializationError: value is not transferable',
  ],
  ...[0, -1, NaN, Infinity, '64', null].map((memoryLimitBytes) => [
    `a memory limit of ${memoryLimitBytes}`,
    { memoryLimitBytes },
    'memoryLimitBytes must be a positive finite number',
  ]),
  ...['./a', '../a', '/a', '', 'https://a.b/c.js', 'node:fs', 'data:text/javascript,1'].map(
    (key) => [
      `an import of '${key}'`,
      { imports: { [key]: {} } },
      `runCode imports only accept bare specifiers: ${key}`,
      key,
    ],
  ),
  ...[null, 5, 'x', () => {}].map((namespace) => [
    `an import namespace ${typeof namespace}`,
    { imports: { pkg: namespace } },
    'runCode import namespace must be an object: pkg',
    'pkg',
  ]),
  ['modules that are no object', { modules: 'x' }, 'runCode modules must be an object'],
  ['modules that are an array', { modules: [] }, 'runCode modules must be an object'],
  ...['a', '/a', 'https://a.b/c.js', ''].map((key) => [
    `a module at '${key}'`,
    { modules: { [key]: '' } },
    `runCode modules only accept relative specifiers: ${key}`,
    key,
  ]),
  [
    'a module source that is no string',
    { modules: { './a': 5 } },
    'runCode module source must be a string: ./a',
    './a',
  ],
  [
    'a module path above the root',
    { modules: { './a/../../b': '' } },
    'runCode module path cannot escape the module graph: ./a/../../b',
    './a/../../b',
  ],
  [
    'a module path that is the root',
    { modules: { './a/..': '' } },
    'runCode module path cannot resolve to the module graph root: ./a/..',
    './a/..',
  ],
  [
    'two sources for one path',
    { modules: { './a.js': '', './b/../a.js': '' } },
    'runCode modules give one path twice: ./b/../a.js',
    './b/../a.js',
  ],
  ['globals that are no object', { globals: 5 }, 'runCode globals must be an object'],
  ['globals that are an array', { globals: [] }, 'runCode globals must be an object'],
  ...['a-b', '1a', '', 'class', 'await', 'undefined', 'eval', 'arguments', 'let'].map((name) => [
    `a global '${name}'`,
    { globals: { [name]: 1 } },
    `runCode globals cannot bind the name: ${name}`,
  ]),
  ['a report that is no function', { report: 5 }, 'runCode report must be a function'],
  [
    'report given twice',
    { report() {}, globals: { report: 1 } },
    'runCode report and globals.report are one name: give only one',
  ],
  ['a filename that is no string', { filename: 5 }, 'runCode filename must be a string'],
  [
    'a filename above the root',
    { filename: '../main.ts' },
    'runCode module path cannot escape the module graph: ../main.ts',
    '../main.ts',
  ],
];

const ROWS = REFUSALS.map(([what, options, message, specifier]) => ({
  what,
  options,
  message,
  specifier,
}));

test.each(ROWS)('$what is refused', async ({ options, message, specifier }) => {
  const handle = runJs('export default 1', options);
  expect(handle.running).toBe(false);
  const result = await handle;
  expect(result).toEqual({
    status: 'link_error',
    error: {
      name: 'InvalidCodeExecutionOptions',
      message,
      stack: expect.stringContaining(`InvalidCodeExecutionOptions: ${message}`),
      ...(specifier !== undefined && { specifier }),
    },
    reports: [],
    logs: [],
    durationMs: expect.any(Number),
  });
  handle.terminate('late');
  expect((await handle).status).toBe('link_error');
});

test('checks come in the order of the contract: an earlier fault hides every later one', async () => {
  // One fault per step of the order, each under its own key.
  const steps = [
    [{ oops: 1 }, 'Unknown runCode option: oops'],
    [{ language: 'x' }, 'Unsupported runCode language: x'],
    [{ execute: { fn: '', args: 5 } }, 'runCode execute.fn must be a non-empty string'],
    [{ memoryLimitBytes: 0 }, 'memoryLimitBytes must be a positive finite number'],
    [{ imports: { './x': {} } }, 'runCode imports only accept bare specifiers: ./x'],
    [{ modules: { x: '' } }, 'runCode modules only accept relative specifiers: x'],
    [{ globals: 5 }, 'runCode globals must be an object'],
  ];
  for (let first = 0; first < steps.length; first++) {
    // Later keys are written first, so that the order of keys is not what decides.
    const options = Object.assign(
      {},
      ...steps
        .slice(first)
        .reverse()
        .map(([fault]) => fault),
    );
    const { error } = await runCode('export default 1', options);
    expect(error.message).toBe(steps[first][1]);
  }
});

test('arguments that cannot cross come before a bad memory limit and behind a bad args', async () => {
  const { message } = await errorOf('', { execute: { args: [Symbol('x')] }, memoryLimitBytes: 0 });
  expect(message).toBe('SerializationError: value is not transferable');
  const fine = await errorOf('', { execute: { args: [{ fine: 1 }] }, memoryLimitBytes: 0 });
  expect(fine.message).toBe('memoryLimitBytes must be a positive finite number');
});

test('the stack of a refused argument says where it is', async () => {
  const { stack } = await errorOf('', { execute: { args: [1, { user: new Opaque() }] } });
  expect(stack).toContain('execute.args[1].user');
});

test.each([
  ['globals', { globals: { a: { b: [Symbol('x')] } } }, "global 'a': value.b[0]"],
  ['imports', { imports: { pkg: { a: new Opaque() } } }, "export 'a' of 'pkg'"],
])('values in %s that cannot cross are refused and named', async (_where, options, place) => {
  const { status, name, message } = await errorOf('export default 1', options);
  expect({ status, name }).toEqual({ status: 'link_error', name: 'InvalidCodeExecutionOptions' });
  expect(message).toContain('SerializationError: value is not transferable');
  expect(message).toContain(place);
});

test.each([undefined, null, {}])('options %p are no options', async (options) => {
  expect(await runCode('export default 1', options)).toMatchObject({
    status: 'success',
    result: 1,
  });
});

test.each(['language', 'imports', 'modules', 'globals', 'filename'])(
  'a falsy %s counts as absent',
  async (key) => {
    for (const value of [undefined, null, '']) {
      expect(await runCode('export default 1', { [key]: value })).toMatchObject({ result: 1 });
    }
  },
);

test.each([5, 'x', [], () => {}, Symbol('x')])('options %p are refused', async (options) => {
  const { status, error } = await runCode('export default 1', options);
  expect({ status, ...error }).toMatchObject({
    status: 'link_error',
    message: 'runCode options must be an object',
  });
});

test.each([undefined, null, 5, {}, Symbol('x'), ['export default 1']])(
  'a source %p is refused',
  async (source) => {
    const { status, error } = await runCode(source);
    expect({ status, ...error }).toMatchObject({
      status: 'link_error',
      name: 'InvalidCodeExecutionOptions',
      message: 'runCode source must be a string',
    });
  },
);

test('an empty source is a module without exports', async () => {
  expect(await errorOf('')).toMatchObject({ status: 'link_error', name: 'MissingExportError' });
});

// Behind a function: test runners look into what stands in their tables.
const hostile = () =>
  new Proxy(
    {},
    {
      get: throws,
      ownKeys: throws,
      getPrototypeOf: throws,
      has: throws,
      getOwnPropertyDescriptor: throws,
    },
  );

const getting = (key, get = throws) => Object.defineProperty({}, key, { get, enumerable: true });

const throwing = (value) => () => {
  throw value;
};

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const HOSTILE = {
  'options that are a hostile proxy': () => hostile(),
  'options that are a revoked proxy': () => revoked(),
  'a getter among the options': () => getting('globals'),
  'a getter in execute': () => ({ execute: getting('fn') }),
  'a getter among the globals': () => ({ globals: getting('a') }),
  'a getter deep in the globals': () => ({ globals: { a: { b: [getting('c')] } } }),
  'a getter in a namespace': () => ({ imports: { pkg: getting('a') } }),
  'a hostile proxy as a namespace': () => ({ imports: { pkg: hostile() } }),
  'a hostile proxy as a global': () => ({ globals: { a: hostile() } }),
  'a hostile proxy as an argument': () => ({ execute: { args: [hostile()] } }),
  'a hostile proxy as a language': () => ({ language: hostile() }),
  'a hostile proxy as execute': () => ({ execute: hostile() }),
  'a hostile proxy as modules': () => ({ modules: hostile() }),
  'a hostile proxy as a module': () => ({ modules: { './a': hostile() } }),
  'a getter that throws a hostile proxy': () => ({
    globals: { a: getting('b', throwing(hostile())) },
  }),
  'a getter that throws null': () => ({ globals: getting('a', throwing(null)) }),
};

test.each(Object.keys(HOSTILE))('%s is a link_error, never a throw or rejection', async (what) => {
  let handle;
  expect(() => (handle = runCode('export default 1', HOSTILE[what]()))).not.toThrow();
  const { status, error } = await handle.then(
    (result) => result,
    () => ({ status: 'rejected', error: {} }),
  );
  expect({ status, name: error.name }).toEqual({
    status: 'link_error',
    name: 'InvalidCodeExecutionOptions',
  });
});

test('terminate takes any reason', async () => {
  const reasons = [undefined, null, '', 'why', 5, {}, new Error('e'), Symbol('x'), hostile()];
  for (const reason of reasons) {
    const handle = runJs('for (;;);');
    expect(() => handle.terminate(reason)).not.toThrow();
    const { status, error } = await handle;
    expect(status).toBe('terminated');
    expect(error.message.length).toBeGreaterThan(0);
  }
});

test('options are read once: what the caller changes afterwards changes nothing', async () => {
  /** @type {any[]} */
  const args = [{ n: 1 }];
  const globals = { g: [1] };
  const modules = { './m.js': 'export default "m"' };
  const options = /** @type {any} */ ({ execute: { args }, globals, modules });
  const handle = runJs('import m from "./m.js"; export default (a) => [a, g, m]', options);
  args[0].n = 2;
  args.push(3);
  globals.g.push(2);
  modules['./m.js'] = 'broken(';
  options.execute = null;
  expect((await handle).result).toEqual([{ n: 1 }, [1], 'm']);
});

test('names that only look reserved can be bound', async () => {
  const names = [
    'async',
    'of',
    'get',
    'globalThis',
    'Function',
    'AsyncFunction',
    'fetch',
    '$',
    'ünïcode',
  ];
  const globals = Object.fromEntries(names.map((name) => [name, `my ${name}`]));
  const source = `export default [${names.join()}]`;
  expect(await resultOf(source, { globals })).toEqual(names.map((name) => `my ${name}`));
});
