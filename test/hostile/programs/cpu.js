'use strict';
// Guests that compute for ever, in every way JavaScript has of doing so.

const { returns, stops, throws } = require('../expectations.js');

const late = stops('deadline');

/** A WebAssembly module with one export, `run`, that loops for ever. */
const WASM_LOOP =
  'new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,7,1,3,114,117,110,0,0,10,9,1,7,0,3,64,12,0,11,11])';

/** Native code that has just been stopped in the guest's code, and has more of it to run. */
const onceMore = (/** @type {string} */ name, /** @type {string} */ source, more = {}) => ({
  name: `once more after the stop: ${name}`,
  source,
  expect: late,
  ...more,
});

const SPIN = '() { for (;;); }';
const SPINNER = `{ toJSON${SPIN}, toString${SPIN}, get a${SPIN}, get name${SPIN}, get message${SPIN} }`;

/** @type {import('./index.js').Category} */
module.exports = {
  limits: { wallMs: 100 },
  programs: [
    { name: 'an interpreted loop', source: 'for (;;) {}', expect: late },
    {
      name: 'an optimized loop, entered again and again',
      source:
        'const sum = (n) => { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }; for (;;) sum(1e6)',
      expect: late,
    },
    {
      name: 'an optimized loop that never leaves its function',
      source: '(() => { let x = 1; for (;;) x = (x * 31) | 0; })()',
      expect: late,
    },
    {
      name: 'a loop over doubles',
      source: '(() => { let x = 1.5; for (let i = 0; ; i++) x = x * 1.0000001 + i; })()',
      expect: late,
    },
    {
      name: 'nested loops with short bodies',
      source: 'for (;;) for (let i = 0; i < 1e6; i++) for (let j = 0; j < 10; j++);',
      expect: late,
    },
    {
      name: 'a loop whose stack check unrolling would drop',
      source: 'for (;;) new Array(1000).fill(1.5)',
      expect: late,
    },
    {
      name: 'inner loops of known length inside an endless one',
      source:
        '(() => { const a = new Float64Array(64); for (;;) { for (let i = 0; i < 4; i++) a[i] = i; for (let i = 0; i < 8; i++) a[i] += a[i & 3]; } })()',
      expect: late,
    },
    {
      name: 'a hot loop through inlined functions',
      source:
        'const a = (x) => b(x) + 1, b = (x) => c(x) ^ 3, c = (x) => x | 1; (() => { let x = 0; for (;;) x = a(x) | 0; })()',
      expect: late,
    },
    {
      name: 'a loop that is optimized and deoptimized in turn',
      source:
        'const add = (a, b) => a + b; for (let i = 0; ; i++) add(i % 3 ? i : String(i), i % 5 ? 1 : {})',
      expect: late,
    },
    {
      name: 'a loop over a typed array',
      source:
        '(() => { const a = new Int32Array(1024); for (let i = 0; ; i = (i + 1) & 1023) a[i] += i; })()',
      expect: late,
    },
    {
      name: 'BigInt arithmetic without end',
      source: 'let x = 1n; for (;;) x = (x * 3n) % 1000000007n',
      expect: late,
    },
    {
      name: 'a generator that never ends',
      source: 'function* numbers() { for (;;) yield 1 } for (const _ of numbers());',
      expect: late,
    },
    {
      name: 'an iterator whose return method loops',
      source:
        'const it = { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return() { for (;;) {} } }) }; for (const _ of it) break',
      expect: late,
    },
    {
      name: 'Array.from over an endless iterator of holes',
      source:
        'Array.from({ [Symbol.iterator]: () => ({ next() { for (;;) { if (!this) return; } } }) })',
      expect: late,
    },
    {
      name: 'for await over an endless async generator',
      source: 'async function* numbers() { for (;;) yield 1 } for await (const _ of numbers());',
      expect: late,
    },
    {
      name: 'a microtask that queues itself',
      source:
        'const next = () => Promise.resolve().then(next); next(); await new Promise(() => {})',
      expect: late,
    },
    {
      name: 'microtasks that double',
      source:
        'const next = () => { queue(); queue(); }, queue = () => Promise.resolve().then(next); next(); for (;;) await 0',
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'queueMicrotask in a circle',
      source:
        'const next = () => queueMicrotask(next); next(); export default new Promise(() => {})',
      kind: 'module',
      intrinsics: { queueMicrotask: true },
      expect: late,
    },
    { name: 'awaiting nothing for ever', source: 'for (;;) await null', expect: late },
    {
      name: 'a thenable that resolves with itself',
      source: 'const t = { then: (f) => f(t) }; await t',
      expect: late,
    },
    {
      name: 'a thenable whose then is a getter that loops',
      source: 'await { get then() { for (;;) {} } }',
      expect: late,
    },
    {
      name: 'Promise.all over an endless iterator',
      source:
        'await Promise.all({ [Symbol.iterator]: () => ({ next: () => ({ value: 0, done: false }) }) })',
      losesThread: true,
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'a promise subclass whose executor loops',
      source:
        'class P extends Promise { constructor(f) { super(f); for (;;) {} } } P.resolve(1).then(() => {})',
      expect: late,
    },
    {
      name: 'rejections that nobody handles, for ever',
      source: 'for (;;) { Promise.reject(new Error("x")); await null; }',
      expect: late,
    },
    {
      name: 'a getter of the result',
      source: 'return { get x() { for (;;) {} } }',
      expect: late,
    },
    {
      name: 'a getter deep in an argument of a call',
      source: 'await host.ping([{ a: [{ get x() { for (;;) {} } }] }])',
      expect: late,
    },
    {
      name: 'a proxy for a result, whose ownKeys trap loops',
      source: 'return new Proxy({}, { ownKeys() { for (;;) {} } })',
      values: 'clone',
      expect: stops('deadline', 'serialization'),
    },
    {
      name: 'a getPrototypeOf trap under the encoder',
      source: 'return { a: new Proxy({}, { getPrototypeOf() { for (;;) {} } }) }',
      expect: stops('deadline', 'serialization'),
    },
    {
      name: 'a has trap inside with',
      source: 'with (new Proxy({}, { has() { for (;;) {} } })) { x }',
      kind: 'script',
      expect: late,
    },
    {
      name: 'Symbol.toPrimitive of a key',
      source: '({})[{ [Symbol.toPrimitive]() { for (;;) {} } }]',
      expect: late,
    },
    {
      name: 'Symbol.hasInstance',
      source: '({}) instanceof { [Symbol.hasInstance]() { for (;;) {} } }',
      expect: late,
    },
    {
      name: 'a species constructor',
      source:
        'class A extends Array { static get [Symbol.species]() { for (;;) {} } } new A(1, 2).map((x) => x)',
      expect: late,
    },
    {
      name: 'a comparator',
      source: '[3, 2, 1].sort(() => { for (;;) {} })',
      expect: late,
    },
    {
      name: 'a comparator that never agrees, on a long array',
      source: 'for (;;) Array.from({ length: 1e5 }, (_, i) => i).sort(() => Math.random() - 0.5)',
      expect: late,
    },
    {
      name: 'a replacement with a callback',
      source: 'for (;;) "x".repeat(1e5).replace(/x/g, () => "y")',
      expect: late,
    },
    {
      name: 'a regular expression that backtracks',
      source: '/^(a+)+$/.test("a".repeat(40) + "b")',
      expect: late,
    },
    {
      name: 'a regular expression that backtracks, already compiled',
      source:
        'const r = /^(?:a|aa)+$/; for (let i = 0; i < 20; i++) r.test("a".repeat(8)); r.test("a".repeat(60) + "b")',
      expect: late,
    },
    {
      name: 'a regular expression with back references and lookaheads',
      source: '/^(?=(a+))\\1*(?:(a*)*b)+$/.test("a".repeat(50))',
      expect: late,
    },
    {
      name: 'a lookbehind on a long text',
      source: 'for (;;) /(?<=^(?:.|..){20,})x$/u.test("y".repeat(60))',
      expect: late,
    },
    {
      name: 'a split with a subclassed expression',
      source: 'class R extends RegExp { exec() { for (;;) {} } } "abc".split(new R("b"))',
      expect: late,
    },
    {
      name: 'toJSON under JSON.stringify',
      source: 'JSON.stringify({ toJSON() { for (;;) {} } })',
      expect: late,
    },
    {
      name: 'a reviver of JSON.parse',
      source: 'JSON.parse("[1]", () => { for (;;) {} })',
      expect: late,
    },
    {
      name: 'a catch that never gives up',
      source: 'for (;;) { try { for (;;) {} } catch {} finally { continue } }',
      expect: late,
    },
    {
      name: 'a finally that goes on after the end was ordered',
      source:
        'const f = () => { try { for (;;) {} } finally { f() } }; for (;;) { try { f() } catch { f() } }',
      expect: late,
    },
    {
      name: 'a catch of stack overflows, doubled at every level',
      source: 'const f = () => { try { f() } catch { f() } }; f()',
      expect: late,
    },
    {
      name: 'a class whose static block loops',
      source: 'class A { static { for (;;) {} } }',
      expect: late,
    },
    {
      name: 'a default parameter and a computed key',
      source: '(({ [(() => { for (;;) {} })()]: x } = {}) => x)()',
      expect: late,
    },
    {
      name: 'a tagged template in a loop of labels',
      source: 'outer: for (;;) { for (;;) { ((s) => s)`a${1}b`; continue outer } }',
      expect: late,
    },
    {
      name: 'Error.prepareStackTrace',
      source: 'Error.prepareStackTrace = () => { for (;;) {} }; new Error("x").stack',
      expect: late,
    },
    {
      name: 'Error.prepareStackTrace behind an uncaught error',
      source: 'Error.prepareStackTrace = () => { for (;;) {} }; throw new Error("x")',
      expect: stops('deadline', 'guest_error'),
    },
    {
      name: 'the body of a module',
      source: 'export default 1; for (;;) {}',
      kind: 'module',
      expect: late,
    },
    {
      name: 'the body of an imported module',
      source: 'import "./a.js"; export default 1',
      kind: 'module',
      module: { sources: { 'a.js': 'for (;;) {}' } },
      expect: late,
    },
    {
      name: 'a top-level await that never comes, in a circle of modules',
      source: 'import "./a.js"; export default 1',
      kind: 'module',
      module: {
        sources: {
          'a.js': 'import "./b.js"; await new Promise(() => {})',
          'b.js': 'import "./a.js"',
        },
      },
      expect: late,
    },
    {
      name: 'dynamic imports of what is not there, for ever',
      source: 'for (;;) await import("./none.js").catch(() => {})',
      expect: late,
    },
    {
      name: 'generated code that loops',
      source: 'new Function("for (;;) {}")()',
      intrinsics: { codeGeneration: true },
      expect: late,
    },
    {
      name: 'ever new functions from text',
      source: 'for (let i = 0; ; i++) new Function("return " + i)()',
      intrinsics: { codeGeneration: true },
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'WebAssembly that loops',
      source: `new WebAssembly.Instance(new WebAssembly.Module(${WASM_LOOP})).exports.run()`,
      intrinsics: { webAssembly: true },
      expect: late,
    },
    {
      name: 'waiting with Atomics',
      source: 'Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)',
      intrinsics: { sharedMemory: true },
      expect: throws('TypeError'),
    },
    {
      name: 'a spin on shared memory that nobody writes',
      source:
        'const a = new Int32Array(new SharedArrayBuffer(8)); while (Atomics.load(a, 0) === 0);',
      intrinsics: { sharedMemory: true },
      expect: late,
    },
    {
      name: 'a budget of CPU time, spent in bursts between calls',
      source: 'for (;;) { for (let i = 0; i < 1e5; i++); await host.ping() }',
      limits: { wallMs: 5000, cpuMs: 60 },
      expect: stops('cpu'),
    },
    {
      name: 'a budget of CPU time, spent in microtasks',
      source: 'for (;;) await null',
      limits: { wallMs: 5000, cpuMs: 60 },
      expect: stops('cpu'),
    },
    {
      name: 'a promise that never settles',
      source: 'await new Promise(() => {})',
      expect: late,
    },
    { name: 'a call that is never answered', source: 'await host.never()', expect: late },
    {
      name: 'work behind a deadline that is caught up with nothing',
      source: 'try { for (;;) {} } catch (e) { return String(e) } finally { return "survived" }',
      expect: late,
    },
    onceMore('arguments of a log', `const x = ${SPINNER}; console.log(x, x, x)`),
    onceMore('entries of a log', `const x = ${SPINNER}; console.log(x, x, x)`, {
      console: 'entries',
    }),
    onceMore('cloned entries of a log', `const x = ${SPINNER}; console.log(x, x, x)`, {
      console: 'entries',
      values: 'clone',
    }),
    onceMore(
      'replies that are looked at',
      `Object.defineProperty(Object.prototype, 'then', { get${SPIN} }); await Promise.all([host.record(), host.record(), host.record()])`,
    ),
    onceMore('calls of a function', `await host.callOften(${SPIN.replace('()', '() =>')})`, {
      values: 'clone',
    }),
    onceMore('rejections that are described', `await host.callOften(() => { throw ${SPINNER} })`, {
      values: 'clone',
    }),
    onceMore('results that are encoded', `await host.callOften(() => (${SPINNER}))`, {
      values: 'clone',
    }),
    onceMore('the error that ends the run', `throw ${SPINNER}`),
    onceMore('the result of the run', `return [{ get a${SPIN} }, { get b${SPIN} }]`),
    {
      name: 'a guest that is done just in time',
      source: 'let n = 0; for (let i = 0; i < 1e5; i++) n += i; return n',
      limits: { wallMs: 2000 },
      expect: returns(4999950000),
    },
  ],
};
