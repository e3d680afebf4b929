'use strict';

const { differenceBetween } = require('../support/difference.js');
const { usePool } = require('../support/pools.js');

const { valueOf, errorOf, run } = usePool();

const withImports = (source, imports, request = {}) =>
  valueOf({ kind: 'module', source, module: { imports }, values: 'clone', ...request });

describe('a module of host values', () => {
  test('has an export for each own key, and the default one', async () => {
    const source =
      'import main, { a, "b-c" as b, "😀" as c } from "host"; export default [main, a, b, c]';
    const host = { default: 'main', a: 1, 'b-c': 2, '😀': 3 };
    expect(await withImports(source, { host })).toEqual(['main', 1, 2, 3]);
  });

  test('has a frozen namespace without a prototype', async () => {
    const source = `
      import * as ns from 'host';
      const errorOf = (f) => { try { f() } catch (e) { return e.name } };
      export default [
        Object.keys(ns), Object.getPrototypeOf(ns), Object.isExtensible(ns), ns[Symbol.toStringTag],
        errorOf(() => { ns.a = 2 }), errorOf(() => { ns.b = 2 }), errorOf(() => { delete ns.a }), ns.a,
      ]`;
    const value = await withImports(source, { host: { a: 1, default: 2 } });
    expect(value).toEqual([
      ['a', 'default'],
      null,
      false,
      'Module',
      'TypeError',
      'TypeError',
      'TypeError',
      1,
    ]);
  });

  test('may be empty, and may be imported for nothing', async () => {
    expect(await withImports('import "host"; export default 1', { host: {} })).toBe(1);
  });

  test('holds copies of anything that structured clone knows', async () => {
    const source =
      'import { map, nested } from "host"; nested.list.push(2); export default [map, nested]';
    const host = { map: new Map([[1, new Date(5)]]), nested: { list: [1], big: 1n } };
    const value = await withImports(source, { host });
    expect(differenceBetween(value, [host.map, { list: [1, 2], big: 1n }])).toBe('');
    expect(host.nested.list).toEqual([1]);
  });

  test('holds functions that call the host, and promises', async () => {
    const source =
      'import add, { api, later } from "host"; export default [await add(1, 2), await api.neg(3), await later]';
    const host = {
      default: (a, b) => a + b,
      api: { neg: (x) => -x },
      later: Promise.resolve('later'),
    };
    expect(await withImports(source, { host })).toEqual([3, -3, 'later']);
  });

  test('is one module for static and dynamic imports and for all importers', async () => {
    const source = `
      import { object } from 'host'; import { object as theirs } from './dep.js';
      export default [object === theirs, object === (await import('host')).object]`;
    const module = {
      imports: { host: { object: {} } },
      sources: { 'dep.js': 'export { object } from "host"' },
    };
    expect(await valueOf({ kind: 'module', source, module })).toEqual([true, true]);
  });

  test('whose values cannot cross is a TypeError that names specifier and export', () => {
    const module = { imports: { host: { fine: 1, bad: { deep: Symbol('x') } } } };
    expect(() => run({ kind: 'module', source: '', module })).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        code: 'ERR_ISOBOX_NOT_TRANSFERABLE',
        message: expect.stringMatching(/'bad'.*'host'.*\.deep/),
      }),
    );
  });

  test('inherited and hidden keys are not exports', async () => {
    const host = Object.create(
      { inherited: 1 },
      { hidden: { value: 2 }, own: { value: 3, enumerable: true } },
    );
    expect(
      await withImports('import * as ns from "host"; export default Object.keys(ns)', { host }),
    ).toEqual(['own']);
  });
});

describe('the selected export', () => {
  const select = (source, module, request) =>
    valueOf({ kind: 'module', source, module, ...request });

  test('is the default one, or the one that is named', async () => {
    const source = 'export default 1; export const other = 2; export { other as "any string" }';
    expect(await select(source)).toBe(1);
    expect(await select(source, { exportName: 'other' })).toBe(2);
    expect(await select(source, { exportName: 'any string' })).toBe(2);
  });

  test('is called with the arguments when it is a function, without this', async () => {
    const source = 'export default function (...args) { return [this === undefined, args] }';
    expect(await select(source)).toEqual([true, []]);
    expect(await select(source, { arguments: [1, { a: [2] }, 'x'] })).toEqual([
      true,
      [1, { a: [2] }, 'x'],
    ]);
  });

  test('gets undefined, holes and clones as arguments', async () => {
    const source =
      'export default (...args) => [args.length, 1 in args, args[0] instanceof Map, args[0].get("k")]';
    // eslint-disable-next-line no-sparse-arrays
    const args = [new Map([['k', 'v']]), , undefined];
    expect(await select(source, { arguments: args })).toEqual([3, true, true, 'v']);
  });

  test('gets functions as arguments', async () => {
    const source = 'export default async (double) => (await double(4)) + 1';
    const module = { arguments: [(x) => x * 2] };
    expect(await select(source, module, { values: 'clone' })).toBe(9);
  });

  test('is awaited until it is no thenable', async () => {
    expect(await select('export default async () => Promise.resolve(1)')).toBe(1);
    expect(await select('export default Promise.resolve(Promise.resolve(2))')).toBe(2);
    const nested = '{ then(r) { r({ then(q) { q(3) } }) } }';
    expect(await select(`export default ${nested}`)).toBe(3);
    expect(await select(`export default () => (${nested})`)).toBe(3);
  });

  test('that is no function takes no arguments', async () => {
    const error = await errorOf({
      kind: 'module',
      source: 'export default 1',
      module: { arguments: [1] },
    });
    expect(error).toMatchObject({ cause: 'guest_error', name: 'TypeError' });
  });

  test('that throws or rejects is a guest error with its place', async () => {
    for (const source of [
      'export default () => {\n  null.x }',
      'export default async () => {\n  null.x }',
    ]) {
      const error = await errorOf({ kind: 'module', source, filename: 'entry.js' });
      expect(error).toMatchObject({
        cause: 'guest_error',
        name: 'TypeError',
        filename: 'entry.js',
        line: 2,
        column: 8,
      });
    }
  });

  test('may be a class, which cannot be called', async () => {
    const error = await errorOf({ kind: 'module', source: 'export default class {}' });
    expect(error).toMatchObject({ cause: 'guest_error', name: 'TypeError' });
  });

  test('may come from another module', async () => {
    const sources = { 'main.js': 'export default (x) => x + 1' };
    expect(await select('export { default } from "./main.js"', { sources, arguments: [1] })).toBe(
      2,
    );
  });

  test('whose arguments cannot cross is a TypeError', () => {
    const module = { arguments: [1, [new (class Mine {})()]] };
    expect(() => run({ kind: 'module', source: '', module })).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        code: 'ERR_ISOBOX_NOT_TRANSFERABLE',
        message: expect.stringContaining('[1][0]'),
      }),
    );
  });
});
