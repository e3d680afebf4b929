'use strict';
// Guests that V8 itself has no answer to but to end the process: sizes beyond its tables, compilers without stack or
// space. The caller is answered and the host lives; the thread is lost.

const edge = (/** @type {string} */ work) =>
  `const f = () => { try { f() } finally { ${work} } }; f()`;

/** @type {import('isobox').StopCause[]} */
const ANY_END = ['memory', 'deadline', 'crashed', 'guest_error'];

/**
 * @param {string} name
 * @param {string} source
 * @param {Partial<import('./index.js').HostileProgram>} [more]
 * @returns {import('./index.js').HostileProgram}
 */
const fatal = (name, source, more) => ({
  name,
  source: `${source}; for (;;) {}`,
  losesThread: true,
  expect: { causes: ANY_END },
  ...more,
});

/** @type {import('./index.js').Category} */
module.exports = {
  limits: { wallMs: 1000 },
  // They have hundreds of MiB mapped and unmapped at a time, for which the kernel holds up every thread of the process.
  settleMs: 150,
  programs: [
    fatal('sort of an array-like of a billion', 'Array.prototype.sort.call({ length: 2 ** 30 })'),
    fatal(
      'toSorted of an array-like of a quarter billion',
      'Array.prototype.toSorted.call({ length: 2 ** 28 })',
    ),
    fatal('fill of an array that grows as it goes', 'new Array(2 ** 27).fill(0)'),
    fatal('unshift of a long array', 'const a = []; a.length = 2 ** 28; a.unshift(1)'),
    fatal('split of a long text into characters', '"ab".repeat(2 ** 27).split("")'),
    fatal('match of every character of a long text', '"a".repeat(2 ** 28).match(/a/g)'),
    fatal('a long text spread into an array', '[..."a".repeat(2 ** 28)]'),
    fatal('the entries of a long text', 'Object.entries("ab".repeat(2 ** 27))'),
    fatal('the names of a long text', 'Object.getOwnPropertyNames("ab".repeat(2 ** 27))'),
    fatal('for in over a long text', 'for (const k in Object("ab".repeat(2 ** 27))) break'),
    fatal('JSON.parse of a very long array', 'JSON.parse("[" + "0,".repeat(2e8) + "0]")'),
    fatal('apply with a hundred million arguments', 'Math.max.apply(null, { length: 2 ** 27 })'),
    fatal(
      'fromCharCode with a quarter billion arguments',
      'String.fromCharCode.apply(null, { length: 2 ** 28 })',
    ),
    fatal(
      'a regular expression of nested lookaheads',
      'new RegExp("(?=".repeat(2e4) + ")".repeat(2e4)).test("a")',
    ),
    fatal(
      'a regular expression of nested groups',
      'new RegExp("(?:".repeat(3e4) + ")".repeat(3e4)).test("a")',
    ),
    fatal('a regular expression of two million choices', 'new RegExp("a|".repeat(2e6)).test("b")'),
    fatal(
      'a regular expression of large repetitions',
      'new RegExp("(?:a{0,1000}){0,1000}b").test("a".repeat(1000))',
    ),
    fatal(
      'a regular expression of a great many bytes of code',
      'new RegExp(".{65535}".repeat(500)).test("b")',
    ),
    fatal(
      'ever larger regular expressions',
      'for (let i = 0; ; i++) new RegExp("(?:a{1,500}b" + i + "){1,500}").test("aab")',
    ),
    fatal(
      'regular expressions at the edge of the stack',
      edge('new RegExp("(?:a|b(?:c|d)*)+" + Math.random()).test("abc")'),
    ),
    fatal(
      'lookbehinds at the edge of the stack',
      'const f = () => { try { f() } catch { new RegExp("(?<=" + "(?:a{2,3}){2,3}".repeat(20) + ")b").test("b") } }; f()',
    ),
    fatal(
      'the parser at the edge of the stack',
      edge('(0, eval)("(".repeat(1000) + ")".repeat(1000))'),
      {
        intrinsics: { codeGeneration: true },
      },
    ),
    fatal('JSON at the edge of the stack', edge('JSON.parse("[".repeat(500) + "]".repeat(500))')),
    fatal(
      'dates in words at the edge of the stack',
      edge('new Intl.DateTimeFormat("de", { dateStyle: "full" }).format()'),
    ),
    fatal('collation at the edge of the stack', edge('"x".localeCompare("y", "sv")')),
    fatal(
      'calls of the host at the edge of the stack',
      edge('host.echo([{ a: [1] }]).catch(() => {})'),
    ),
    fatal(
      'the console at the edge of the stack',
      edge('console.log({ a: { b: 1 } }, new Error("x"))'),
    ),
    fatal('imports at the edge of the stack', edge('import("./x.js").catch(() => {})')),
    fatal(
      'errors and classes at the edge of the stack',
      edge('new Error("x").stack; class A { static #x = 1 }'),
    ),
    fatal('BigInts at the edge of the stack', edge('(1n << 100000n).toString()')),
    fatal(
      'a function of seventy thousand parameters',
      'new Function(...Array.from({ length: 7e4 }, (_, i) => "a" + i), "")',
      {
        intrinsics: { codeGeneration: true },
      },
    ),
    fatal('a million case labels', '(0, eval)("switch (1) {" + "case 2:".repeat(1e6) + "}")', {
      intrinsics: { codeGeneration: true },
    }),
    fatal('a sum of five million terms', '(0, eval)("1" + "+1".repeat(5e6))', {
      intrinsics: { codeGeneration: true },
    }),
    fatal(
      'a class of three hundred thousand private fields',
      '(0, eval)("(class {" + Array.from({ length: 3e5 }, (_, i) => "#p" + i + "=1;").join("") + "})")',
      {
        intrinsics: { codeGeneration: true },
      },
    ),
    fatal(
      'more promises than Promise.all can count',
      'await Promise.all(new Array(2 ** 21 + 5).fill(0))',
      {
        limits: { memoryBytes: 2 ** 29 },
      },
    ),
    fatal(
      'a text in upper case, in Turkish, of a quarter billion characters',
      '"a".repeat(2 ** 28).toLocaleUpperCase("tr")',
    ),
    fatal(
      'a text of a quarter billion characters, decomposed',
      '"\\ufdfa".repeat(2 ** 27).normalize("NFKD")',
    ),
    fatal(
      'the segments of a quarter billion characters',
      'new Intl.Segmenter("en").segment("a".repeat(2 ** 28))',
    ),
  ],
};
