'use strict';

const { ExecuteFailure, isExecuteFailure, resolveProvider } = require('../../lib/execbox/index.js');
const { assignSafeNames } = require('../../lib/execbox/safe-names.js');

const contextOf = (name = 'tool') => ({
  signal: new AbortController().signal,
  providerName: 'codemode',
  safeToolName: name,
  originalToolName: name,
});
const named = (...names) =>
  resolveProvider({
    tools: Object.fromEntries(names.map((name) => [name, { execute: () => name }])),
  });

test('the namespace is codemode unless it has a name', () => {
  expect(named('a').name).toBe('codemode');
  expect(resolveProvider({ name: 'mcp', tools: {} }).name).toBe('mcp');
});

test('the resolved shape', () => {
  const provider = resolveProvider({
    name: 'docs',
    tools: {
      'search-docs': { description: 'Finds.', inputSchema: { type: 'object' }, execute: () => 1 },
      plain: { execute: () => 2 },
    },
  });
  const execute = expect.any(Function);
  expect(provider).toEqual({
    name: 'docs',
    tools: {
      search_docs: {
        safeName: 'search_docs',
        originalName: 'search-docs',
        description: 'Finds.',
        inputSchema: { type: 'object' },
        execute,
      },
      plain: { safeName: 'plain', originalName: 'plain', execute },
    },
    originalToSafeName: { 'search-docs': 'search_docs', plain: 'plain' },
    safeToOriginalName: { search_docs: 'search-docs', plain: 'plain' },
    types: expect.stringContaining('declare namespace docs'),
  });
});

test.each([
  ['search-docs', 'search_docs'],
  ['my-tool.with spaces', 'my_tool_with_spaces'],
  ['1tool', '_1tool'],
  ['3d.render', '_3d_render'],
  ['default', 'default_'],
  ['delete', 'delete_'],
  ['await', 'await_'],
  ['', '_'],
  ['---', '_'],
  ['--x--', 'x'],
  ['__proto__', 'proto'],
  ['$get', '$get'],
  ['größe', 'gr_e'],
  ['日本', '_'],
  ['constructor', 'constructor'],
])('the safe name of %j is %s', async (name, safe) => {
  const { tools, originalToSafeName, safeToOriginalName } = named(name);
  expect(Object.keys(tools)).toEqual([safe]);
  expect(Object.entries(originalToSafeName)).toEqual([[name, safe]]);
  expect(Object.entries(safeToOriginalName)).toEqual([[safe, name]]);
  expect(await tools[safe].execute({}, contextOf())).toBe(name);
});

test('names that collide are numbered in their order', () => {
  const { originalToSafeName } = named(
    'search-docs',
    'search_docs',
    'search.docs',
    'search_docs__2',
  );
  expect(originalToSafeName).toEqual({
    'search-docs': 'search_docs',
    search_docs: 'search_docs__2',
    'search.docs': 'search_docs__3',
    search_docs__2: 'search_docs__2__2',
  });
});

test('ten thousand names that collide are numbered in no time', () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `a${'-'.repeat(i + 1)}b`);
  const start = process.cpuUsage();
  expect(assignSafeNames(names).get(String(names.at(-1)))).toBe('a_b__10000');
  const { user } = process.cpuUsage(start);
  expect(user / 1000).toBeLessThan(500);
});

test.each(['bad-name', '', '1a', 'a b', 'default', 'class', 'undefined', 'globalThis', 'let', 5])(
  'a namespace cannot be called %j',
  (/** @type {any} */ name) => {
    expect(() => resolveProvider({ name, tools: {} })).toThrow(/Invalid provider namespace/);
  },
);

test.each([
  ['no provider', undefined],
  ['no tools', { name: 'x' }],
  ['a misspelt option', { name: 'x', tools: {}, type: '' }],
  ['types that are no text', { tools: {}, types: {} }],
  ['a tool that is no object', { tools: { a: () => 1 } }],
  ['a tool without execute', { tools: { a: { description: 'x' } } }],
  ['a description that is no text', { tools: { a: { description: 5, execute() {} } } }],
])('%s is a TypeError', (_name, /** @type {any} */ provider) => {
  expect(() => resolveProvider(provider)).toThrow(TypeError);
});

test('tools are called as methods, with input and context', async () => {
  const tool = {
    secret: 5,
    execute(input, context) {
      return [this.secret, input, context];
    },
  };
  const { tools } = resolveProvider({ tools: { tool } });
  const context = contextOf();
  expect(await tools.tool.execute({ a: 1 }, context)).toEqual([5, { a: 1 }, context]);
});

test('what a tool throws is a tool_error with its message', async () => {
  const thrower = (thrown) => ({
    execute() {
      throw thrown;
    },
  });
  const { tools } = resolveProvider({
    tools: {
      error: thrower(new Error('boom')),
      text: thrower('plain'),
      nothing: thrower(undefined),
      hostile: thrower({
        get message() {
          throw new Error('no');
        },
        toString: null,
        valueOf: null,
      }),
      rejection: { execute: () => Promise.reject(new Error('later')) },
      coded: thrower(Object.assign(new Error('disk'), { code: 'ENOENT' })),
      stable: thrower(new ExecuteFailure('memory_limit', 'mine')),
    },
  });
  const failureOf = (name) => tools[name].execute({}, contextOf()).catch((error) => error);
  expect(await failureOf('error')).toMatchObject({ code: 'tool_error', message: 'boom' });
  expect(await failureOf('text')).toMatchObject({ code: 'tool_error', message: 'plain' });
  expect(await failureOf('nothing')).toMatchObject({ code: 'tool_error', message: 'undefined' });
  expect(await failureOf('hostile')).toMatchObject({
    code: 'tool_error',
    message: '[object]',
  });
  expect(await failureOf('rejection')).toMatchObject({ code: 'tool_error', message: 'later' });
  expect(await failureOf('coded')).toMatchObject({ code: 'tool_error', message: 'disk' });
  expect(await failureOf('stable')).toMatchObject({ code: 'memory_limit', message: 'mine' });
  expect(isExecuteFailure(await failureOf('error'))).toBe(true);
});

/** The class of another copy of the package, and of execbox. */
class Theirs extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'ExecuteFailure';
    this.code = code;
  }
}

test('failures are known by their class, whichever copy of the library made it', () => {
  expect(isExecuteFailure(new ExecuteFailure('timeout', 'x'))).toBe(true);
  expect(isExecuteFailure(new Theirs('timeout', 'x'))).toBe(true);
  expect(isExecuteFailure(new Theirs('ENOENT', 'x'))).toBe(false);
  expect(isExecuteFailure(Object.assign(new Error('x'), { code: 'timeout' }))).toBe(false);
  expect(isExecuteFailure({ name: 'ExecuteFailure', code: 'timeout', message: '' })).toBe(false);
  const hostile = new Proxy(new Error('x'), {
    getPrototypeOf() {
      throw new Error('no');
    },
  });
  for (const value of [null, undefined, 'timeout', hostile]) {
    expect(isExecuteFailure(value)).toBe(false);
  }
});

test('a call without input gives a tool an empty object, where its schema takes one', async () => {
  const execute = (input) => input;
  const { tools } = resolveProvider({
    tools: {
      optional: { inputSchema: { type: 'object', properties: { a: {} } }, execute },
      required: { inputSchema: { type: 'object', required: ['a'] }, execute },
      untyped: { execute },
    },
  });
  const context = /** @type {any} */ ({ signal: new AbortController().signal });
  expect(await tools.optional.execute(undefined, context)).toEqual({});
  expect(await tools.untyped.execute(undefined, context)).toBe(undefined);
  await expect(tools.required.execute(undefined, context)).rejects.toThrow(/input must be object/);
});
