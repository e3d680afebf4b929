'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf, errorOf } = usePool();

const SUFFIXES = ['', '.ts', '.js', '.json', '/index.ts', '/index.js'];

const byName = (...paths) =>
  Object.fromEntries(paths.map((path) => [path, `export default ${JSON.stringify(path)}`]));

/** The path of the source that an import of the entry leads to. */
const resolve = (specifier, module) =>
  valueOf({
    kind: 'module',
    source: `export { default } from ${JSON.stringify(specifier)}`,
    module,
  });

describe('a relative specifier', () => {
  test.each([
    ['./a.js', 'a.js'],
    ['./lib/a.js', 'lib/a.js'],
    ['./lib/../a.js', 'a.js'],
    ['././a.js', 'a.js'],
    ['./lib//a.js', 'lib/a.js'],
    ['./lib/./deep/../a.js', 'lib/a.js'],
    ['./ä ö.js', 'ä ö.js'],
  ])('%s leads to %s', async (specifier, path) => {
    const sources = byName('a.js', 'lib/a.js', 'ä ö.js');
    expect(await resolve(specifier, { sources })).toBe(path);
  });

  test.each([
    ['main.js', './a.js', 'a.js'],
    ['src/main.js', './a.js', 'src/a.js'],
    ['src/main.js', '../a.js', 'a.js'],
    ['src/deep/main.js', '../../a.js', 'a.js'],
    ['src/deep/main.js', '../a.js', 'src/a.js'],
  ])('starts at the entry: from %s, %s is %s', async (entryPath, specifier, path) => {
    const sources = byName('a.js', 'src/a.js');
    expect(await resolve(specifier, { entryPath, sources })).toBe(path);
  });

  test('of a dependency starts at the dependency', async () => {
    const sources = {
      ...byName('b.js', 'lib/b.js'),
      'lib/a.js':
        'import near from "./b.js"; import far from "../b.js"; export default [near, far]',
    };
    expect(await resolve('./lib/a.js', { sources })).toEqual(['lib/b.js', 'b.js']);
  });

  test.each([
    ['', '../a.js'],
    ['main.js', '../a.js'],
    ['src/main.js', '../../a.js'],
    ['', './lib/../../a.js'],
    ['', './..'],
  ])('from %j, %s does not leave the root', async (entryPath, specifier) => {
    const source = `import ${JSON.stringify(specifier)}`;
    const module = { entryPath, sources: byName('a.js'), suffixes: SUFFIXES };
    expect(await errorOf({ kind: 'module', source, module })).toMatchObject({
      cause: 'link_error',
      specifier,
    });
  });
});

describe('suffixes', () => {
  test('are tried in order behind a path without an extension', async () => {
    const module = (...paths) => ({ suffixes: SUFFIXES, sources: byName(...paths) });
    expect(await resolve('./a', module('a/index.js', 'a.js', 'a.ts', 'a'))).toBe('a');
    expect(await resolve('./a', module('a/index.js', 'a.js', 'a.ts'))).toBe('a.ts');
    expect(await resolve('./a', module('a/index.js', 'a.js'))).toBe('a.js');
    expect(await resolve('./a', module('a/index.js', 'a/index.ts'))).toBe('a/index.ts');
    expect(await resolve('./a', module('a/index.js'))).toBe('a/index.js');
    expect(await resolve('./a/', module('a/index.js'))).toBe('a/index.js');
  });

  test('are not tried behind an extension', async () => {
    const module = { suffixes: SUFFIXES, sources: byName('a.js.ts', 'a.js/index.js') };
    const error = await errorOf({ kind: 'module', source: 'import "./a.js"', module });
    expect(error).toMatchObject({ cause: 'link_error', specifier: './a.js' });
  });

  test('are tried where a directory has a dot in its name', async () => {
    const module = { suffixes: SUFFIXES, sources: byName('v1.2/a.js') };
    expect(await resolve('./v1.2/a', module)).toBe('v1.2/a.js');
  });

  test('work for dependencies and dynamic imports', async () => {
    const sources = {
      'lib/index.js': 'import x from "./x"; export default [x, (await import("./y")).default]',
      'lib/x.ts': 'export default "x"',
      'lib/y/index.ts': 'export default "y"',
    };
    expect(await resolve('./lib', { suffixes: SUFFIXES, sources })).toEqual(['x', 'y']);
  });

  test('without any, only the exact path is tried', async () => {
    const error = await errorOf({
      kind: 'module',
      source: 'import "./a"',
      module: { sources: byName('a.js') },
    });
    expect(error).toMatchObject({ cause: 'link_error', specifier: './a' });
    expect(await resolve('./a', { sources: byName('a') })).toBe('a');
  });

  test('one module by two specifiers is one module', async () => {
    const source = `
      import * as a from './a'; import * as b from './a.js'; import * as c from './lib/../a';
      export default a === b && b === c && a === await import('./a.js')`;
    const module = { suffixes: SUFFIXES, sources: byName('a.js') };
    expect(await valueOf({ kind: 'module', source, module })).toBe(true);
  });
});

describe('other specifiers', () => {
  test.each([
    'a',
    'a.js',
    '/a.js',
    '.',
    '..',
    '',
    '.a',
    'lib/a.js',
    '#a',
    'node:fs',
    'fs',
    'isobox',
    'https://example.com/a.js',
    'file:///a.js',
    'data:text/javascript,export default 1',
    'sandbox:a.js',
  ])('%j does not reach the sources', async (specifier) => {
    const sources = byName('a', 'a.js', 'lib/a.js', 'index.js');
    for (const source of [
      `import ${JSON.stringify(specifier)}; export default 1`,
      `export default await import(${JSON.stringify(specifier)})`,
    ]) {
      const error = await errorOf({
        kind: 'module',
        source,
        module: { sources, suffixes: SUFFIXES },
      });
      expect(error).toMatchObject({ cause: 'link_error', name: 'ModuleNotFoundError' });
      expect(error.specifier ?? '').toBe(specifier);
    }
  });

  test('lead to host modules, exactly as they are written', async () => {
    const imports = {
      pkg: { default: 1 },
      '@scope/pkg/sub': { default: 2 },
      'node:fs': { default: 3 },
      '/abs': { default: 4 },
    };
    const source = `
      import a from 'pkg'; import b from '@scope/pkg/sub'; import c from 'node:fs'; import d from '/abs';
      export default [a, b, c, d]`;
    expect(await valueOf({ kind: 'module', source, module: { imports } })).toEqual([1, 2, 3, 4]);
  });

  test('relative specifiers never lead to host modules', async () => {
    const module = { imports: { './a.js': { default: 1 } } };
    const error = await errorOf({ kind: 'module', source: 'import "./a.js"', module });
    expect(error).toMatchObject({ cause: 'link_error', specifier: './a.js' });
  });
});

describe('the entry itself', () => {
  test('can be imported by its path, as one module', async () => {
    const source = `
      import { b } from './b.js';
      import * as self from './main.js';
      export const a = 'from the entry';
      export default () => [b(), self.a]`;
    const module = {
      entryPath: 'main.js',
      sources: { 'b.js': 'import { a } from "./main.js"; export const b = () => a' },
    };
    expect(await valueOf({ kind: 'module', source, module })).toEqual([
      'from the entry',
      'from the entry',
    ]);
  });

  test('decides where its dynamic imports start, whatever modules are called', async () => {
    const source = 'import "../main.js"; export default (await import("./b.js")).default';
    const module = {
      entryPath: 'src/main.js',
      sources: { 'main.js': '', ...byName('b.js', 'src/b.js') },
    };
    expect(await valueOf({ kind: 'module', source, module, filename: 'main.js' })).toBe('src/b.js');
  });
});
