'use strict';
// 13.5

const { useRunCode } = require('./use-run-code.js');

const { runJs, resultOf, errorOf } = useRunCode();

test('MUST: the default export is read when execute says nothing', async () => {
  expect(await resultOf('export default 5; export const other = 6')).toBe(5);
  expect(await resultOf('export default 5', { execute: {} })).toBe(5);
  expect(await resultOf('export default 5', { execute: { fn: undefined, args: undefined } })).toBe(
    5,
  );
});

test.each([
  ['a named constant', 'export const main = 1', 1],
  ['a function', 'export function main() { return 2 }', 2],
  ['an async function', 'export async function main() { return 3 }', 3],
  ['a renamed export', 'const x = 4; export { x as main }', 4],
  ['a re-export', "export { n as main } from './m.js'", 5],
  ['a star export', "export * from './m.js'", 6],
  ['an export of a host module', "export { f as main } from 'pkg'", 7],
  ['a string name', 'const x = 8; export { x as "main" }', 8],
])('execute.fn selects %s', async (_what, source, expected) => {
  const modules = { './m.js': 'export const n = 5; export const main = () => 6' };
  const options = { execute: { fn: 'main' }, modules, imports: { pkg: { f: () => 7 } } };
  expect(await resultOf(source, options)).toBe(expected);
});

test('execute.fn may be any string that names an export', async () => {
  const source = 'const x = 1; export { x as "with space", x as "__proto__" }';
  expect(await resultOf(source, { execute: { fn: 'with space' } })).toBe(1);
  expect(await resultOf(source, { execute: { fn: '__proto__' } })).toBe(1);
});

test('MUST: a function is called with the arguments, inside, without a this', async () => {
  const source = `export default function (...args) {
    return [args, this === undefined, args[0] instanceof Array, args.length] }`;
  expect(await resultOf(source, { execute: { args: [[1], { a: 2 }, undefined] } })).toEqual([
    [[1], { a: 2 }, undefined],
    true,
    true,
    3,
  ]);
});

test('MUST: a function without arguments is called all the same', async () => {
  expect(await resultOf('export default (...args) => args.length')).toBe(0);
});

test.each([
  ['a promise', 'Promise.resolve(1)'],
  ['a promise of a promise', 'Promise.resolve(Promise.resolve(1))'],
  ['a thenable', '({ then(resolve) { resolve(1) } })'],
  ['thenables in thenables', '({ then(a) { a({ then(b) { b({ then(c) { c(1) } }) } }) } })'],
  [
    'a thenable that answers later',
    '({ async then(resolve) { await 0; resolve(Promise.resolve(1)) } })',
  ],
  ['a thenable class instance', 'new (class { then(resolve) { resolve(1) } })()'],
  ['a function that is a thenable', 'Object.assign(() => 0, { then(resolve) { resolve(1) } })'],
])('MUST: %s is awaited until the value is no thenable', async (_what, expression) => {
  expect(await resultOf(`export default () => ${expression}`)).toBe(1);
  if (expression.startsWith('Object.assign')) return; // as the export itself it is a function, and called
  expect(await resultOf(`export default ${expression}`)).toBe(1);
});

test('a function that a function returns is not called', async () => {
  const result = await resultOf('export default () => () => 1');
  expect(typeof result).toBe('function');
});

test('a class is a function: calling it is its error', async () => {
  expect(await errorOf('export default class {}')).toMatchObject({
    status: 'error',
    name: 'TypeError',
  });
});

test('an export may be undefined, and is then the result', async () => {
  const ending = await runJs('export default undefined');
  expect(ending).toMatchObject({ status: 'success', result: undefined });
  expect('result' in ending).toBe(true);
});

test.each(['default', 'nope', 'toString', '__proto__', 'constructor'])(
  'MUST: a missing export %s is a link_error',
  async (fn) => {
    expect(await errorOf('export const there = 1', { execute: { fn } })).toMatchObject({
      status: 'link_error',
      name: 'MissingExportError',
      message: `Sandboxed code entry module does not provide an export named "${fn}".`,
      filename: '<runCode>',
    });
  },
);

test('a missing export is known after the module has been evaluated', async () => {
  const { status, logs } = await runJs('console.log("evaluated")');
  expect({ status, count: logs.length }).toEqual({ status: 'link_error', count: 1 });
});

test.each(['5', '"text"', 'null', 'undefined', '({})', '[]', 'Promise.resolve(() => 1)'])(
  'MUST: arguments for the export %s, which is no function, are an error',
  async (expression) => {
    const error = await errorOf(`export default ${expression}`, { execute: { args: [1] } });
    expect(error).toMatchObject({ status: 'error', name: 'TypeError' });
    expect(error.message).toMatch(/not a function and cannot receive arguments/);
  },
);

test.each([
  ['a throw', 'export default () => { throw new TypeError("no") }'],
  ['a rejection', 'export default async () => { throw new TypeError("no") }'],
  ['a rejected promise as the export', 'export default Promise.reject(new TypeError("no"))'],
  ['a throw at the top level', 'throw new TypeError("no")'],
  ['a rejection at the top level', 'await Promise.reject(new TypeError("no"))'],
  ['a thenable that rejects', 'export default { then(_, reject) { reject(new TypeError("no")) } }'],
  ['a thenable that throws', 'export default { then() { throw new TypeError("no") } }'],
  [
    'a thenable whose then is a getter that throws',
    'export default { get then() { throw new TypeError("no") } }',
  ],
])('MUST: %s is an error', async (_what, source) => {
  expect(await errorOf(source)).toMatchObject({
    status: 'error',
    name: 'TypeError',
    message: expect.stringContaining('no'),
  });
});

test('the first fulfilment of a thenable counts', async () => {
  const source =
    'export default { then(resolve, reject) { resolve(1); reject(new Error("late")); resolve(2) } }';
  expect(await resultOf(source)).toBe(1);
});
