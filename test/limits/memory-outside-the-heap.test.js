'use strict';
// Builtins that take memory where V8 does not count it, most of them without letting themselves be stopped. The process
// must not grow by more than twice what the guest may use, and must have it back when the run has ended.

const { runChild } = require('../support/child.js');

const MEMORY_MIB = 64;
const GROWN_MIB = 2 * MEMORY_MIB;
// What was freed and is kept by the C library for the next who asks.
const LEFT_MIB = MEMORY_MIB;

const LONG = "const long = 'x'.repeat(1e7);";
// Joined it is flat, and V8 has a faster way for that.
const FLAT = "const flat = ['x'.repeat(1e6)].join('');";
const WIDE = "const wide = '\\u1234'.repeat(1e6);";

/** @type {Record<string, string>} */
const PROGRAMS = {
  'parse: objects in objects': 'JSON.parse(\'{"a":\'.repeat(1e8))',
  'parse: objects in objects, ten times fewer': 'JSON.parse(\'{"a":\'.repeat(1e7))',
  'parse: objects in objects, as many as fit as text': 'JSON.parse(\'{"a":\'.repeat(1.2e7))',
  'parse: objects in objects, in two bytes per character':
    'JSON.parse(\'{"\\u1234":\'.repeat(5e6))',
  'parse: arrays in arrays': "JSON.parse('['.repeat(6e7))",
  'parse: arrays in arrays that are closed': "JSON.parse('['.repeat(2e7) + ']'.repeat(2e7))",
  'parse: arrays in arrays, behind elements': "JSON.parse('[1,1,1,1,'.repeat(5e6))",
  'parse: one long array': "JSON.parse('[' + '1,'.repeat(2.5e7) + '1]')",
  'parse: one long array of fractions': "JSON.parse('[' + '0.5,'.repeat(1.4e7) + '1]')",
  'parse: one long array of strings':
    'JSON.parse(\'["x"\' + \',"abcdefghijkl"\'.repeat(4e6) + "]")',
  'parse: empty objects': "JSON.parse('[' + '{},'.repeat(2e7) + '1]')",
  'parse: empty arrays': "JSON.parse('[' + '[],'.repeat(2e7) + '1]')",
  'parse: arrays of pairs': "JSON.parse('[' + '[1,2],'.repeat(1e7) + '1]')",
  'parse: one name again and again': 'JSON.parse(\'{"a":0\' + \',"a":1\'.repeat(8e6) + "}")',
  'parse: long names in objects in objects': 'JSON.parse((`{"${"k".repeat(20)}":`).repeat(1.5e6))',
  'parse: arrays in arrays, behind spaces': "JSON.parse('[ '.repeat(2.5e7))",
  'parse: a giant that is not flat': "JSON.parse('[1]'.repeat(1.7e8))",
  'parse: what an object converts to': 'JSON.parse({ toString: () => \'{"a":\'.repeat(1e7) })',
  'parse: with a reviver': "JSON.parse('['.repeat(5e7), (k, v) => v)",
  'parse: again and again': "for (;;) { try { JSON.parse('['.repeat(5e7)) } catch {} }",
  'stringify: one long string, many times': `${LONG} JSON.stringify(Array(1000).fill(long))`,
  'stringify: one flat string, many times': `${FLAT} JSON.stringify(Array(3999).fill(flat))`,
  'stringify: one wide string, many times': `${WIDE} JSON.stringify(Array(3000).fill(wide))`,
  'stringify: a wide string behind long ones': `${LONG} ${WIDE} JSON.stringify([...Array(20).fill(long), wide, ...Array(1000).fill(long)])`,
  'stringify: characters that are escaped': "JSON.stringify(Array(1000).fill('\\0'.repeat(1e6)))",
  'stringify: arrays that are shared': `${FLAT} let a = [flat]; for (let i = 0; i < 40; i++) a = [a, a]; JSON.stringify(a)`,
  'stringify: short arrays that are shared':
    'let a = []; for (let i = 0; i < 60; i++) a = [a, a]; JSON.stringify(a)',
  'stringify: objects that are shared':
    'let o = {}; for (let i = 0; i < 60; i++) o = { o, p: o }; JSON.stringify(o)',
  'stringify: long names':
    "const o = { ['k'.repeat(1e6)]: 1 }; JSON.stringify(Array(3000).fill(o))",
  'stringify: many indented lines':
    'let a = Array(1e6).fill(1); for (let i = 0; i < 100; i++) a = [a]; JSON.stringify(a, null, 10)',
  'stringify: toJSON': `${LONG} JSON.stringify(Array(1000).fill({ toJSON: () => long }))`,
  'stringify: getters': `${LONG} JSON.stringify(Array(1000).fill({ get a() { return long } }))`,
  'stringify: a proxy': `${LONG} JSON.stringify(new Proxy([], { get: (t, k) => (k === 'length' ? 1000 : long) }))`,
  'stringify: a replacer': `${LONG} JSON.stringify(Array(1000).fill(1), (k, v) => (k ? long : v))`,
  'stringify: names to keep': `${LONG} JSON.stringify(Array(1000).fill({ a: long, b: 1 }), ['a'])`,
  'stringify: inside of stringify': `${LONG} JSON.stringify(Array(1000).fill({ toJSON: () => (JSON.stringify([1]), long) }))`,
  'stringify: again and again': `${LONG} for (;;) { try { JSON.stringify(Array(1000).fill(long)) } catch {} }`,
  'a log of one long string, many times': `${LONG} console.log(Array(1000).fill(long))`,
  'a log of arrays that are shared':
    'let a = []; for (let i = 0; i < 60; i++) a = [a, a]; console.log(a)',
  'encodeURIComponent of a wide string': "encodeURIComponent('\\u20ac'.repeat(3e7))",
  'encodeURI of what an object converts to': "encodeURI({ toString: () => '\\u00e9'.repeat(6e7) })",
  'decodeURIComponent of a giant': "decodeURIComponent('x'.repeat(2 ** 29 - 100))",
  'decodeURI of what an object converts to': "decodeURI({ toString: () => 'x'.repeat(5e7) })",
  'normalize of a giant': "'\\u1234'.repeat(2 ** 29 - 100).normalize()",
  'normalize of what an object converts to':
    "String.prototype.normalize.call({ toString: () => '\\u1234'.repeat(3e7) }, 'NFC')",
  'segments of a giant': "new Intl.Segmenter('en').segment('x'.repeat(2 ** 29 - 100))",
  'eval of many objects': "eval('[' + '{a:1},'.repeat(5e6) + ']')",
  'eval of many functions': "(0, eval)('function f(){};'.repeat(3e6))",
  'new Function of many calls': "new Function('f();'.repeat(1e7))",
  'a generator function of many calls': "(function* () {}).constructor('a', 'f(a);'.repeat(1e7))",
  'normalize, to eighteen times as much': "'\\ufdfa'.repeat(1e7).normalize('NFKD')",
  'a list of one long string, many times': `${LONG} new Intl.ListFormat('en').format(Array(1000).fill(long))`,
  'a list of short strings, many times':
    "new Intl.ListFormat('en').formatToParts(Array(3e5).fill('x'.repeat(1000)))",
  'a list that a generator makes': `${LONG} new Intl.ListFormat('en').format((function* () { for (;;) yield long })())`,
  'a list whose iteration is replaced': `${LONG}
    Array.prototype[Symbol.iterator] = function* () { for (let i = 0; i < 1e4; i++) yield long };
    new Intl.ListFormat('en').format([5])`,
};

describe('a guest is stopped for memory, and the process stays small, at', () => {
  /** @type {any[]} */
  let answers;
  /** @type {any} */
  let child;

  beforeAll(async () => {
    child = await runChild(
      async ({ IsolatePool, report, require, sleep, until }, { programs, memoryMiB, leftMiB }) => {
        const fs = require('node:fs');
        const MiB = 2 ** 20;
        const residentMiB = () => process.memoryUsage.rss() / MiB;
        const peakMiB = () =>
          Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
        const pool = new IsolatePool({ threads: 1 });
        const limits = { wallMs: 20_000, memoryBytes: memoryMiB * MiB };
        for (let i = 0; i < 5; i++) await pool.run({ source: 'JSON.stringify(JSON.parse("[]"))' });
        for (const [name, source] of Object.entries(programs)) {
          await sleep(20);
          const before = residentMiB();
          fs.writeFileSync('/proc/self/clear_refs', '5'); // the peak starts anew
          const intrinsics = { codeGeneration: true };
          const { cause } = await pool.run({ source, limits, intrinsics });
          const isBack = () => pool.stats().stuck === 0 && residentMiB() - before < leftMiB;
          const isGivenBack = await until(isBack).then(
            () => true,
            () => false,
          );
          report({ name, cause, grownMiB: peakMiB() - before, isGivenBack });
        }
        await pool.dispose();
      },
      { args: { programs: PROGRAMS, memoryMiB: MEMORY_MIB, leftMiB: LEFT_MIB }, boundMs: 170_000 },
    );
    answers = child.reports;
  }, 180_000);

  test('the host lives', () => {
    expect({ code: child.code, stderr: child.stderr }).toEqual({ code: 0, stderr: '' });
    expect(answers).toHaveLength(Object.keys(PROGRAMS).length);
  });

  test.each(Object.keys(PROGRAMS))('%s', (name) => {
    const { cause, grownMiB, isGivenBack } = answers.find((answer) => answer.name === name);
    expect({ cause, isGivenBack }).toEqual({ cause: 'memory', isGivenBack: true });
    expect(grownMiB).toBeLessThan(GROWN_MIB);
  });
});
