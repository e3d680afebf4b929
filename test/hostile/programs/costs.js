'use strict';
// Guests that send little and cost their host much: memory that its V8 does not see, values that are dear to rebuild.

const { returns, stops, throws } = require('../expectations.js');

const late = stops('deadline');
const MiB = 2 ** 20;

/** @param {string} argument an expression; the host is called with its value again and again */
const again = (argument, prepare = '') =>
  `${prepare}; const v = ${argument}; for (;;) await host.ping(v)`;

/** @param {string} element an expression of `i` */
const list = (/** @type {number} */ length, /** @type {string} */ element) =>
  `Array.from({ length: ${length} }, (_, i) => ${element})`;

// Objects that come to be while they are encoded, each with names of its own.
const STRANGERS = `
  let n = 0;
  const v = ${list(38_000, '({ get x() { return Object.fromEntries(Array.from({ length: 40 }, () => ["k" + n++, 1])) } })')};`;

const SHUFFLED = `
  const shuffled = (step) => {
    const o = {};
    for (let j = 0; j < 40; j++) o['k' + ((j * step) % 41)] = j;
    return o;
  }`;

const NESTED = `
  const nested = (depth) => {
    let a = [];
    for (let i = 0; i < depth; i++) a = [a, i];
    return a;
  }`;

/** @type {import('./index.js').Category} */
module.exports = {
  limits: { wallMs: 1500 },
  programs: [
    {
      name: 'a long string, echoed',
      source: 'const s = "x".repeat(1e6); for (;;) await host.echo(s)',
      expect: late,
    },
    {
      name: 'a long string in an object, echoed',
      source: 'const s = "x".repeat(1e6); for (;;) await host.echo({ s })',
      expect: late,
    },
    {
      name: 'a string of ten million characters',
      source: again('{ s: "x".repeat(1e7), a: [1] }'),
      expect: late,
    },
    {
      name: 'a string of two bytes per character',
      source: again('{ s: "\\u0444".repeat(4e6) }'),
      expect: late,
    },
    {
      name: 'strings of line ends',
      source: again('Array(250).fill("\\n".repeat(30000))'),
      expect: late,
    },
    {
      name: 'a large buffer',
      source: again('new Uint8Array(1.5e7)'),
      values: 'clone',
      expect: late,
    },
    {
      name: 'a large string as a clone',
      source: again('"x".repeat(1.5e7)'),
      values: 'clone',
      expect: late,
    },
    {
      name: 'empty objects, one call after the other',
      source: again('new Array(249990).fill({})'),
      expect: late,
    },
    {
      name: 'empty objects, in calls that nobody answers',
      source:
        'for (let i = 0; i < 80; i++) host.never(new Array(249990).fill({})); await host.never()',
      expect: stops('calls'),
    },
    {
      name: 'buffers in calls that nobody answers',
      source: 'for (let i = 0; i < 80; i++) host.never(new Uint8Array(4e6)); await host.never()',
      values: 'clone',
      expect: stops('calls'),
    },
    {
      name: 'objects with names of their own that are made on the way',
      source: `${STRANGERS} return await host.ping(v)`,
      // From V8 12 on its serializer calls all getters first, at the guest's expense.
      expect: {
        causes: ['guest_error', 'deadline', 'memory'],
        names: ['SerializationError', 'DeadlineError', 'MemoryLimitError'],
      },
    },
    {
      name: 'objects with names of their own as a result',
      source: `${STRANGERS} return v`,
      expect: stops('output', 'deadline', 'memory'),
    },
    {
      name: 'objects of which each has the same names in another order',
      source: again(list(4000, 'shuffled(i * 2 + 1)'), SHUFFLED),
      expect: late,
    },
    {
      name: 'a million short strings with escapes',
      source: again(list(1e6, '"\\n" + i.toString(36)')),
      expect: stops('deadline', 'guest_error'),
    },
    {
      name: 'short strings with escapes, as many as may be sent',
      source: again(list(3e5, '"\\n" + i.toString(36)')),
      expect: late,
    },
    {
      name: 'regular expressions',
      source: again(list(249_000, 'new RegExp("a" + i)')),
      values: 'clone',
      limits: { wallMs: 4000 },
      expect: stops('guest_error', 'memory', 'deadline'),
    },
    {
      name: 'regular expressions, as many as may be sent',
      source: again(list(80_000, 'new RegExp("a" + i)')),
      values: 'clone',
      expect: late,
    },
    {
      name: 'a very long regular expression',
      source: 'await host.ping(new RegExp("a".repeat(1e5)))',
      values: 'clone',
      expect: throws('SerializationError'),
    },
    {
      name: 'empty maps',
      source: again(list(200_000, 'new Map()')),
      values: 'clone',
      expect: late,
    },
    {
      name: 'empty sets',
      source: again(list(200_000, 'new Set()')),
      values: 'clone',
      expect: late,
    },
    { name: 'dates', source: again(list(200_000, 'new Date(i)')), values: 'clone', expect: late },
    {
      name: 'small buffers',
      source: again(list(100_000, 'new Uint8Array(1)')),
      values: 'clone',
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'large integers',
      source: again(list(200_000, '2n ** 70n + BigInt(i)')),
      values: 'clone',
      expect: late,
    },
    {
      name: 'records',
      source: again(list(60_000, '({ id: i, name: "n" + i, v: i / 3, t: [i] })')),
      expect: late,
    },
    {
      name: 'records as clones',
      source: again(list(60_000, '({ id: i, name: "n" + i, v: i / 3, t: [i] })')),
      values: 'clone',
      expect: late,
    },
    { name: 'numbers', source: again(list(1e6, 'i / 7')), expect: stops('deadline', 'memory') },
    {
      name: 'holes',
      source: again('new Array(4e6)'),
      values: 'clone',
      expect: stops('guest_error', 'memory', 'deadline'),
    },
    {
      name: 'an object of many names',
      source: again(`Object.fromEntries(${list(150_000, '["key" + i, i]')})`),
      expect: late,
    },
    {
      name: 'an object of many numbers as names',
      source: again(`Object.fromEntries(${list(150_000, '[i * 7919, i]')})`),
      expect: late,
    },
    {
      name: 'a name of a million characters',
      source: again('{ ["x".repeat(9e5)]: 1 }'),
      expect: late,
    },
    {
      name: 'a name of ten million characters',
      source: 'await host.ping({ ["x".repeat(1e7)]: 1 })',
      expect: throws('SerializationError'),
    },
    {
      name: 'values nested as deeply as may be',
      source: again(list(200, 'nested(480)'), NESTED),
      expect: late,
    },
    {
      name: 'maps in a structured log',
      source: `const a = ${list(249_990, 'new Map()')}; for (let i = 0; i < 66; i++) console.log(a); return 1`,
      values: 'clone',
      console: 'entries',
      limits: { wallMs: 5000, memoryBytes: 128 * MiB },
      inspect: ({ value, logsTruncated }) => [value, logsTruncated],
      expect: stops('finished', 'deadline', 'memory'),
    },
    {
      name: 'regular expressions in a structured log that is read',
      source: `for (let i = 0; i < 2000; i++) console.log(${list(100, 'new RegExp("a" + i)')}); return 1`,
      values: 'clone',
      console: 'entries',
      limits: { wallMs: 5000 },
      inspect: ({ logs }) => [logs.every(({ args }) => Array.isArray(args)), logs.length > 100],
      expect: returns([true, true]),
    },
    {
      name: 'a large error',
      source: 'throw Object.assign(new Error("x".repeat(1e7)), { name: "y".repeat(1e7) })',
      expect: stops('guest_error'),
    },
  ],
};
