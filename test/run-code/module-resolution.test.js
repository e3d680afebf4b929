'use strict';
// 13.2 and the path rules of the contract

const { useRunCode } = require('./use-run-code.js');

const { runJs, resultOf, errorOf } = useRunCode();

test('MUST: bare specifiers come from imports, default and named', async () => {
  const source = `import def, { named, "string name" as s, 名前 as u } from 'pkg';
    import * as all from '@scope/pkg/deep.js';
    export default [def, named, s, u, Object.keys(all)]`;
  const imports = {
    pkg: { default: 'd', named: [1], 'string name': 2, 名前: 3 },
    '@scope/pkg/deep.js': { b: 1, a: 2 },
  };
  expect(await resultOf(source, { imports })).toEqual(['d', [1], 2, 3, ['a', 'b']]);
});

test.each([
  ['a bare specifier that is not in imports', 'nope'],
  ['a bare specifier that only modules have', 'mod'],
  ['a relative specifier that only imports have', './pkg'],
  ['a relative specifier that is not in modules', './nope.js'],
  ['a URL', 'https://example.com/x.js'],
  ['a path above the root', '../up.js'],
  ['an absolute path', '/mod.js'],
  ['a built-in module of Node', 'fs'],
  ['a built-in module of Node with its scheme', 'node:fs'],
])('MUST: %s fails to link', async (_what, specifier) => {
  const source = `export default 1;\n  import x from '${specifier}';`;
  const options = { imports: { pkg: {} }, modules: { './mod.js': '' } };
  expect(await errorOf(source, options)).toMatchObject({
    status: 'link_error',
    name: 'ModuleNotFoundError',
    specifier,
    filename: '<runCode>',
    line: 2,
    column: 17,
    message: expect.stringMatching(/^Line 2 of <runCode>: /),
    stack: expect.stringContaining('at <runCode>:2:17'),
  });
});

test('nothing is evaluated when one import of the graph cannot be found', async () => {
  const modules = { './a.js': 'globals.touch(); export {}', './b.js': "import './nope.js'" };
  const touch = jest.fn();
  const { status, error } = await runJs("import './a.js'; import './b.js'; touch()", {
    modules,
    globals: { touch },
  });
  expect({ status, ...error }).toMatchObject({
    status: 'link_error',
    filename: 'b.js',
    specifier: './nope.js',
  });
  expect(touch).not.toHaveBeenCalled();
});

test('a name that a module does not export fails to link, at the place of the import', async () => {
  const source = "import { a,\n b } from './m.js'; export default a";
  expect(await errorOf(source, { modules: { './m.js': 'export const a = 1' } })).toMatchObject({
    status: 'link_error',
    name: 'SyntaxError',
    specifier: './m.js',
    filename: '<runCode>',
    line: 2,
  });
});

test('a name that a host module does not have fails to link', async () => {
  const error = await errorOf("import { nope } from 'pkg'", { imports: { pkg: { a: 1 } } });
  expect(error).toMatchObject({ status: 'link_error', specifier: 'pkg', line: 1 });
});

test('MUST: the namespace of an import is a frozen copy', async () => {
  const pkg = { a: { b: 1 }, f: () => 'called' };
  const source = `
    import * as ns from 'pkg';
    const attempts = [
      () => { ns.a = 2 }, () => { ns.extra = 1 }, () => { delete ns.a },
      () => Object.defineProperty(ns, 'a', { value: 2 }), () => Object.setPrototypeOf(ns, {}),
    ].map((attempt) => { try { attempt(); return 'done' } catch (e) { return e.name } });
    ns.a.b = 'changed in the guest';
    export default [attempts, ns.a.b, Object.isSealed(ns), Object.getPrototypeOf(ns)]`;
  expect(await resultOf(source, { imports: { pkg } })).toEqual([
    Array(5).fill('TypeError'),
    'changed in the guest',
    true,
    null,
  ]);
  expect(pkg).toEqual({ a: { b: 1 }, f: expect.any(Function) });
});

test('any string that is a valid export name can be one', async () => {
  const names = ['a b', '', '0', '__proto__', 'then', 'default', 'class', '🙂', 'constructor'];
  const pkg = Object.create(null);
  for (const name of names) pkg[name] = `value of ${name}`;
  const picks = names.map((name, i) => `${JSON.stringify(name)} as n${i}`).join();
  const source = `import { ${picks} } from 'pkg'; export default [${names.map((_, i) => `n${i}`)}]`;
  expect(await resultOf(source, { imports: { pkg } })).toEqual(names.map((name) => pkg[name]));
});

test('a key that cannot be an export name is refused', async () => {
  const error = await errorOf('', { imports: { pkg: { 'lone \ud800': 1 } } });
  expect(error).toMatchObject({ status: 'link_error', specifier: 'pkg' });
});

test('one import is one module: both importers see the same values', async () => {
  const source = `import { o } from 'pkg'; import other from './other.js'; export default o === other`;
  const modules = { './other.js': "import { o } from 'pkg'; export default o" };
  expect(await resultOf(source, { modules, imports: { pkg: { o: {} } } })).toBe(true);
});

test('MUST: modules are real ES modules: live bindings, cycles, one evaluation, hoisting', async () => {
  const modules = {
    './counter.js': 'export let n = 0; export const up = () => ++n; up();',
    './a.js': "import { b } from './b.js'; export const a = 'a'; export const ab = () => a + b;",
    './b.js':
      "import { a, ab } from './a.js'; export const b = 'b'; export const ba = () => b + a + ab();",
  };
  const source = `
    import { n, up } from './counter.js';
    import * as again from './counter.js';
    import { ba } from './b.js';
    export * from './a.js';
    up();
    export default [n, again.n, ba()]`;
  expect(await resultOf(source, { modules })).toEqual([2, 2, 'baab']);
});

test('modules wait for top-level await in the modules they import', async () => {
  const modules = { './slow.js': 'export const value = await host()' };
  const source = "import { value } from './slow.js'; export default value + 1";
  const globals = { host: () => new Promise((resolve) => setTimeout(resolve, 20, 41)) };
  expect(await resultOf(source, { modules, globals })).toBe(42);
});

test.each([
  ['./p', './p'],
  ['./p', './p.ts'],
  ['./p', './p.tsx'],
  ['./p', './p.js'],
  ['./p', './p.mjs'],
  ['./p', './p/index.ts'],
  ['./p', './p/index.tsx'],
  ['./p', './p/index.js'],
  ['./q/../p', './p.js'],
  ['././p.js', './p.js'],
  ['.//p.js', './p.js'],
])('%s finds %s', async (specifier, key) => {
  const modules = { [key]: `export default ${JSON.stringify(key)}` };
  expect(await resultOf(`export { default } from '${specifier}'`, { modules })).toBe(key);
});

test('candidates are tried in the order of the contract', async () => {
  const order = [
    'p',
    'p.ts',
    'p.tsx',
    'p.js',
    'p.mjs',
    'p.json',
    'p/index.ts',
    'p/index.tsx',
    'p/index.js',
  ];
  for (let first = 0; first < order.length; first++) {
    const entries = order
      .slice(first)
      .map((path) => [
        `./${path}`,
        path.endsWith('.json') ? JSON.stringify(path) : `export default '${path}'`,
      ]);
    const modules = Object.fromEntries(entries.reverse());
    expect(await resultOf("export { default } from './p'", { modules })).toBe(order[first]);
  }
});

test('a path with an extension is taken as it stands', async () => {
  const modules = { './p.js.ts': '', './p.txt.js': '', './p.js/index.js': '' };
  for (const specifier of ['./p.js', './p.txt']) {
    expect(await errorOf(`import '${specifier}'`, { modules })).toMatchObject({ specifier });
  }
});

test.each(['./p.jsx', './p.mts', './p.cts', './p.cjs'])(
  '%s is no candidate for ./p',
  async (key) => {
    const error = await errorOf("import './p'", { modules: { [key]: '' } });
    expect(error).toMatchObject({ status: 'link_error', specifier: './p' });
  },
);

test('keys of modules are normalized: dots, empty segments and backslashes', async () => {
  const modules = { './a/./b//../c\\d.js': 'export default import.meta.url' };
  expect(await resultOf("export { default } from './a/c/d.js'", { modules })).toBe(
    'sandbox:a/c/d.js',
  );
});

test('relative imports start at the folder of their importer', async () => {
  const modules = {
    './src/app/util.js': "export { default } from '../lib/deep'",
    './src/lib/deep/index.js': "export { default } from './leaf'",
    './src/lib/deep/leaf.js': "export default 'leaf'",
  };
  const source = "export { default } from './util'";
  expect(await resultOf(source, { modules, filename: 'src/app/main.ts' })).toBe('leaf');
  expect(await resultOf(source, { modules, filename: '/src/app/main.ts' })).toBe('leaf');
  expect(await errorOf(source, { modules })).toMatchObject({ specifier: './util' });
});

test.each(['<runCode>', '<anything/at/all>', '', undefined, 'main.ts', '/main.ts', './main.ts'])(
  'an entry named %p stands at the root',
  async (filename) => {
    const modules = { './a.js': 'export default "root a"' };
    expect(await resultOf("export { default } from './a'", { modules, filename })).toBe('root a');
  },
);

test('an entry named like data is still a module', async () => {
  const options = { filename: 'src/data.json', modules: { './src/a.js': 'export default 1' } };
  expect(await resultOf("export { default } from './a'", options)).toBe(1);
});

test('JSON modules have a default export, with or without the attribute', async () => {
  const modules = { './data.json': '{"a": [1, null, "x"], "__proto__": 5}' };
  const source = `import plain from './data.json';
    import typed from './data.json' with { type: 'json' };
    const { default: dynamic } = await import('./data.json');
    export default [plain, plain === typed, typed === dynamic]`;
  const isWithKnown = Number(process.versions.node.split('.')[0]) >= 20;
  expect(isWithKnown).toBe(true);
  const [data, ...same] = await resultOf(source, { modules });
  expect(JSON.stringify(data)).toBe('{"a":[1,null,"x"],"__proto__":5}');
  expect(same).toEqual([true, true]);
});

test.each([
  ['{\n  "a": x }', 2, 8],
  ['', 1, 1],
  ['[1, 2,\n\n]', 3, 1],
  ['{"a": 1} extra', 1, 10],
  ['"unfinished', 1, 1],
  ['{"a" 1}', 1, 6],
  ['{a: 1}', 1, 2],
  ['[01]', 1, 3],
  ['{"a": 1,}', 1, 9],
  ['[1}', 1, 3],
  ['"tab\there"', 1, 1],
])('a JSON module %p fails to link at %d:%d', async (text, line, column) => {
  const error = await errorOf("import './bad.json'", { modules: { './bad.json': text } });
  expect(error).toMatchObject({
    status: 'link_error',
    name: 'SyntaxError',
    filename: 'bad.json',
    line,
    column,
  });
});

test.each(["with { type: 'css' }", "with { other: 'json' }"])(
  'attributes %s are refused',
  async (attributes) => {
    const source = `import './data.json' ${attributes}`;
    const error = await errorOf(source, { modules: { './data.json': '1' } });
    expect(error).toMatchObject({ status: 'link_error', specifier: './data.json', line: 1 });
  },
);

test('MUST: import.meta.url is a synthetic sandbox: URL', async () => {
  const modules = { './lib/m.js': 'export default [import.meta.url, Object.keys(import.meta)]' };
  const source = "import m from './lib/m.js'; export default [import.meta.url, ...m]";
  expect(await resultOf(source, { modules })).toEqual([
    'sandbox:<runCode>',
    'sandbox:lib/m.js',
    ['url'],
  ]);
  expect(await resultOf('export default import.meta.url', { filename: 'agent.ts' })).toBe(
    'sandbox:agent.ts',
  );
});

test('MUST: no host path shows anywhere in a guest', async () => {
  const source = `
    let stack; try { null.x } catch (e) { stack = e.stack }
    export default [import.meta.url, stack, String(host), new Error('x').stack]`;
  const texts = await resultOf(source, { globals: { host() {} } });
  expect(texts.join('\n')).not.toMatch(/node_modules|\/work\/|\/home\/|\/lib\/|file:|isobox/);
});

test('a syntax error in a module is a link error with its place', async () => {
  const modules = { './broken.js': '\n\nconst x = ;' };
  expect(await errorOf("import './broken.js'", { modules })).toMatchObject({
    status: 'link_error',
    name: 'SyntaxError',
    filename: 'broken.js',
    line: 3,
    column: 11,
    message: expect.stringMatching(/^Line 3 of broken\.js: /),
  });
});

test('a dynamic import that fails to link can be caught, and is a link error when it is not', async () => {
  const modules = { './broken.js': 'const x = ;' };
  const caught = "export default import('./broken.js').catch((e) => [e.name, e instanceof Error])";
  expect(await resultOf(caught, { modules })).toEqual(['SyntaxError', true]);
  const error = await errorOf("export default import('./broken.js')", { modules });
  expect(error).toMatchObject({ status: 'link_error', filename: 'broken.js', line: 1, column: 11 });
});

test('a module that throws while it is evaluated is an error of the run, not of linking', async () => {
  const modules = { './throws.js': "\nthrow new SyntaxError('forged')" };
  expect(await errorOf("import './throws.js'", { modules })).toMatchObject({
    status: 'error',
    name: 'SyntaxError',
    filename: 'throws.js',
    line: 2,
  });
});
