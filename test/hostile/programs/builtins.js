'use strict';
// Builtins that V8 does not interrupt, or looks up from too seldom. The caller is answered all the same; the thread of
// some never comes back.

const { stops, throws, throwsRangeErrorOr } = require('../expectations.js');

const late = stops('deadline');
const HUGE = '{ length: 2 ** 53 - 1 }';
const ARRAY = 'new Array(2 ** 32 - 1)';

/** On an array-like of the greatest length; what allocates as it goes may reach the memory limit first. */
const onArrayLike = (/** @type {string} */ method, args = '') => ({
  name: `Array.prototype.${method} on an array-like of length 2 ** 53 - 1`,
  source: `Array.prototype.${method}.call(${HUGE}${args && `, ${args}`})`,
  losesThread: true,
  expect: stops('deadline', 'memory'),
});

const onSparseArray = (/** @type {string} */ expression) => ({
  name: `${expression}, of an array of length 2 ** 32 - 1`,
  source: `const array = ${ARRAY}; ${expression}`,
  losesThread: true,
  expect: throwsRangeErrorOr('deadline', 'memory'),
});

/** @type {import('./index.js').Category} */
module.exports = {
  limits: { wallMs: 100 },
  programs: [
    onArrayLike('indexOf', '1'),
    onArrayLike('lastIndexOf', '1'),
    onArrayLike('includes', '1'),
    onArrayLike('reverse'),
    onArrayLike('fill', '0'),
    onArrayLike('copyWithin', '0, 1'),
    onArrayLike('splice', '0, 1'),
    onArrayLike('shift'),
    onArrayLike('forEach', '() => {}'),
    onArrayLike('reduceRight', '(a) => a, 0'),
    onArrayLike('find', '() => false'),
    onArrayLike('findLast', '() => false'),
    onArrayLike('some', '() => false'),
    onArrayLike('filter', '() => false'),
    onSparseArray('array.indexOf(1)'),
    onSparseArray('array.sort()'),
    onSparseArray('array.reverse()'),
    onSparseArray('array.concat(array, [1])'),
    onSparseArray('array.toLocaleString()'),
    onSparseArray('array.flat()'),
    {
      name: 'Array.prototype.join on an array-like that has an empty separator',
      source: 'Array.prototype.join.call({ length: 2 ** 32 - 2 }, "")',
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'concat of spreadable array-likes',
      source: `[].concat({ ...${HUGE}, length: 2 ** 52, [Symbol.isConcatSpreadable]: true }); for (;;) {}`,
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'Array.from of a long array-like',
      source: 'Array.from({ length: 2 ** 32 - 1 })',
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'String.raw with a long array-like',
      source: `String.raw({ raw: ${HUGE} })`,
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'Reflect.apply with a long array-like',
      source: `Reflect.apply(Math.max, null, ${HUGE})`,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'CreateListFromArrayLike of two hundred million',
      source: 'Reflect.construct(Array, { length: 2e8 })',
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'the digits of a BigInt of sixteen million bits',
      source: '(1n << 16_000_000n).toString().length',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'a BigInt from sixteen million digits',
      source: 'BigInt("9".repeat(1.6e7))',
      losesThread: true,
      expect: stops('deadline', 'memory', 'guest_error'),
    },
    {
      name: 'a product of huge BigInts',
      source: 'let x = (1n << 30_000_000n) - 1n; for (;;) x * x',
      limits: { memoryBytes: 2 ** 28 },
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'a power of BigInts',
      source: '3n ** 20_000_000n',
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'a division of huge BigInts',
      source: 'const x = (1n << 40_000_000n) - 1n; for (;;) x / 3n ** 1_000_000n',
      limits: { memoryBytes: 2 ** 28 },
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'BigInt.asUintN of a billion bits',
      source: 'BigInt.asUintN(2 ** 30 - 1, -1n).toString(2).length',
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'normalize of a long text',
      source: 'for (;;) "\\ufdfa\\u0344".repeat(2 ** 20).normalize("NFKD").normalize("NFC")',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'the worst case of lastIndexOf',
      source: 'for (;;) ("a".repeat(2 ** 23)).lastIndexOf("b" + "a".repeat(2 ** 20))',
      losesThread: true,
      expect: late,
    },
    {
      name: 'the worst case of indexOf',
      source:
        'const text = "ab".repeat(2 ** 22), part = "ab".repeat(2 ** 20) + "b"; for (;;) text.indexOf(part)',
      losesThread: true,
      expect: late,
    },
    {
      name: 'replaceAll that grows',
      source: 'let s = "a"; for (;;) s = s.replaceAll("a", "aa")',
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'the keys of a long text',
      source: 'Object.keys("x".repeat(2 ** 28)).length',
      limits: { memoryBytes: 2 ** 29 },
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'a long text spread into an object',
      source: 'const x = { ..."x".repeat(2 ** 26) }; x',
      limits: { wallMs: 500 },
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'encodeURIComponent and back',
      source:
        'let s = "\\u20ac".repeat(2 ** 20); for (;;) decodeURIComponent(encodeURIComponent(s))',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'toLocaleUpperCase of a long text',
      source: 'for (;;) "\\u00df\\u0131".repeat(2 ** 21).toLocaleUpperCase("tr")',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'localeCompare of long texts',
      source:
        'const a = "\\u00e4e\\u0301".repeat(2 ** 20); for (;;) (a + "x").localeCompare(a + "y", "sv")',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'Intl.Segmenter over a long text',
      source:
        'for (const _ of new Intl.Segmenter("th", { granularity: "word" }).segment("\\u0e01\\u0e32".repeat(2 ** 20)));',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'a typed array of sixteen million, sorted',
      source:
        'const a = new Float64Array(6e6); for (;;) { for (let i = 0; i < a.length; i++) a[i] = (i * 7919) % 1e6; a.sort() }',
      losesThread: true,
      expect: late,
    },
    {
      name: 'fill of sixty megabytes in a loop',
      source: 'const a = new Uint8Array(60 * 2 ** 20); for (;;) a.fill(1)',
      limits: { memoryBytes: 2 ** 27 },
      losesThread: true,
      expect: late,
    },
    {
      name: 'copyWithin of sixty megabytes in a loop',
      source: 'const a = new Uint8Array(60 * 2 ** 20); for (;;) a.copyWithin(1, 0)',
      limits: { memoryBytes: 2 ** 27 },
      losesThread: true,
      expect: late,
    },
    {
      name: 'a typed array joined',
      source: 'new Float64Array(6e6).fill(1 / 3).join().length',
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'a typed array from an array-like of lies',
      source: 'new Uint8Array({ length: 5e7 })',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'JSON.parse of a million levels',
      source: 'JSON.parse("[".repeat(1e6) + "]".repeat(1e6)); for (;;) {}',
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'JSON.stringify of the same large part, many times over',
      source: 'let a = [1]; for (let i = 0; i < 27; i++) a = [a, a]; for (;;) JSON.stringify(a)',
      losesThread: true,
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'a character class of all of Unicode, without regard to case',
      source:
        'for (let i = 0; ; i++) new RegExp("[\\\\p{L}\\\\p{N}--" .slice(0, 11) + "]{" + (i % 90) + "}", "iu").test("x".repeat(100))',
      losesThread: true,
      expect: late,
    },
    {
      name: 'matchAll that collects',
      source: '[..."ab".repeat(2 ** 23).matchAll(/a|b/g)].length',
      expect: throwsRangeErrorOr('deadline', 'memory'),
    },
    {
      name: 'a date in the words of every time zone',
      source:
        'for (;;) for (const timeZone of Intl.supportedValuesOf("timeZone")) new Date().toLocaleString("ar", { timeZone, dateStyle: "full", timeStyle: "full" })',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'a hash table whose keys collide',
      source: `const map = new Map(); for (let i = 0; ; i++) map.set({ i }, i).delete(i)`,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'Object.groupBy of a flood, where there is one',
      source:
        'const group = Object.groupBy ?? ((a, f) => a.map(f)); for (;;) group(Array.from({ length: 1e5 }, (_, i) => i), (i) => "k" + i)',
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'a format with a hundred digits of everything',
      source:
        'for (let i = 0; ; i++) (i / 3).toFixed(100) + (i / 7).toString(36) + new Intl.NumberFormat("hi", { minimumFractionDigits: 20 }).format(i)',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'a number literal of ten million digits',
      source: 'for (;;) Number("1".repeat(1e7)) + parseFloat("0." + "1".repeat(1e7))',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'a date text of ten million characters',
      source: 'for (;;) Date.parse("(".repeat(1e7))',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'a shift of BigInts past every size',
      source: '1n << (2n ** 62n)',
      limits: { wallMs: 2000 },
      expect: throws('RangeError'),
    },
  ],
};
