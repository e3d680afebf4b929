'use strict';
// Guests that go as deep as they can: through calls, the parser, the encoders, and what V8 does by recursion.

const { returns, stops, throws, throwsRangeErrorOr } = require('../expectations.js');

const overflow = throws('RangeError');
/** V8 goes through some of these without recursion, in some versions. */
const overflowOrFine = throwsRangeErrorOr('deadline', 'memory', 'finished');
const overflowOrStopped = throwsRangeErrorOr('deadline', 'memory');

/** @type {import('./index.js').Category} */
module.exports = {
  limits: { wallMs: 4000 },
  programs: [
    { name: 'a function', source: '(function f() { f() })()', expect: overflow },
    {
      name: 'functions with many variables',
      source: `(function f() { const [${Array.from({ length: 200 }, (_, i) => `v${i}`)}] = []; return f() + v0 })()`,
      expect: overflow,
    },
    {
      name: 'a call with ten thousand arguments at every level',
      source: 'const a = new Array(10_000).fill(0); (function f() { f(...a) })()',
      expect: overflow,
    },
    {
      name: 'two functions in turn',
      source: 'const a = () => b(), b = () => a(); a()',
      expect: overflow,
    },
    {
      name: 'optimized recursion',
      source:
        'const f = (n) => (n ? f(n - 1) + 1 : 0); for (let i = 0; i < 1e4; i++) f(50); return f(1e9)',
      expect: overflow,
    },
    {
      name: 'recursion inside the catch of recursion',
      source:
        'let n = 0; const f = () => { try { f() } catch { if (n++ < 1e4) f() } }; f(); return n > 0',
      expect: { causes: ['finished', 'guest_error', 'deadline'] },
    },
    { name: 'getters', source: 'const o = { get x() { return o.x } }; o.x', expect: overflow },
    { name: 'setters', source: 'const o = { set x(v) { o.x = v } }; o.x = 1', expect: overflow },
    {
      name: 'traps of a proxy',
      source: 'const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x',
      expect: overflow,
    },
    {
      name: 'a hundred thousand proxies around each other',
      source: 'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x',
      expect: overflow,
    },
    {
      name: 'a prototype chain through proxies, asked for its members',
      source:
        'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy({}, { getPrototypeOf: ((q) => () => q)(p) }); p instanceof Array',
      expect: overflowOrFine,
    },
    {
      name: 'a prototype chain of ten thousand',
      source:
        'let p = {}; for (let i = 0; i < 1e4; i++) p = Object.create(p); return p.x === undefined',
      expect: returns(true),
    },
    {
      name: 'a chain of bound functions',
      source: 'let f = () => 1; for (let i = 0; i < 3e5; i++) f = f.bind(); f()',
      expect: overflowOrFine,
    },
    {
      name: 'instanceof through bound functions',
      source: 'let f = class {}; for (let i = 0; i < 3e5; i++) f = f.bind(); ({}) instanceof f',
      expect: overflowOrFine,
    },
    {
      name: 'a chain of classes, constructed',
      source: 'let C = class {}; for (let i = 0; i < 2e4; i++) C = class extends C {}; new C()',
      expect: overflowOrFine,
    },
    {
      name: 'toString',
      source: 'const o = { toString() { return `${o}` } }; `${o}`',
      expect: overflow,
    },
    {
      name: 'toPrimitive in a comparison',
      source: 'const o = { [Symbol.toPrimitive]: () => o < 1 }; o < 1',
      expect: overflow,
    },
    {
      name: 'a comparator that sorts',
      source: 'const c = () => [2, 1].sort(c) && 0; [2, 1].sort(c)',
      expect: overflow,
    },
    {
      name: 'a replacement that replaces',
      source: 'const r = () => "a".replace("a", r); "a".replace(/a/, r)',
      expect: overflow,
    },
    {
      name: 'a reviver that parses',
      source: 'const r = () => JSON.parse("1", r); JSON.parse("1", r)',
      expect: overflow,
    },
    {
      name: 'a toJSON that stringifies',
      source: 'const o = { toJSON: () => JSON.stringify(o) }; JSON.stringify(o)',
      expect: overflow,
    },
    {
      name: 'generators within generators',
      source: 'function* f() { yield* f() } f().next()',
      expect: overflow,
    },
    {
      name: 'an iterator that spreads itself',
      source: 'const o = { [Symbol.iterator]: () => [...o] }; [...o]',
      expect: overflow,
    },
    {
      name: 'async functions that do not wait',
      source: 'const f = async () => { await f() }; await f()',
      expect: overflow,
    },
    {
      name: 'construction in construction',
      source: 'class A { a = new A() } new A()',
      expect: overflow,
    },
    {
      name: 'a static field of a class expression in its own heritage',
      source: 'const f = () => class extends f() { static x = f() }; f()',
      expect: overflow,
    },
    {
      name: 'parentheses in the source',
      source: `return ${'('.repeat(1e5)}1${')'.repeat(1e5)}`,
      expect: { causes: ['link_error', 'guest_error', 'finished'] },
    },
    {
      name: 'arrays in the source',
      source: `return ${'['.repeat(1e5)}${']'.repeat(1e5)}`,
      expect: { causes: ['link_error', 'guest_error'] },
    },
    {
      name: 'blocks in the source',
      source: `${'{'.repeat(1e5)}${'}'.repeat(1e5)}`,
      expect: { causes: ['link_error', 'guest_error', 'finished'] },
    },
    {
      name: 'arrow functions in the source',
      source: `${'()=>'.repeat(1e5)}1`,
      expect: { causes: ['link_error', 'guest_error', 'finished'] },
    },
    {
      name: 'templates in the source',
      source: `return ${'`${'.repeat(5e4)}1${'}`'.repeat(5e4)}`,
      expect: { causes: ['link_error', 'guest_error', 'finished'] },
    },
    {
      name: 'unary operators in the source',
      source: `return ${'!'.repeat(2e5)}1`,
      expect: { causes: ['link_error', 'guest_error', 'finished'] },
    },
    {
      name: 'a sum of a hundred thousand terms in the source',
      source: `const x = 1; return ${'x+('.repeat(5e4)}x${')'.repeat(5e4)}`,
      expect: { causes: ['link_error', 'guest_error', 'finished'] },
    },
    {
      name: 'else if a hundred thousand times in the source',
      source: `const x = 0; ${'if (x) {} else '.repeat(1e5)}{}`,
      expect: { causes: ['link_error', 'guest_error', 'finished'] },
    },
    {
      name: 'conditionals in the source',
      source: `const x = 0; return ${'x?1:'.repeat(1e5)}2`,
      expect: { causes: ['link_error', 'guest_error', 'finished'] },
    },
    {
      name: 'destructuring patterns in the source',
      source: `const ${'['.repeat(5e4)}x${']'.repeat(5e4)} = []`,
      expect: { causes: ['link_error', 'guest_error'] },
    },
    {
      name: 'classes in classes in the source',
      source: `${'class A { static x = '.repeat(2e4)}1${'}'.repeat(2e4)}`,
      expect: { causes: ['link_error', 'guest_error', 'finished'] },
    },
    {
      name: 'depth in the source of a module',
      source: `export default ${'['.repeat(1e5)}${']'.repeat(1e5)}`,
      kind: 'module',
      expect: { causes: ['link_error', 'guest_error'] },
    },
    {
      name: 'depth in a JSON module',
      source: 'import deep from "./deep.json"; export default 1',
      kind: 'module',
      module: { sources: { 'deep.json': '['.repeat(1e6) + ']'.repeat(1e6) } },
      expect: stops('memory'),
    },
    {
      name: 'depth in generated code',
      source: '(0, eval)("(".repeat(1e6))',
      intrinsics: { codeGeneration: true },
      expect: throws('RangeError', 'SyntaxError'),
    },
    {
      name: 'a generator of code inside itself',
      source: 'const f = () => new Function("f", "return f(f)")(f); f()',
      intrinsics: { codeGeneration: true },
      expect: overflowOrStopped,
    },
    {
      name: 'groups of a regular expression',
      source: 'new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("a")',
      expect: throws('SyntaxError', 'RangeError'),
    },
    {
      name: 'JSON.parse',
      source: 'JSON.parse("[".repeat(1e6) + "]".repeat(1e6))',
      expect: { causes: ['guest_error', 'finished', 'memory'] },
    },
    {
      name: 'JSON.stringify',
      source: 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)',
      expect: overflowOrFine,
    },
    {
      name: 'flat without end',
      source: 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)',
      expect: overflow,
    },
    {
      name: 'join of arrays in arrays',
      source: 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; String(a)',
      expect: overflow,
    },
    {
      name: 'a rope of a million parts, flattened',
      source:
        'let s = "", t = ""; for (let i = 0; i < 5e5; i++) { s = "a" + s; t = t + "b" } return s.charCodeAt(3) + t.charCodeAt(4)',
      expect: returns(195),
    },
    {
      name: 'a rope that is deep on both sides, compared',
      source:
        'let s = "x"; for (let i = 0; i < 25; i++) s = s + s; let t = "x"; for (let i = 0; i < 25; i++) t = t + t; return s === t',
      expect: { causes: ['finished', 'memory', 'deadline'] },
    },
    {
      name: 'a result, under the JSON profile',
      source: 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a',
      expect: stops('serialization'),
    },
    {
      name: 'a result, under the clone profile',
      source: 'let a = []; for (let i = 0; i < 1e5; i++) a = new Map([[a, a]]); return a',
      values: 'clone',
      expect: stops('serialization'),
    },
    {
      name: 'an argument of a call',
      source:
        'let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; try { await host.echo(a) } catch (e) { return e.name }',
      expect: returns('SerializationError'),
    },
    {
      name: 'a result that calls getters at the edge of the stack',
      source:
        'const o = () => ({ get a() { return o() } }); const f = () => { try { f() } catch { host.echo(o()).catch(() => {}) } }; f(); return o()',
      expect: stops('serialization', 'guest_error'),
    },
    {
      name: 'a host call at the edge of the stack',
      source: `
        let call; const f = () => { try { f() } catch { call ??= host.echo([1]) } };
        try { f() } catch {} return [await call]`,
      expect: { causes: ['finished', 'guest_error'] },
    },
    {
      name: 'console.log at the edge of the stack, of depth',
      source:
        'let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; const f = () => { try { f() } catch { console.log(a) } }; f(); console.log(a); return 1',
      expect: { causes: ['finished', 'guest_error', 'deadline'] },
    },
    {
      name: 'a circle of causes',
      source: 'const e = new Error("e"); e.cause = e; throw e',
      expect: throws('Error'),
    },
    {
      name: 'a long chain of causes',
      source: 'let e; for (let i = 0; i < 1e5; i++) e = new Error("e", { cause: e }); throw e',
      expect: throws('Error'),
    },
    {
      name: 'a long chain of causes as a result',
      source: 'let e; for (let i = 0; i < 1e5; i++) e = new Error("e", { cause: e }); return e',
      values: 'clone',
      expect: { causes: ['finished', 'serialization'] },
      inspect: () => null,
    },
    {
      name: 'thenables that resolve with thenables',
      source:
        'let t = 1; for (let i = 0; i < 1e5; i++) { const u = t; t = { then: (f) => f(u) } } return await t',
      expect: returns(1),
    },
    {
      name: 'promises adopted by promises',
      source:
        'let p = Promise.resolve(1); for (let i = 0; i < 5e4; i++) { const q = p; p = new Promise((r) => r(q)) } return await p',
      expect: returns(1),
    },
    {
      name: 'a chain of five thousand modules',
      source: 'import "./m0.js"; export default 1',
      kind: 'module',
      module: {
        sources: Object.fromEntries(
          Array.from({ length: 5000 }, (_, i) => [
            `m${i}.js`,
            i < 4999 ? `import "./m${i + 1}.js"` : '',
          ]),
        ),
      },
      expect: { causes: ['finished', 'link_error', 'guest_error', 'memory'] },
    },
    {
      name: 'prepareStackTrace that makes errors',
      source:
        'Error.prepareStackTrace = () => new Error("again").stack; new Error("x").stack; throw new Error("y")',
      expect: { causes: ['guest_error'] },
    },
    {
      name: 'a species that maps',
      source:
        'class A extends Array { static get [Symbol.species]() { return class { constructor() { new A(1).map((x) => x) } } } } new A(1).map((x) => x)',
      expect: overflow,
    },
  ],
};
