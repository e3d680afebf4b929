'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf, errorOf, run } = usePool();

describe('globals', () => {
  test('are properties of the global object', async () => {
    const source = `
      const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(globalThis, 'given');
      return [given, globalThis.given, Object.keys(globalThis).includes('given'), writable, enumerable, configurable]`;
    const value = await valueOf({ source, globals: { given: { a: [1] } } });
    expect(value).toEqual([{ a: [1] }, { a: [1] }, true, true, true, true]);
  });

  test('may replace intrinsics', async () => {
    const globals = { Math: { mine: 1 }, fetch: () => 'fetched' };
    expect(await valueOf({ source: 'return [Math.mine, await fetch()]', globals })).toEqual([
      1,
      'fetched',
    ]);
  });

  test.each(['undefined', 'NaN', 'Infinity'])('%s cannot be one', (name) => {
    expect(() => run({ source: '', globals: { [name]: 1 } })).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(name) }),
    );
  });
});

describe('bindings', () => {
  const bindings = { plain: 1, nested: { list: [1, { deep: true }] } };

  test.each(
    /** @type {const} */ ([
      ['function', 'return [plain, nested]'],
      ['script', '[plain, nested]'],
      ['module', 'export default [plain, nested]'],
    ]),
  )('are visible by name in a %s', async (kind, source) => {
    expect(await valueOf({ kind, source, bindings })).toEqual([1, bindings.nested]);
  });

  test('are not on the global object, in any way', async () => {
    const source = `
      const seen = [];
      for (const key in globalThis) seen.push(key);
      return [
        'plain' in globalThis, globalThis.plain === undefined, Object.hasOwn(globalThis, 'plain'),
        Reflect.ownKeys(globalThis).includes('plain'), Object.keys(globalThis).includes('plain'), seen.includes('plain'),
      ]`;
    expect(await valueOf({ source, bindings })).toEqual([false, true, false, false, false, false]);
  });

  test('are constants', async () => {
    const source = 'try { plain = 2 } catch (e) { return [e.name, plain] }';
    expect(await valueOf({ source, bindings })).toEqual(['TypeError', 1]);
  });

  test('may be shadowed by a module, each for itself', async () => {
    const source = `
      import { theirs } from './other.js';
      const plain = 'mine';
      export default [plain, theirs]`;
    const module = { sources: { 'other.js': 'export const theirs = plain' } };
    expect(await valueOf({ kind: 'module', source, module, bindings })).toEqual(['mine', 1]);
  });

  test('may be shadowed by an import, a function and a class of a module', async () => {
    const source = `
      import plain from './other.js';
      function nested() { return 'function' }
      class third {}
      export default [plain, nested(), typeof third]`;
    const module = { sources: { 'other.js': 'export default "import"' } };
    const value = await valueOf({
      kind: 'module',
      source,
      module,
      bindings: { ...bindings, third: 3 },
    });
    expect(value).toEqual(['import', 'function', 'function']);
  });

  test('may be shadowed by a function body', async () => {
    expect(await valueOf({ source: 'const plain = 2; return plain', bindings })).toBe(2);
  });

  test('cannot be declared again by a script', async () => {
    const error = await errorOf({ kind: 'script', source: 'let plain = 2', bindings });
    expect(error).toMatchObject({ name: 'SyntaxError', line: 1 });
  });

  test('are seen by modules that are imported later', async () => {
    const source = 'export default (await import("./other.js")).default';
    const module = { sources: { 'other.js': 'export default plain + 1' } };
    expect(await valueOf({ kind: 'module', source, module, bindings })).toBe(2);
  });

  test('may have the name of an intrinsic, which stays on the global object', async () => {
    const source = 'return [Math, typeof globalThis.Math, Promise]';
    expect(await valueOf({ source, bindings: { Math: 1, Promise: 2 } })).toEqual([1, 'object', 2]);
  });

  test('may have the name of a global', async () => {
    const source = 'return [both, globalThis.both]';
    expect(await valueOf({ source, bindings: { both: 1 }, globals: { both: 2 } })).toEqual([1, 2]);
  });

  test.each([
    '$',
    '_',
    'π',
    'ünïcödé',
    'of',
    'async',
    'get',
    '__proto__',
    'constructor',
    '__isobox_bindings__',
  ])('%s is a name for one', async (name) => {
    const given = Object.fromEntries([[name, 7]]);
    expect(await valueOf({ source: `return ${name}`, bindings: given })).toBe(7);
  });

  test.each([
    '',
    '1a',
    'a-b',
    'a b',
    'await',
    'let',
    'class',
    'this',
    'undefined',
    'eval',
    'arguments',
    'a;b',
    'a=1,b',
  ])('%j is not', (name) => {
    expect(() => run({ source: '', bindings: { [name]: 1 } })).toThrow(TypeError);
  });

  test('are many without trouble', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`name${i}`, i]));
    expect(await valueOf({ source: 'return name0 + name250 + name499', bindings: many })).toBe(749);
  });
});

describe.each(['globals', 'bindings'])('functions in %s', (where) => {
  test('become functions of the guest that call the host', async () => {
    const add = jest.fn(({ a, b }) => a + b);
    const source = 'return [typeof add, add instanceof Function, await add({ a: 40, b: 2 })]';
    expect(await valueOf({ source, [where]: { add } })).toEqual(['function', true, 42]);
    expect(add).toHaveBeenCalledTimes(1);
  });

  test('may stand anywhere in a value', async () => {
    const api = { math: [{ double: (x) => x * 2 }] };
    expect(await valueOf({ source: 'return await api.math[0].double(4)', [where]: { api } })).toBe(
      8,
    );
  });
});

test.each(
  /** @type {const} */ ([
    ['globals', 'clone'],
    ['bindings', 'clone'],
    ['globals', 'json'],
    ['bindings', 'json'],
  ]),
)(
  '%s may be anything that structured clone knows, also where values cross as %s',
  async (where, values) => {
    const given = {
      map: new Map([[1, { a: 1n }]]),
      date: new Date(5),
      bytes: new Uint8Array([1, 2]),
      none: undefined,
    };
    const source = `
    return [given.map.get(1).a === 1n, given.date instanceof Date, given.date.getTime(), [...given.bytes], 'none' in given]`;
    expect(await valueOf({ source, values, [where]: { given } })).toEqual([
      true,
      true,
      5,
      [1, 2],
      true,
    ]);
  },
);

test.each(['globals', 'bindings'])(
  'what cannot cross in %s is a TypeError that names it',
  (where) => {
    const given = { deep: [1, { instance: new (class Mine {})() }] };
    expect(() => run({ source: '', [where]: { given } })).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        code: 'ERR_ISOBOX_NOT_TRANSFERABLE',
        message: expect.stringMatching(/'given'.*\.deep\[1\]\.instance/),
      }),
    );
  },
);

test('a getter of the host that throws is the error of run', () => {
  const given = {
    get bad() {
      throw new RangeError('mine');
    },
  };
  expect(() => run({ source: '', globals: { given } })).toThrow(RangeError);
});
