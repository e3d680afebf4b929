'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf, errorOf } = usePool();

const evaluate = (source, sources = {}, request = {}) =>
  valueOf({ kind: 'module', source, module: { sources }, ...request });

test('each module is evaluated once, dependencies first, in the order of imports', async () => {
  const log = (name, imports = '') => `${imports} order.push('${name}')`;
  const value = await evaluate(
    'import { order } from "./order.js"; import "./a.js"; import "./b.js"; order.push("entry"); export default order',
    {
      'order.js': 'export const order = []',
      'a.js': log('a', 'import "./shared.js"; import { order } from "./order.js";'),
      'b.js': log('b', 'import "./shared.js"; import { order } from "./order.js";'),
      'shared.js': log('shared', 'import { order } from "./order.js";'),
    },
  );
  expect(value).toEqual(['shared', 'a', 'b', 'entry']);
});

test('bindings are live', async () => {
  const value = await evaluate(
    'import { n, increment } from "./n.js"; increment(); increment(); export default n',
    {
      'n.js': 'export let n = 0; export const increment = () => { n++ }',
    },
  );
  expect(value).toBe(2);
});

test('imports cannot be assigned to', async () => {
  const error = await errorOf({
    kind: 'module',
    source: 'import { n } from "./n.js"; n = 2; export default n',
    module: { sources: { 'n.js': 'export let n = 1' } },
  });
  expect(error).toMatchObject({ cause: 'guest_error', name: 'TypeError' });
});

test('exports may be renamed, passed on and gathered', async () => {
  const value = await evaluate(
    'import main, { renamed, star, ns, "any string" as any } from "./index.js"; export default [main, renamed, star, ns.deep, any]',
    {
      'index.js': `
        export { default } from './a.js';
        export { a as renamed, a as 'any string' } from './a.js';
        export * from './b.js';
        export * as ns from './c.js'`,
      'a.js': 'export default "main"; export const a = "a"',
      'b.js': 'export const star = "star"; export default "not passed on"',
      'c.js': 'export const deep = "deep"',
    },
  );
  expect(value).toEqual(['main', 'a', 'star', 'deep', 'a']);
});

describe('cycles', () => {
  test('work for functions and for what is read later', async () => {
    const value = await evaluate(
      'import { isEven } from "./even.js"; export default [isEven(10), isEven(7)]',
      {
        'even.js':
          'import { isOdd } from "./odd.js"; export const isEven = (n) => n === 0 || isOdd(n - 1)',
        'odd.js':
          'import { isEven } from "./even.js"; export const isOdd = (n) => n !== 0 && isEven(n - 1)',
      },
    );
    expect(value).toEqual([true, false]);
  });

  test('that read too early are a guest error', async () => {
    const error = await errorOf({
      kind: 'module',
      source: 'import "./a.js"; export default 1',
      module: {
        sources: {
          'a.js': 'import { b } from "./b.js"; export const a = b',
          'b.js': 'import { a } from "./a.js"; export const b = a',
        },
      },
    });
    expect(error).toMatchObject({
      cause: 'guest_error',
      name: 'ReferenceError',
      filename: 'b.js',
      line: 1,
    });
  });

  test('of a module with itself work', async () => {
    const value = await evaluate('import { check } from "./self.js"; export default check()', {
      'self.js':
        'import * as self from "./self.js"; export const check = () => self.check === check',
    });
    expect(value).toBe(true);
  });
});

describe('top-level await', () => {
  test('in a dependency holds up those that import it, and not its siblings', async () => {
    const value = await evaluate(
      'import { order } from "./order.js"; import slow from "./slow.js"; import "./quick.js"; export default [slow, ...order]',
      {
        'order.js': 'export const order = []',
        'slow.js':
          'import { order } from "./order.js"; await null; await null; order.push("slow"); export default 1',
        'quick.js': 'import { order } from "./order.js"; order.push("quick")',
      },
    );
    expect(value).toEqual([1, 'quick', 'slow']);
  });

  test('may wait for the host', async () => {
    const namespaces = { host: { fetch: async (key) => `value of ${key}` } };
    const sources = { 'config.js': 'export default await host.fetch("config")' };
    const source = 'import config from "./config.js"; export default config';
    expect(await evaluate(source, sources, { namespaces })).toBe('value of config');
  });

  test('that rejects is a guest error', async () => {
    const error = await errorOf({
      kind: 'module',
      source: 'import "./a.js"; export default 1',
      module: { sources: { 'a.js': '\nawait Promise.reject(new RangeError("awaited"))' } },
    });
    expect(error).toMatchObject({
      cause: 'guest_error',
      name: 'RangeError',
      filename: 'a.js',
      line: 2,
    });
  });

  test('that never settles waits until the deadline', async () => {
    const source = 'await new Promise(() => {}); export default 1';
    const error = await errorOf({ kind: 'module', source, limits: { wallMs: 100 } });
    expect(error).toMatchObject({ cause: 'deadline' });
  });
});

describe('dynamic import', () => {
  test('gives the namespace of the module', async () => {
    const source =
      'const ns = await import("./a.js"); export default [ns.default, ns.a, Object.keys(ns)]';
    const value = await evaluate(source, { 'a.js': 'export default 1; export const a = 2' });
    expect(value).toEqual([1, 2, ['a', 'default']]);
  });

  test('gives the same module as the static one, evaluated once', async () => {
    const source = `
      import * as first from './a.js';
      const [second, third] = await Promise.all([import('./a.js'), import('./a.js')]);
      export default [first === second && second === third, first.count]`;
    expect(
      await evaluate(source, {
        'a.js': 'globalThis.n = (globalThis.n ?? 0) + 1; export const count = n',
      }),
    ).toEqual([true, 1]);
  });

  test('waits for top-level await in what it imports', async () => {
    const source = 'export default (await import("./a.js")).default';
    const sources = {
      'a.js': 'import b from "./b.js"; export default b + await Promise.resolve(1)',
      'b.js': 'export default await Promise.resolve(41)',
    };
    expect(await evaluate(source, sources)).toBe(42);
  });

  test('works in functions that run later, from where they were written', async () => {
    const source =
      'import { load } from "./lib/load.js"; export default async () => (await load("./data.js")).default';
    const value = await evaluate(source, {
      'lib/load.js': 'export const load = (path) => import(path)',
      'lib/data.js': 'export default "lib"',
      'data.js': 'export default "root"',
    });
    expect(value).toBe('lib');
  });

  test('converts its specifier to a string', async () => {
    const source = 'export default (await import({ toString: () => "./a.js" })).default';
    expect(await evaluate(source, { 'a.js': 'export default 1' })).toBe(1);
  });

  test('is not there for function bodies and scripts', async () => {
    const source = 'import("./a.js").then(() => "imported", (e) => e instanceof Error)';
    expect(await valueOf({ source: `return ${source}` })).toBe(true);
    expect(await valueOf({ kind: 'script', source })).toBe(true);
  });
});

describe('JSON modules', () => {
  test('have their value as the default export, and no other', async () => {
    const source =
      'import * as ns from "./data.json"; export default [ns.default, Object.keys(ns)]';
    const data = { a: [1, null, 'x'], b: { c: true } };
    expect(await evaluate(source, { 'data.json': JSON.stringify(data) })).toEqual([
      data,
      ['default'],
    ]);
  });

  test('take the attribute that says so, static and dynamic', async () => {
    const source = `
      import a from './data.json' with { type: 'json' };
      const { default: b } = await import('./data.json', { with: { type: 'json' } });
      export default [a, a === b]`;
    expect(await evaluate(source, { 'data.json': '[1]' })).toEqual([[1], true]);
  });

  test.each(['1', '"text"', 'null', 'true', '[]', ' {"a": 1} '])('may hold %s', async (text) => {
    const source = 'import data from "./data.json"; export default JSON.stringify(data)';
    expect(await evaluate(source, { 'data.json': text })).toBe(JSON.stringify(JSON.parse(text)));
  });

  test('make objects of the guest, in which __proto__ is a key', async () => {
    const source = `
      import data from './data.json';
      export default [Object.getPrototypeOf(data) === Object.prototype, Object.keys(data), data.polluted === undefined]`;
    const value = await evaluate(source, { 'data.json': '{"__proto__": {"polluted": true}}' });
    expect(value).toEqual([true, ['__proto__'], true]);
  });

  test('are not run as code', async () => {
    const source = 'import data from "./data.json"; export default typeof globalThis.ran';
    expect(await evaluate(source, { 'data.json': '[1]' })).toBe('undefined');
  });
});

describe('import.meta', () => {
  test('has the url of its module and nothing else', async () => {
    const source = `
      import dep from './lib/dep.js';
      export default [import.meta.url, dep, Object.keys(import.meta), Object.getPrototypeOf(import.meta)]`;
    const value = await valueOf({
      kind: 'module',
      source,
      filename: 'src/entry.js',
      module: {
        metaUrlPrefix: 'sandbox:',
        sources: { 'lib/dep.js': 'export default import.meta.url' },
      },
    });
    expect(value).toEqual(['sandbox:src/entry.js', 'sandbox:lib/dep.js', ['url'], null]);
  });

  test('has a url without any setting', async () => {
    expect(await evaluate('export default import.meta.url')).toBe('isobox:<guest>');
  });
});
