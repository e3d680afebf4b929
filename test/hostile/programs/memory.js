'use strict';
// Guests that hold on to all the memory they can get: in steps, and in one giant allocation of every kind.

const { returns, stops, throws, throwsRangeErrorOr } = require('../expectations.js');

const full = stops('memory');
const fullOrRefused = throwsRangeErrorOr('memory');

/** What it gives is held over a turn, so that an allocation that passed is found out. */
const giant = (/** @type {string} */ name, /** @type {string} */ expression, more = {}) => ({
  name: `one giant: ${name}`,
  source: `const flat = (s) => (s.charCodeAt(s.length >> 1), s); const kept = ${expression}; for (;;) await host.soon(), kept`,
  expect: fullOrRefused,
  ...more,
});

const inSteps = (/** @type {string} */ name, /** @type {string} */ step, more = {}) => ({
  name: `in steps: ${name}`,
  source: `const kept = []; for (let i = 0; ; i++) { ${step} }`,
  expect: full,
  ...more,
});

/** A builtin that V8 does not interrupt, so that it goes on to allocate when it has been stopped. */
const giantInBuiltin = (/** @type {string} */ name, /** @type {string} */ expression) =>
  giant(name, expression, { losesThread: true });

/** What V8 does not count, and mostly does not interrupt: it is looked at before, or while it is written. */
const outside = (/** @type {string} */ name, /** @type {string} */ source, more = {}) => ({
  name: `outside the heap: ${name}`,
  source: `const long = 'x'.repeat(1e6); ${source}`,
  expect: full,
  ...more,
});

/** The parser is not interrupted either. */
const parsed = (/** @type {string} */ name, /** @type {string} */ source) =>
  outside(name, source, { intrinsics: { codeGeneration: true } });

/** @type {import('./index.js').Category} */
module.exports = {
  limits: { wallMs: 8000, memoryBytes: 32 * 2 ** 20 },
  programs: [
    inSteps('arrays of doubles', 'kept.push(new Array(1000).fill(1.5))'),
    inSteps('one array', 'kept.push(i / 3)'),
    inSteps('an array with far apart elements', 'kept[i * 1_000_003 % 4_000_000_000] = i'),
    inSteps('flat strings', 'kept.push(String(i).padEnd(1000))'),
    inSteps('ropes', 'kept.push("abcdefghijklmnop" + i + kept.length)'),
    {
      name: 'in steps: one rope that is flattened',
      source:
        'let s = "", kept = []; for (let i = 0; ; i++) { s += "0123456789abcdef"; if (i % 1000 === 0) { s.charCodeAt(3); kept.push(s + i) } }',
      expect: full,
    },
    inSteps('symbols with descriptions', 'kept.push(Symbol("s".repeat(100) + i))'),
    inSteps('symbols of the registry', 'Symbol.for("k".repeat(100) + i)'),
    inSteps('interned property names', 'kept.push({ ["property" + i]: i })'),
    inSteps('objects', 'kept.push({ i, a: i / 3, b: { i } })'),
    {
      name: 'in steps: a linked list',
      source: 'let kept = null; for (;;) kept = { kept }',
      expect: full,
    },
    inSteps('closures', 'kept.push(() => i + kept.length)'),
    inSteps('classes', 'kept.push(class { a = i; #p = i; b() { return i } })'),
    inSteps('bound functions', 'kept.push((kept.at(-1) ?? Math.max).bind(null, i))'),
    inSteps(
      'suspended generators',
      'const g = (function* () { yield i })(); g.next(); kept.push(g)',
    ),
    {
      name: 'in steps: suspended async functions',
      source: 'const never = new Promise(() => {}); for (;;) (async () => { await never })()',
      expect: full,
    },
    {
      name: 'in steps: reactions of one promise',
      source: 'const never = new Promise(() => {}); for (;;) never.then(() => {})',
      expect: full,
    },
    {
      name: 'in steps: queued microtasks',
      source: 'for (;;) Promise.resolve().then(() => {})',
      expect: full,
    },
    {
      name: 'in steps: rejections kept for later',
      source: 'const kept = []; for (;;) kept.push(Promise.reject(new Error("x")))',
      expect: full,
    },
    {
      name: 'in steps: a Map',
      source: 'const kept = new Map(); for (let i = 0; ; i++) kept.set(i, i / 3)',
      expect: full,
    },
    {
      name: 'in steps: a Set of strings',
      source: 'const kept = new Set(); for (let i = 0; ; i++) kept.add("x" + i)',
      expect: full,
    },
    {
      name: 'in steps: a WeakMap whose keys are held',
      source:
        'const keys = [], kept = new WeakMap(); for (let i = 0; ; i++) { const k = {}; keys.push(k); kept.set(k, { k, i }) }',
      expect: full,
    },
    {
      name: 'in steps: WeakRefs and a FinalizationRegistry',
      source:
        'const kept = [], r = new FinalizationRegistry(() => {}); for (let i = 0; ; i++) { const o = { i }; r.register(o, { i }, o); kept.push(new WeakRef(o), o) }',
      expect: full,
    },
    inSteps('ArrayBuffers of a megabyte', 'kept.push(new ArrayBuffer(2 ** 20))'),
    inSteps('small typed arrays', 'kept.push(new Uint8Array(32))'),
    inSteps('views of one small buffer', 'kept.push(new DataView(new ArrayBuffer(8), 0, 8))'),
    inSteps('typed arrays of a page', 'kept.push(new Float64Array(512).fill(1))'),
    inSteps('slices of buffers', 'kept.push(new ArrayBuffer(65536).slice(1))'),
    inSteps(
      'buffers and heap together',
      'kept.push(new ArrayBuffer(2 ** 16), new Array(8192).fill(1.5))',
    ),
    inSteps('BigInts', 'kept.push((1n << 80_000n) + BigInt(i))'),
    inSteps(
      'regular expressions, compiled',
      'const r = new RegExp("(a|b" + i + ")+c"); r.test("ab"); kept.push(r)',
    ),
    inSteps('errors with their stacks', 'kept.push(new Error("e" + i))'),
    inSteps('proxies', 'kept.push(new Proxy({ i }, {}))'),
    inSteps('dates and boxed values', 'kept.push(new Date(i), Object(i), Object("s" + i))'),
    inSteps(
      'iterators',
      'kept.push([1, 2][Symbol.iterator](), new Map().entries(), "abc".matchAll(/b/g))',
    ),
    inSteps(
      'formats of Intl',
      'kept.push(new Intl.NumberFormat("de", { maximumFractionDigits: i % 20 }))',
    ),
    inSteps(
      'segmenters of Intl',
      'kept.push(new Intl.Segmenter("th", { granularity: "word" }).segment("\\u0e01\\u0e32".repeat(1000)))',
    ),
    inSteps(
      'generated functions',
      'kept.push(new Function("return [" + "1,".repeat(100) + i + "]"))',
      {
        intrinsics: { codeGeneration: true },
      },
    ),
    {
      name: 'in steps: growth over many turns',
      source:
        'const kept = []; for (;;) { kept.push(new Array(1e5).fill(1.5)); await host.ping() }',
      expect: full,
    },
    {
      name: 'in steps: replies that are kept',
      source: 'const kept = []; for (;;) kept.push(await host.large())',
      expect: full,
    },
    {
      name: 'in steps: in a getter of the result',
      source:
        'return { get x() { const kept = []; for (;;) kept.push(new Array(1000).fill(1.5)) } }',
      expect: full,
    },
    {
      name: 'in steps: in a finally that the end does not stop',
      source:
        'const kept = []; const f = () => { try { for (;;) kept.push(new Array(1000).fill(1.5)) } finally { f() } }; f()',
      expect: full,
    },
    {
      name: 'in steps: shared buffers',
      source: 'const kept = []; for (;;) kept.push(new SharedArrayBuffer(2 ** 20))',
      intrinsics: { sharedMemory: true },
      expect: fullOrRefused,
    },
    giantInBuiltin('an array of doubles', 'new Array(2 ** 25).fill(1.5)'),
    giant('concat that doubles', '(() => { let a = [1]; for (;;) a = a.concat(a) })()'),
    giant('spread that doubles', '(() => { let a = [1]; for (;;) a = [...a, ...a] })()'),
    giant('push of itself', '(() => { const a = [1, 2, 3]; for (;;) a.push(...a) })()'),
    giant('flat', 'new Array(2 ** 13).fill(new Array(2 ** 13).fill(1)).flat()'),
    giant('a repeated text, flattened', 'flat("x".repeat(2 ** 29 - 24))'),
    giant('a text of two bytes a character', 'flat("\\u20ac".repeat(2 ** 28))'),
    giant('padStart', 'flat("x".padStart(2 ** 28, "abc"))'),
    giant('join', 'flat(new Array(2 ** 20).fill("x".repeat(100)).join())'),
    giant('replaceAll', '"x".repeat(2 ** 20).replaceAll("x", "y".repeat(100))'),
    giant('normalize', '"\\ufdfa".repeat(2 ** 22).normalize("NFKD")'),
    giant('toUpperCase', 'flat("\\u00df".repeat(2 ** 26).toUpperCase())'),
    giantInBuiltin('split', '"x".repeat(2 ** 24).split("")'),
    giantInBuiltin('match', '"x".repeat(2 ** 24).match(/x/g)'),
    giant('an ArrayBuffer of eight gigabytes', 'new ArrayBuffer(2 ** 33)'),
    giant('a typed array', 'new Float64Array(2 ** 28)'),
    giant('a typed array from another', 'new Uint32Array(new Uint8Array(20 * 2 ** 20))'),
    giant('a resizable buffer', 'new ArrayBuffer(8, { maxByteLength: 2 ** 33 })', {
      expect: throws('RangeError'),
    }),
    giant(
      'a resizable buffer of a subclass',
      'new (class extends ArrayBuffer {})(8, { maxByteLength: 2 ** 30 })',
      {
        expect: throws('RangeError'),
      },
    ),
    giant(
      'a resizable buffer of a constructor reached through species',
      'Reflect.construct(new Uint8Array(1).buffer.constructor[Symbol.species], [8, { maxByteLength: 2 ** 30 }], Object)',
      { expect: throws('RangeError') },
    ),
    {
      name: 'one giant: a resizable buffer whose size is told in two ways',
      source: `
        let asked = 0;
        const options = { get maxByteLength() { return asked++ === 0 ? undefined : 2 ** 30 } };
        return [new ArrayBuffer(8, options).resizable, new ArrayBuffer(8, options).resizable]`,
      expect: throws('RangeError'),
    },
    {
      name: 'one giant: a buffer that grows when it is transferred',
      source: `
        const buffer = new ArrayBuffer(8);
        if (buffer.transfer === undefined) throw new RangeError('not in this version');
        const kept = buffer.transfer(2 ** 30);
        for (;;) await host.soon(), kept`,
      expect: fullOrRefused,
    },
    giant('a growable shared buffer', 'new SharedArrayBuffer(8, { maxByteLength: 2 ** 30 })', {
      intrinsics: { sharedMemory: true },
      expect: throws('RangeError'),
    }),
    giant('a Set from an array', 'new Set(Array.from({ length: 2e7 }, (_, i) => i))'),
    giant(
      'an object from entries',
      'Object.fromEntries(Array.from({ length: 3e6 }, (_, i) => ["k" + i, i]))',
    ),
    giant(
      'fromCharCode of a long view',
      'String.fromCharCode.apply(null, new Uint16Array(2 ** 23))',
    ),
    giant('JSON.parse', 'JSON.parse("[" + "0,".repeat(2e7) + "0]")'),
    giant('JSON.parse of many objects', 'JSON.parse("[" + "{},".repeat(4e6) + "0]")'),
    giant('JSON.stringify', 'JSON.stringify(new Array(1e6).fill("x".repeat(1000)))'),
    giant('JSON.stringify of quotes to be escaped', 'JSON.stringify("\\u0001".repeat(2 ** 24))'),
    giant('a BigInt', '2n ** (2n ** 29n)'),
    giant('BigInts in a row', '[1, 2, 3, 4].map((n) => BigInt(n) << (2n ** 27n))'),
    giant('the text of a BigInt', '(1n << (2n ** 27n)).toString(2)'),
    giant('a program from text', '(0, eval)("[" + "1,".repeat(1e7) + "]")', {
      intrinsics: { codeGeneration: true },
    }),
    giantInBuiltin(
      'an object with a property far out',
      'Object.assign([], { 33554431: 1 }).fill(1)',
    ),
    giant(
      'String.raw that multiplies',
      'flat(String.raw({ raw: new Array(2 ** 12).fill("x".repeat(2 ** 16)) }))',
    ),
    giant('escape that multiplies', 'flat(escape("\\u20ac".repeat(2 ** 24)))'),
    giant('a copy of the arguments', '((...rest) => rest)(...new Array(2 ** 23).fill(1))'),
    giant('a WebAssembly memory', 'new WebAssembly.Memory({ initial: 1024 })', {
      expect: throws('ReferenceError'),
    }),
    outside('JSON.parse of objects in objects', 'JSON.parse(\'{"a":\'.repeat(1e8))'),
    outside(
      'JSON.parse of objects in objects that fit as text',
      'JSON.parse(\'{"a":\'.repeat(4e6))',
    ),
    outside('JSON.parse of arrays in arrays', 'JSON.parse("[".repeat(3e7))'),
    outside('JSON.parse of what is converted', 'JSON.parse({ toString: () => "[".repeat(3e7) })'),
    outside('JSON.parse with a reviver', 'JSON.parse("[".repeat(3e7), (k, v) => v)'),
    outside('JSON.parse, reached anew', 'Reflect.get(JSON, "parse")("[".repeat(3e7))'),
    outside('JSON.stringify of one text, many times', 'JSON.stringify(Array(3999).fill(long))'),
    outside(
      'JSON.stringify of one flat text, many times',
      'JSON.stringify(Array(3999).fill([long].join("")))',
    ),
    outside(
      'JSON.stringify of one text of two bytes a character, many times',
      'JSON.stringify(Array(3999).fill("\\u1234".repeat(1e6)))',
    ),
    outside(
      'JSON.stringify of arrays that are shared',
      'let a = [long]; for (let i = 0; i < 40; i++) a = [a, a]; JSON.stringify(a)',
    ),
    outside(
      'JSON.stringify of objects that are shared',
      'let o = { long }; for (let i = 0; i < 40; i++) o = { o, p: o }; JSON.stringify(o)',
    ),
    outside(
      'JSON.stringify of names, many times',
      'JSON.stringify(Array(3999).fill({ [long]: 1 }))',
    ),
    outside(
      'JSON.stringify, indented',
      'let a = Array(1e6).fill(1); for (let i = 0; i < 100; i++) a = [a]; JSON.stringify(a, null, 10)',
    ),
    outside(
      'JSON.stringify with a toJSON',
      'JSON.stringify(Array(3999).fill({ toJSON: () => long }))',
    ),
    outside(
      'JSON.stringify with a getter',
      'JSON.stringify(Array(3999).fill({ get a() { return long } }))',
    ),
    outside(
      'JSON.stringify of a proxy',
      'JSON.stringify(new Proxy([], { get: (t, k) => (k === "length" ? 3999 : long) }))',
    ),
    outside(
      'JSON.stringify with a replacer',
      'JSON.stringify(Array(3999).fill(1), (k, v) => (k ? long : v))',
    ),
    outside(
      'JSON.stringify inside of JSON.stringify',
      'JSON.stringify(Array(3999).fill({ toJSON: () => (JSON.stringify([1]), long) }))',
    ),
    outside('a log of one text, many times', 'console.log(Array(3999).fill(long))'),
    outside('encodeURIComponent', 'encodeURIComponent("\\u20ac".repeat(1e7))'),
    outside('encodeURI', 'encodeURI({ toString: () => "\\u00e9".repeat(2e7) })'),
    outside('decodeURI of a giant', 'decodeURI("x".repeat(2 ** 29 - 100))'),
    outside('decodeURIComponent', 'decodeURIComponent({ toString: () => "x".repeat(3e7) })'),
    outside('normalize of a giant', '"\\u1234".repeat(2 ** 29 - 100).normalize()'),
    outside(
      'Intl.Segmenter over a giant',
      'new Intl.Segmenter("en").segment("x".repeat(2 ** 29 - 100))',
    ),
    outside(
      'JSON.parse of long names in objects in objects',
      'JSON.parse(`{"${"k".repeat(20)}":`.repeat(7e5))',
    ),
    outside('JSON.parse of a giant', 'JSON.parse("[1]".repeat(1.7e8))'),
    outside('JSON.parse, called by a builtin', '["[".repeat(3e7)].map(JSON.parse)'),
    outside(
      'JSON.stringify, called by a builtin',
      'Reflect.apply(JSON.stringify, undefined, [Array(3999).fill(long)])',
    ),
    outside(
      'JSON.stringify with names to keep',
      'JSON.stringify(Array(3999).fill({ long, more: long }), ["long", "more"])',
    ),
    outside(
      'JSON.stringify again and again',
      'for (;;) { try { JSON.stringify(Array(3999).fill(long)) } catch {} }',
    ),
    parsed('eval of many objects', 'eval("[" + "{a:1},".repeat(3e6) + "]")'),
    parsed('eval elsewhere, of many functions', '(0, eval)("function f(){};".repeat(2e6))'),
    parsed('new Function of many calls', 'new Function("f();".repeat(5e6))'),
    parsed(
      'an async function of many calls, made by its constructor',
      '(async () => {}).constructor("f();".repeat(5e6))',
    ),
    parsed('eval of a giant', 'eval("x".repeat(2 ** 29 - 100))'),
    outside('normalize', '"\\ufdfa".repeat(8e6).normalize("NFKD")'),
    outside('Intl.ListFormat', 'new Intl.ListFormat("en").format(Array(3999).fill(long))'),
    outside(
      'Intl.ListFormat with iterators of the guest',
      'Array.prototype[Symbol.iterator] = function* () { for (;;) yield long }; new Intl.ListFormat("en").formatToParts([5])',
    ),
    {
      name: 'garbage without end, which is no crime',
      source:
        'let n = 0; for (let i = 0; i < 3e5; i++) n += new Array(100).fill(i).length; return n',
      expect: returns(30_000_000),
    },
    {
      name: 'buffers that are let go of, which is no crime',
      source:
        'let n = 0; for (let i = 0; i < 200; i++) n += new ArrayBuffer(2 ** 20).byteLength; return n',
      expect: returns(200 * 2 ** 20),
    },
  ],
};
