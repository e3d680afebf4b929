'use strict';
// Sources written to hurt whoever parses them. Each must be answered in bounded time.

const DEPTH = 100_000;

/**
 * @param {string} open
 * @param {string} middle
 * @param {string} close
 */
function nest(open, middle, close, depth = DEPTH) {
  return open.repeat(depth) + middle + close.repeat(depth);
}

/**
 * @param {number} count
 * @param {(index: number) => string} make
 * @param {string} separator
 */
function list(count, make, separator) {
  return Array.from({ length: count }, (_, index) => make(index)).join(separator);
}

/** @type {Record<string, () => string>} */
const HOSTILE = {
  // Deep nesting: the stack of a recursive parser.
  parentheses: () => nest('(', '1', ')'),
  'open parentheses': () => '('.repeat(DEPTH),
  arrays: () => nest('[', '', ']'),
  blocks: () => nest('{', '', '}'),
  'type arguments': () => `type A = ${nest('Array<', '1', '>')}`,
  'parenthesized types': () => `type A = ${nest('(', '1', ')')}`,
  'unary operators': () => `${'!'.repeat(DEPTH)}1 as any`,
  'binary operators': () => `${'1+'.repeat(DEPTH)}1 as any`,
  'member chains': () => `let a: any = b${'.c'.repeat(DEPTH)}`,
  'assertion chains': () => `1${' as any'.repeat(DEPTH)}`,
  'else if chains': () => `let n: any; ${'if (n) {} else '.repeat(20_000)}{}`,
  templates: () => nest('`${', '1', '}`', 30_000),
  'JSX elements': () => nest('<a>{', '1', '}</a>', 20_000),
  'JSX elements within bounds': () => nest('<a>{', '1', '}</a>', 2000),
  'JSX attributes': () => nest('<a b={', '1', '}/>', 20_000),
  'arrow functions': () => `let f: any = ${'(a) => '.repeat(20_000)}1`,
  conditionals: () => `let f: any = ${'a ? b : '.repeat(DEPTH)}1`,
  assignments: () => `let f: any = ${'a = '.repeat(DEPTH)}1`,
  constructors: () => `let f: any = ${'new '.repeat(DEPTH)}A`,
  statements: () => `let n: any; ${'for (;;) '.repeat(DEPTH)}n`,
  patterns: () => `let ${nest('[', 'a', ']')}: any = 1`,
  'plain JavaScript': () => nest('`${', '1', '}`', 2000),
  'plain JavaScript functions': () => nest('(function(){', '', '})', 1000),
  'plain regular expressions': () =>
    `x = ${nest('[', `/${nest('(?=', '', ')', 300)}/`, ']', 1000)}`,
  namespaces: () => nest('namespace a {', 'export const x = 1', '}', 5000),
  'dotted namespaces': () => `namespace ${'a.'.repeat(20_000)}b { export const x = 1 }`,
  'open generics': () => 'f<'.repeat(DEPTH),
  'type assertions': () => '<T>'.repeat(DEPTH),
  labels: () => `let n: any; ${list(8000, (index) => `a${index}:`, '')} n`,
  'regular expression groups': () => `let r: any = /${nest('(', 'a', ')', 20_000)}/`,
  lookaheads: () => `let r: any = /${nest('(?=', '', ')', 20_000)}/`,
  // Backtracking: exponential time from little text.
  'arrow functions or not': () => `let f: any = ${nest('(a = ', '1', ')', 40)}`,
  'generic arrow functions or not': () => `let f: any = ${nest('<T>(a = ', '1', ')', 40)}`,
  'async arrow functions or not': () => `let f: any = ${nest('async (a = ', '1', ')', 40)}`,
  'async generic functions or not': () => `let f: any = ${nest('async <T>(a = ', '1', ')', 40)}`,
  'conditional arrow functions': () => `let f: any = ${nest('a ? (b : c) => d : (', '1', ')', 40)}`,
  'comparisons or type arguments': () => `let f: any = ${nest('a<', 'b', '>', 40)}(1)`,
  // Blow-up of the output, or of the work to be done.
  'doubling enum members': () =>
    `enum A { x0 = 'aaaaaaaaaa', ${list(60, (index) => `x${index + 1} = x${index} + x${index}`, ',')} }`,
  'many enum members': () => `enum A { ${list(60_000, (index) => `x${index}`, ',')} }`,
  'many declarations': () => list(60_000, (index) => `let a${index}: any`, ';'),
  'many exports': () => `let n: any; ${list(20_000, (index) => `export const a${index} = 1`, ';')}`,
  'many named groups': () => `let r: any = /${list(50_000, () => '(?<a>x)', '|')}/`,
  'many imports': () =>
    `${list(30_000, (index) => `import { A${index} } from 'a'`, ';')}; let n: A1`,
  'many fences': () => '```ts\n```\n'.repeat(90_000),
  'many assertions': () => 'a = 1 as any;'.repeat(70_000),
  // Odd characters.
  'nul characters': () => '\0'.repeat(500_000),
  'lone surrogates': () => `let a: string = "\ud800"; ${'\udc00'.repeat(50_000)}`,
  'a long comment': () => `/*${'x'.repeat(1_000_000)}*/ 1 as any`,
  'a long string': () => `let a: string = "${'x'.repeat(1_000_000)}"`,
  'more than is allowed': () => `let a: string = "${'x'.repeat(10_000_000)}"`,
  'unclosed regular expressions': () => 'let n: any = /[/'.repeat(50_000),
  'decorators without end': () => `${'@a '.repeat(50_000)}class A {}`,
};

module.exports = { HOSTILE };
