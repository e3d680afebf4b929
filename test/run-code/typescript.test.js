'use strict';
// 13.6

const { sleep } = require('../support/time.js');
const { useRunCode } = require('./use-run-code.js');

const { runCode } = useRunCode();

const resultOf = async (source, options) => {
  const ending = await runCode(source, options);
  if (ending.status !== 'success') throw new Error(`${ending.status}: ${ending.error.message}`);
  return ending.result;
};

const SYNTAX = {
  annotations: [
    'const f = (a: number, b?: string): string => `${a}${b}`; export default f(1)',
    '1undefined',
  ],
  'generics in arrow functions': [
    'const id = <T,>(x: T): T => x; const k = <T extends object>(x: T) => x; export default id(k({ a: 1 }))',
    { a: 1 },
  ],
  'type arguments': [
    'export default new Map<string, Array<number>>([["a", [1]]]).get("a")!.length',
    1,
  ],
  interfaces: [
    'interface A { b: string } type C = A | null; declare const z: C; export default 1',
    1,
  ],
  satisfies: ['export default { a: 1 } satisfies Record<string, number>', { a: 1 }],
  'as and as const': ['export default ([1, 2] as const)[0] as unknown as number', 1],
  'old assertions': ['const x: unknown = 5; export default <number>x + 1', 6],
  'non-null': ['const o: { a?: number } = { a: 1 }; export default o!.a!', 1],
  enums: ['enum E { A, B = 5, C } export default [E.A, E.C, E[5]]', [0, 6, 'B']],
  'const enums': ['const enum E { A = "a" } export default E.A', 'a'],
  namespaces: [
    'namespace N { export const x = 1; export namespace M { export const y = 2 } } export default N.x + N.M.y',
    3,
  ],
  'parameter properties': [
    'class P { constructor(public a: number, private readonly b = 2) {} sum() { return this.a + this.b } } export default new P(1).sum()',
    3,
  ],
  'class members': [
    'abstract class A { abstract f(): void; protected x?: number; declare y: string; static #s = 1; static get s() { return A.#s } } export default A.s',
    1,
  ],
  overloads: [
    'function f(a: string): string; function f(a: number): number; function f(a: any) { return a } export default f(1)',
    1,
  ],
  'this parameters': ['function f(this: void, a: number) { return a } export default f(1)', 1],
  'type guards': [
    'const is = (x: unknown): x is string => typeof x === "string"; export default is("")',
    true,
  ],
  'optional chaining with types': [
    'const o = { f<T>(x: T) { return x } }; export default o?.f<number>(1)',
    1,
  ],
  'import type': [
    'import type { T } from "./types"; import { type U, v } from "./m"; export default v satisfies number',
    7,
  ],
  'export type': ['export type { T } from "./types"; export type X = string; export default 1', 1],
  'accessors and decorators free classes': [
    'class A { get x(): number { return 1 } set x(v: number) {} } export default new A().x',
    1,
  ],
  'a using-like name': ['const using = 1; export default using', 1],
};

test.each(Object.keys(SYNTAX))('%s', async (what) => {
  const [source, expected] = SYNTAX[what];
  const modules = {
    './m.ts': 'export type U = string; export const v: number = 7',
    './types.ts': 'export type T = 1',
  };
  expect(await resultOf(source, { modules })).toEqual(expected);
});

test('MUST: TypeScript is the default, for the entry and for modules', async () => {
  const modules = {
    './m.ts': 'export const m: number = 2',
    './plain.js': 'export const p: string = "typed too"',
  };
  const source =
    'import { m } from "./m"; import { p } from "./plain"; export default [1 as number, m, p]';
  expect(await resultOf(source, { modules })).toEqual([1, 2, 'typed too']);
  expect(await resultOf(source, { modules, language: 'typescript' })).toEqual([1, 2, 'typed too']);
});

test('with language javascript, types are syntax errors', async () => {
  const ending = await runCode('\nexport default 1 as number', { language: 'javascript' });
  expect(ending).toMatchObject({ status: 'link_error', error: { name: 'SyntaxError', line: 2 } });
});

test('MUST NOT: nothing is type-checked', async () => {
  const source =
    'const n: number = "text"; const m: Nope.Missing<string> = n; export default (m as any) satisfies never';
  expect(await resultOf(source)).toBe('text');
});

test('JSX works in .tsx files and in files whose name does not say', async () => {
  const source =
    'const React = { createElement: (t, p, ...c) => [t, p, ...c] }; export default <b id="x">{1 as number}</b>';
  const expected = ['b', { id: 'x' }, 1];
  expect(await resultOf(source, { filename: 'view.tsx' })).toEqual(expected);
  expect(await resultOf(source)).toEqual(expected);
  expect(
    await resultOf('export { default } from "./view"', { modules: { './view.tsx': source } }),
  ).toEqual(expected);
  expect(await runCode(source, { filename: 'view.ts' })).toMatchObject({ status: 'link_error' });
});

test('JSON modules are left alone', async () => {
  const modules = { './d.json': '{"a": "1 as number"}' };
  expect(await resultOf('import d from "./d.json"; export default (d as any).a', { modules })).toBe(
    '1 as number',
  );
});

test.each([
  ['in the entry', 'const a: number = 1;\n\nconst b: = 2;', {}, '<runCode>', 3],
  ['in a named entry', 'const b: = 2;', { filename: 'src/agent.ts' }, 'src/agent.ts', 1],
  [
    'in a module',
    'import "./m"; const x: number = 1',
    { modules: { './m.ts': '\nlet x: ;' } },
    'm.ts',
    2,
  ],
])(
  'SHOULD: a syntax error %s points to its place',
  async (_where, source, options, filename, line) => {
    const { status, error } = await runCode(source, options);
    expect({ status, ...error }).toMatchObject({
      status: 'link_error',
      name: 'TypeScriptTranspileError',
      filename,
      line,
      column: expect.any(Number),
      message: expect.stringMatching(
        new RegExp(`^Line ${line} of ${filename.replace(/[<>]/g, '.')}: `),
      ),
      stack: expect.stringContaining(`${filename}:${line}:`),
    });
  },
);

test('decorators are refused by name', async () => {
  const { status, error } = await runCode(
    'function d(..._: any[]) {}\n@d class A {}\nexport default 1',
  );
  expect({ status, line: error.line }).toEqual({ status: 'link_error', line: 2 });
  expect(error.message).toMatch(/decorator/i);
});

const FAILING = {
  'blanked types':
    'type A = {\n  b: string;\n};\nfunction fail(x: number): never {\n  throw new RangeError(`no ${x}`);\n}\nexport default (): void => fail(1);\n',
  'an enum before it':
    'enum E {\n  A,\n  B,\n}\nfunction fail(x: E): never {\n  throw new RangeError(`no ${x}`);\n}\nexport default (): void => fail(E.A);\n',
  'a namespace and a parameter property before it':
    'namespace N {\n  export const x: number = 1;\n}\nclass P { constructor(public a: number) {} }\nfunction fail(x: number): never {\n  throw new RangeError(`no ${x}`);\n}\nexport default (): void => fail(new P(N.x).a);\n',
};

test.each(Object.keys(FAILING))('positions are those of the TypeScript, with %s', async (what) => {
  const source = FAILING[what];
  const lines = source.split('\n');
  const line = lines.findIndex((text) => text.includes('throw')) + 1;
  const callLine = lines.findIndex((text) => text.startsWith('export default')) + 1;
  for (const options of [{ filename: 'agent.ts' }, { language: undefined, filename: 'a/b.ts' }]) {
    const { status, error } = await runCode(source, options);
    expect({ status, ...error }).toMatchObject({
      status: 'error',
      name: 'RangeError',
      filename: options.filename,
      line,
    });
    const frames = [...error.stack.matchAll(/:(\d+):(\d+)\)?$/gm)].map(([, l]) => Number(l));
    expect(frames).toEqual([line, callLine]);
    const column = lines[line - 1].indexOf('throw') + 1;
    expect(error.column).toBeGreaterThanOrEqual(column);
    expect(error.column).toBeLessThanOrEqual(column + 'throw new '.length);
  }
});

test('positions in modules are those of each module', async () => {
  const modules = {
    './m.ts':
      'enum E { A }\n\nexport function f(e: E = E.A): never {\n  throw new Error(String(e));\n}',
  };
  const { error } = await runCode(
    'import { f } from "./m";\n\nexport default (): void =>\n  f();',
    { modules },
  );
  expect(error).toMatchObject({ filename: 'm.ts', line: 4 });
  expect(error.stack).toContain('<runCode>:4:3');
});

test('linker errors point to the TypeScript as well', async () => {
  const source =
    'enum E { A }\ninterface I { x: number }\nimport { nope } from "./nope";\nexport default nope ?? E.A';
  const { status, error } = await runCode(source);
  expect({ status, ...error }).toMatchObject({
    status: 'link_error',
    specifier: './nope',
    line: 3,
  });
});

test('an import only used as a type is not looked for', async () => {
  expect(await resultOf('import { T } from "not-there"; const x: T = 1; export default x')).toBe(1);
});

test('a source that was erased before starts at once', async () => {
  const source = `const n: number = ${Math.random()}; export default 1`;
  await runCode(source);
  // A run that has reached the pool has taken its arguments already, and refuses these at once.
  expect(runCode(source, { execute: { args: [Symbol('x')] } }).running).toBe(false);
});

test('the loop is free while a large source is erased', async () => {
  const source = `${Array.from({ length: 3000 }, (_, i) => `export const v${i}: Array<{ n: number }> = [{ n: ${i} as number }];`).join('\n')}\nexport default v2999[0].n`;
  const handle = runCode(source);
  let turns = 0;
  while (handle.running) {
    await sleep(1);
    turns += 1;
  }
  expect(await handle).toMatchObject({ status: 'success', result: 2999 });
  expect(turns).toBeGreaterThan(2);
});

test('a source that is larger than may be erased is a link_error', async () => {
  const source = `const x: string = '${'x'.repeat(5 * 2 ** 20)}'`;
  const { status, error } = await runCode(source);
  expect({ status, name: error.name }).toEqual({
    status: 'link_error',
    name: 'TypeScriptTranspileError',
  });
});

test('hostile nesting is a result, not a crash', async () => {
  for (const source of [
    '<'.repeat(50_000),
    'type A = '.repeat(10) + '['.repeat(20_000),
    `export default ${'('.repeat(20_000)}`,
  ]) {
    const { status } = await runCode(source);
    expect(status).toBe('link_error');
  }
});
