'use strict';

const { CRASH_TEXT, runChild } = require('../support/child.js');
const { usePool } = require('../support/pools.js');

const { errorOf, valueOf } = usePool();

const linkError = (source, module = {}) =>
  errorOf({ kind: 'module', source, module, filename: 'entry.js' });

describe('a module that cannot be found', () => {
  test.each([
    ['import "gone"', 1, 8],
    ['import x from "gone"', 1, 15],
    ['\n\n  import { x } from "gone"', 3, 21],
    ['export * from "gone"', 1, 15],
    ['const a = 1;\nexport { x } from "gone"', 2, 19],
    ['const a = "é😀";\n/* two\nlines */ import "gone"', 3, 17],
  ])('is named with its place: %j', async (source, line, column) => {
    expect(await linkError(source)).toMatchObject({
      cause: 'link_error',
      name: 'ModuleNotFoundError',
      message: expect.stringContaining("'gone'"),
      specifier: 'gone',
      filename: 'entry.js',
      line,
      column,
    });
  });

  test('by a dependency is placed in the dependency', async () => {
    const sources = { 'lib/a.js': 'import "./b.js"', 'lib/b.js': '\n  import "../gone.js"' };
    expect(await linkError('import "./lib/a.js"', { sources })).toMatchObject({
      cause: 'link_error',
      specifier: '../gone.js',
      filename: 'lib/b.js',
      line: 2,
      column: 10,
    });
  });

  test('stops the run before anything of it is evaluated', async () => {
    const called = jest.fn();
    const source = 'import "./a.js"; import "gone"; host.called()';
    const module = { sources: { 'a.js': 'host.called()' } };
    await errorOf({ kind: 'module', source, module, namespaces: { host: { called } } });
    expect(called).not.toHaveBeenCalled();
  });

  test('by a dynamic import is a link error where nobody catches it', async () => {
    expect(await linkError('\nexport default await import("gone")')).toMatchObject({
      cause: 'link_error',
      name: 'ModuleNotFoundError',
      specifier: 'gone',
      filename: 'entry.js',
      line: 2,
      column: 16,
    });
  });

  test('by a dynamic import is a real Error that can be caught', async () => {
    const source = `
      const error = await import('gone').catch((e) => e);
      export default [error instanceof Error, error.name, error.message.includes("'gone'"), 'code' in error]`;
    expect(await valueOf({ kind: 'module', source })).toEqual([
      true,
      'ModuleNotFoundError',
      true,
      false,
    ]);
  });

  test('cannot be made up by a guest', async () => {
    const source = `
      const real = await import('gone').catch((e) => e);
      throw Object.assign(new Error(real.message), { name: real.name, specifier: 'gone' })`;
    const error = await linkError(source);
    expect(error.cause).toBe('guest_error');
    expect(error.specifier).toBeUndefined();
  });
});

describe('an export that is missing', () => {
  test.each([
    ['of a source', { sources: { 'a.js': 'export const other = 1' } }, './a.js'],
    ['of a JSON module', { sources: { 'a.json': '{"wanted": 1}' } }, './a.json'],
    ['of a host module', { imports: { host: { other: 1 } } }, 'host'],
  ])('%s is named with its place', async (_name, module, specifier) => {
    const source = `\n  import { wanted } from ${JSON.stringify(specifier)}; export default wanted`;
    expect(await linkError(source, module)).toMatchObject({
      cause: 'link_error',
      name: 'SyntaxError',
      message: expect.stringContaining("'wanted'"),
      specifier,
      filename: 'entry.js',
      line: 2,
      column: 12,
    });
  });

  test('because two modules offer it is a link error', async () => {
    const sources = {
      'both.js': 'export * from "./a.js"; export * from "./b.js"',
      'a.js': 'export const x = 1',
      'b.js': 'export const x = 2',
    };
    const error = await linkError('import { x } from "./both.js"', { sources });
    expect(error).toMatchObject({ cause: 'link_error', name: 'SyntaxError' });
  });

  test('of the entry is a link error that names it', async () => {
    const error = await linkError('export const other = 1');
    expect(error).toMatchObject({
      cause: 'link_error',
      message: expect.stringContaining("'default'"),
    });
    const named = await linkError('export default 1', { exportName: 'main' });
    expect(named).toMatchObject({
      cause: 'link_error',
      message: expect.stringContaining("'main'"),
    });
  });

  test.each(['toString', '__proto__', 'constructor', 'then', ''])(
    '%j is one like any other',
    async (exportName) => {
      expect(await linkError('export default 1', { exportName })).toMatchObject({
        cause: 'link_error',
      });
    },
  );
});

describe('a dependency that does not compile', () => {
  const sources = { 'a.js': 'import "./lib/b.js"', 'lib/b.js': 'const fine = 1;\n  let x = ;' };

  test('is placed in the dependency', async () => {
    expect(await linkError('import "./a.js"', { sources })).toMatchObject({
      cause: 'link_error',
      name: 'SyntaxError',
      filename: 'lib/b.js',
      line: 2,
      column: 11,
    });
  });

  test('is placed there for a dynamic import too', async () => {
    expect(await linkError('await import("./a.js")', { sources })).toMatchObject({
      cause: 'link_error',
      name: 'SyntaxError',
      specifier: './a.js',
      filename: 'lib/b.js',
      line: 2,
      column: 11,
    });
  });

  test('because it is not JSON is a link error that names the file', async () => {
    const { code, signal, stderr, reports } = await runChild(async ({ IsolatePool, report }) => {
      const pool = new IsolatePool({ threads: 1 });
      const module = { sources: { 'data.json': '{"a": [1}' } };
      for (const source of ['import "./data.json"', 'await import("./data.json")']) {
        const { cause, error } = await pool.run({ kind: 'module', source, module });
        report([cause, error?.name, error?.filename]);
      }
      await pool.dispose();
    });
    expect(stderr).not.toMatch(CRASH_TEXT);
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    const expected = ['link_error', 'SyntaxError', 'data.json'];
    expect(reports).toEqual([expected, expected]);
  });
});

describe('import attributes that do not fit', () => {
  const sources = { 'a.js': 'export default 1', 'a.json': '1' };
  const imports = { host: { default: 1 } };

  test.each([
    ['json for a source', './a.js', '{ type: "json" }'],
    ['json for a host module', 'host', '{ type: "json" }'],
    ['another type', './a.json', '{ type: "css" }'],
    ['another attribute', './a.json', '{ integrity: "x" }'],
    ['one more attribute', './a.json', '{ type: "json", integrity: "x" }'],
  ])('%s: a link error, static and dynamic', async (_name, specifier, attributes) => {
    const module = { sources, imports };
    const quoted = JSON.stringify(specifier);
    const statically = await linkError(
      `import x from ${quoted} with ${attributes}; export default x`,
      module,
    );
    expect(statically).toMatchObject({
      cause: 'link_error',
      specifier,
      filename: 'entry.js',
      line: 1,
    });
    const dynamically = await linkError(
      `export default await import(${quoted}, { with: ${attributes} })`,
      module,
    );
    expect(dynamically).toMatchObject({ cause: 'link_error', specifier });
  });
});

test('a graph that failed to link fails the same way again', async () => {
  const { code, signal, stderr, reports } = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool({ threads: 1 });
    const source = `
      const tries = [];
      for (const path of ['./a.js', './a.js', './b.js', './a.js']) {
        tries.push(await import(path).then(() => 'imported', (e) => e.name));
      }
      export default tries`;
    const broken = [
      'import "./gone.js"',
      'let x = ;',
      'import { x } from "./empty.js"',
      'import "./bad.json"',
    ];
    for (const last of broken) {
      const sources = {
        'a.js': 'import "./b.js"',
        'b.js': 'import "./c.js"',
        'c.js': last,
        'empty.js': '',
        'bad.json': '{',
      };
      const { value, cause } = await pool.run({ kind: 'module', source, module: { sources } });
      report(value ?? cause);
    }
    await pool.dispose();
  });
  expect(stderr).not.toMatch(CRASH_TEXT);
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(reports).toEqual([
    Array(4).fill('ModuleNotFoundError'),
    Array(4).fill('SyntaxError'),
    Array(4).fill('SyntaxError'),
    Array(4).fill('SyntaxError'),
  ]);
});

test('a module that failed to link does no harm to one that shares its dependencies', async () => {
  const source = `
    const failed = await import('./broken.js').catch((e) => e.name);
    export default [failed, (await import('./works.js')).default]`;
  const sources = {
    'broken.js': 'import "./shared.js"; import "./gone.js"',
    'works.js': 'export { default } from "./shared.js"',
    'shared.js': 'export default "shared"',
  };
  expect(await valueOf({ kind: 'module', source, module: { sources } })).toEqual([
    'ModuleNotFoundError',
    'shared',
  ]);
});

test('a module that threw is not evaluated again', async () => {
  const source = `
    const tries = [];
    for (let i = 0; i < 3; i++) tries.push(await import('./a.js').catch((e) => e));
    export default [tries.every((e) => e === tries[0]), tries[0].message, globalThis.n]`;
  const sources = { 'a.js': 'globalThis.n = (globalThis.n ?? 0) + 1; throw new Error("once")' };
  expect(await valueOf({ kind: 'module', source, module: { sources } })).toEqual([true, 'once', 1]);
});
