'use strict';
// `isobox repl`: lines in, values out, in one isolate.

const { isobox, useFiles } = require('./command.js');

const cwd = useFiles({
  'shop.ts': 'export const price = (item: string): number => item.length;',
});

/** What lines come to, in order. */
const repl = async (lines, args = []) => {
  const { code, stdout, stderr } = await isobox(['repl', ...args], {
    cwd,
    input: `${lines.join('\n')}\n`,
  });
  expect(code).toBe(0);
  return { stdout: stdout.split('\n').slice(0, -1), stderr: stderr.split('\n').slice(0, -1) };
};

test('what is declared is there for the lines behind it', async () => {
  const { stdout, stderr } = await repl([
    'const a = 6',
    'let b: number = a * 7, c',
    '[b, c]',
    'function f(n: number): number { return n + a }',
    'f(1)',
    'class K { constructor(public n: number) {} }',
    'new K(3).n',
    'var { x, y: [z] } = { x: 1, y: [2] }',
    'x + z',
    'a = 100',
    'f(1)',
  ]);
  expect(stderr).toEqual([]);
  expect(stdout).toEqual(['[ 42, undefined ]', '7', '3', '3', '100', '101']);
});

test('lines may await, and _ is the last value', async () => {
  const { stdout } = await repl([
    'await Promise.resolve(5)',
    '_ + 1',
    'const late = await Promise.resolve({ deep: [1] })',
    'late',
    '_.deep[0]',
  ]);
  expect(stdout).toEqual(['5', '6', '{ deep: [ 1 ] }', '1']);
});

test.each([
  ['a function', ['function f() {', '  return 5', '}', 'f()'], ['5']],
  ['a list', ['[1,', '2]'], ['[ 1, 2 ]']],
  ['a template', ['`a', 'b`'], ["'a\\nb'"]],
  ['a comment', ['/* a', 'b */ 1'], ['1']],
])('%s may go on over lines', async (_name, lines, expected) => {
  expect(await repl(lines)).toEqual({ stdout: expected, stderr: [] });
});

test('an object is a value, a block is not', async () => {
  const { stdout } = await repl(['{ a: 1 }', '{ let a = 1; a }', '{}']);
  expect(stdout).toEqual(['{ a: 1 }', '{}']);
});

test('values that cannot leave the guest are described', async () => {
  const { stdout, stderr } = await repl([
    '(function named() {})',
    'Symbol("s")',
    'new Map([[1, 2n]])',
    'new Proxy({}, { get() { throw 1 } })',
    '({ get then() { return 1 }, toString: () => "odd" })',
    '1',
  ]);
  expect(stdout.slice(0, 3)).toEqual(['[Function: named]', 'Symbol(s)', 'Map(1) { 1 => 2n }']);
  expect(stdout.at(-1)).toBe('1');
  expect(stderr.join()).not.toContain(' at ');
});

test('failures are told, and the session goes on', async () => {
  const { stdout, stderr } = await repl([
    'const kept = 1',
    'throw new TypeError("no")',
    'throw { code: 5 }',
    'nope',
    'let b = = 2',
    'import fs from "node:fs"',
    'console.log("said")',
    'kept',
  ]);
  expect(stdout).toEqual(['1']);
  expect(stderr).toEqual([
    'Uncaught TypeError: no',
    'Uncaught { code: 5 }',
    'Uncaught ReferenceError: nope is not defined',
    'SyntaxError: Expression expected (line 1, column 9)',
    'SyntaxError: There is no import and export here: --tool gives modules of the host',
    'said',
  ]);
});

test('a line that reaches a limit ends its isolate, and the next one has a fresh one', async () => {
  const { stdout, stderr } = await repl(
    [
      'const a = 1',
      'for (;;);',
      'typeof a',
      'let all = []; for (;;) all.push(new Array(1e5).fill(1.5))',
      '1 + 1',
    ],
    ['--timeout', '1500', '--memory', '32m'],
  );
  expect(stdout).toEqual(["'undefined'", '2']);
  expect(stderr[0]).toMatch(
    /It took more than the 1500 ms of --timeout.* What was declared is gone/,
  );
  expect(stderr[1]).toMatch(/\(memory|terminated\)/);
});

test('tools are those of `run`, and .clear and .exit do what they say', async () => {
  const { stdout, stderr } = await repl(
    ['await shop.price("plum")', 'const a = 1', '.clear', 'typeof a', '.exit', '"not reached"'],
    ['--tool', 'shop=./shop.ts'],
  );
  expect({ stdout, stderr }).toEqual({ stdout: ['4', "'undefined'"], stderr: [] });
});

test('what the end of the input leaves incomplete is an error', async () => {
  expect(await repl(['1', 'function f() {'])).toEqual({
    stdout: ['1'],
    stderr: ['SyntaxError: Unexpected end of input'],
  });
});

test('a tool that does not load is a usage error', async () => {
  expect(await isobox(['repl', '--tool', 'x=./nowhere.js'], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('./nowhere.js does not load'),
  });
});
