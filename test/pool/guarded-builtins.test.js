'use strict';
// Some builtins are looked at before they run. A guest sees those that its engine has, down to their stacks.

const vm = require('node:vm');

const { usePool } = require('../support/pools.js');

const { valueOf } = usePool();

const GUARDED = {
  'JSON.parse': 'JSON',
  'JSON.stringify': 'JSON',
  encodeURI: 'globalThis',
  encodeURIComponent: 'globalThis',
  decodeURI: 'globalThis',
  decodeURIComponent: 'globalThis',
  'String.prototype.normalize': 'String.prototype',
  'Intl.Segmenter.prototype.segment': 'Intl.Segmenter.prototype',
  'Intl.ListFormat.prototype.format': 'Intl.ListFormat.prototype',
  'Intl.ListFormat.prototype.formatToParts': 'Intl.ListFormat.prototype',
};

/** A global function that is like those that are guarded, and is not. */
const LIKE_GLOBALS = 'unescape';

/** What a program gives in a realm of this process, which nobody guards. */
const unguarded = (/** @type {string} */ body) =>
  vm.runInNewContext(`JSON.stringify((() => { ${body} })())`, {}, { filename: '<guest>' });

const guarded = async (/** @type {string} */ body) =>
  valueOf({ source: `return JSON.stringify((() => { ${body} })())` });

/** Positions and what stands around them differ. */
const STACK_OF = `const stackOf = (act) => { try { return act() } catch (e) { return e.stack.split('\\n').filter((line) => !/<guest>|vm\\.js|node:|<anonymous>:\\d|\\(\\/|at \\//.test(line)) } };`;

describe.each(Object.entries(GUARDED))('%s has', (builtin, holder) => {
  const key = builtin.split('.').at(-1);
  const place = `Object.getOwnPropertyDescriptor(${holder}, '${key}')`;

  test.each([
    ['its text', `return ${builtin}.toString()`],
    ['its name and length', `return [${builtin}.name, ${builtin}.length]`],
    ['its properties', `return Object.getOwnPropertyDescriptors(${builtin})`],
    ['its prototype', `return Object.getPrototypeOf(${builtin}) === Function.prototype`],
    ['no constructor', `try { new ${builtin}() } catch (e) { return e.message }`],
    ['its place', `const { value, ...rest } = ${place}; return [typeof value, rest]`],
    ['a place for another', `${builtin} = 1; return [${builtin}, ${place}]`],
    ['an empty place', `delete ${builtin}; return [typeof ${builtin}, ${place}]`],
    [
      'a fixed place',
      `Object.defineProperty(${holder}, '${key}', { writable: false }); return [typeof ${builtin}, ${place}.writable]`,
    ],
    ['one identity', `return ${builtin} === ${builtin} && ${place}.value === ${builtin}`],
  ])('%s', async (_, body) => {
    // The global object of a context of Node's is not like others; but a guest has builtins that nobody guards.
    const expected =
      holder === 'globalThis'
        ? (await guarded(body.replaceAll(builtin, LIKE_GLOBALS))).replaceAll(LIKE_GLOBALS, builtin)
        : unguarded(body);
    expect(await guarded(body)).toBe(expected);
  });
});

test.each(['JSON', 'String.prototype', 'Intl.Segmenter.prototype', 'Intl.ListFormat.prototype'])(
  '%s has its properties in order',
  async (holder) => {
    const body = `return [Reflect.ownKeys(${holder}).map(String), Object.keys(Object.freeze(${holder}))]`;
    expect(await guarded(body)).toBe(unguarded(body));
  },
);

const PROGRAMS = {
  'JSON.parse of values that are no strings':
    'return [1, true, null, [1], { toString: () => "[2]" }, [[3]]].map((v) => JSON.parse(v))',
  'JSON.parse converts its text once':
    'let n = 0; const v = JSON.parse({ toString: () => (n++, "{}") }); return [v, n]',
  'JSON.parse prefers Symbol.toPrimitive':
    'return JSON.parse({ [Symbol.toPrimitive]: (hint) => `["${hint}"]`, toString: () => "1" })',
  'JSON.parse with a reviver':
    'const seen = []; const v = JSON.parse(\'{"a":[1,{"b":2}],"c":3}\', function (k, v, c) { seen.push([k, v, Array.isArray(this), c?.source]); return k === "c" ? undefined : v }); return [v, seen]',
  'JSON.parse with a reviver that is no function': 'return JSON.parse("[1]", 5)',
  'JSON.parse without arguments': `${STACK_OF} return stackOf(() => JSON.parse())`,
  'stacks of errors in JSON.parse': `${STACK_OF} return [
    () => JSON.parse('{"a":'), () => JSON.parse('[1,]'), () => JSON.parse('nonsense'), () => JSON.parse({}),
    () => JSON.parse(Symbol('s')), () => JSON.parse({ toString() { throw new RangeError('mine') } }),
    () => JSON.parse('[1]', () => { throw new Error('mine') }),
  ].map(stackOf)`,
  'stacks of errors in JSON.stringify': `${STACK_OF} const circle = { a: [] }; circle.a.push(circle); return [
    () => JSON.stringify(circle), () => JSON.stringify(1n), () => JSON.stringify({ toJSON() { throw new Error('mine') } }),
    () => JSON.stringify({ get a() { throw new Error('mine') } }), () => JSON.stringify([1], () => { throw new Error('mine') }),
  ].map(stackOf)`,
  'stacks of errors in URIs': `${STACK_OF} return [() => encodeURI('\\ud800'), () => encodeURIComponent(Symbol())].map(stackOf)`,
  'JSON.stringify with every kind of value':
    'return [undefined, null, () => {}, Symbol(), "a\\n\\ud800", NaN, -0, new Date(0), new Map([[1, 2]]), [undefined, , 1], { u: undefined, n: null }, Object("s"), Object(1), new Proxy([1], {})].map((v) => JSON.stringify(v))',
  'JSON.stringify with every kind of space':
    'return [undefined, null, 0, 1, 4, 20, "", "--", "x".repeat(20), Object(2), Object("ab"), {}, true].map((space) => JSON.stringify({ a: [1, { b: [] }] }, null, space))',
  'JSON.stringify with a replacer':
    'const seen = []; return [JSON.stringify({ a: [1], b: { toJSON: (k) => k } }, function (k, v) { seen.push([k, typeof this]); return v }), seen, JSON.stringify({ a: 1, b: { a: 2, c: 3 } }, ["a", "b", 5])]',
  'JSON.stringify inside JSON.stringify':
    'return JSON.stringify({ toJSON: () => JSON.stringify({ toJSON: () => JSON.stringify([1]) }) })',
  'JSON.stringify after it threw':
    'for (let i = 0; i < 3; i++) { try { JSON.stringify(1n) } catch {} } return JSON.stringify({ a: 1 }, null, 1)',
  'URIs of every kind':
    'return ["a b", "é€😀", "a;/?:@&=+$,#-_.!~*\'()", 5, null, undefined, ["x"], { toString: () => "é" }].map((v) => [encodeURI(v), encodeURIComponent(v)])',
  'URIs decoded, of every kind':
    'return ["a%20b", "%E2%82%AC", "%2F", 5, null, undefined, ["x"], { toString: () => "%C3%A9" }].map((v) => [decodeURI(v), decodeURIComponent(v)])',
  'texts normalized, of every kind': `${STACK_OF} const { normalize } = String.prototype;
    return [() => 'e\u0301'.normalize(), () => 'é'.normalize('NFD').length, () => 'ﷺ'.normalize('NFKD'), () => 'x'.normalize(undefined),
      () => normalize.call(5), () => normalize.call({ toString: () => 'ﬁ' }, 'NFKC'), () => normalize.call([['e\u0301']]),
      () => normalize.call(null), () => normalize.call(undefined), () => normalize.call(Symbol()), () => 'x'.normalize('no'),
      () => 'x'.normalize({ toString() { throw new Error('mine') } })].map(stackOf)`,
  'texts compared, of every kind': `${STACK_OF} const { localeCompare } = String.prototype;
    return [() => 'a'.localeCompare('b'), () => 'ä'.localeCompare('z', 'sv'), () => 'ä'.localeCompare('z', 'de'), () => 'a'.localeCompare(),
      () => 'a'.localeCompare('A', 'en', { sensitivity: 'base' }), () => localeCompare.call(5, 5), () => localeCompare.call(null, 'a'),
      () => 'a'.localeCompare(Symbol()), () => 'a'.localeCompare('b', 'no such'), () => localeCompare.call({ toString: () => 'q' }, ['q'])].map(stackOf)`,
  'texts segmented, of every kind': `${STACK_OF} const s = new Intl.Segmenter('en', { granularity: 'word' });
    return [() => [...s.segment('one two')].map((p) => p.segment), () => [...s.segment()].length, () => [...s.segment({ toString: () => 'x y' })].length,
      () => s.segment(Symbol()), () => s.segment.call({}, 'a')].map(stackOf)`,
  'lists of every kind': `${STACK_OF} const f = new Intl.ListFormat('en'); return [undefined, [], ['a'], ['a', 'b', 'c'], 'abc', new Set(['x', 'y']), (function* () { yield 'g'; yield 'h' })()].map((l) => stackOf(() => [f.format(l)]))`,
  'lists that are refused': `${STACK_OF} const f = new Intl.ListFormat('en'); let closed = 0; const bad = { *[Symbol.iterator]() { try { yield 'a'; yield 5; yield 'never' } finally { closed++ } } };
    return [[() => f.format(bad), () => f.formatToParts([{}]), () => f.format.call({}, ['a'])].map(stackOf), closed]`,
  'builtins do not care what became of others': `
    const { format } = Intl.ListFormat.prototype, f = new Intl.ListFormat('en');
    Function.prototype.call = Function.prototype.apply = Reflect.apply = () => 'caught';
    String.prototype.charCodeAt = Array.prototype.push = () => { throw 1 };
    Object.defineProperty(Array.prototype, 0, { set() { throw 2 }, get: () => 'planted' });
    globalThis.Symbol = globalThis.Reflect = undefined;
    return [JSON.parse('{"a":1}').a, JSON.stringify({ a: 1 }), encodeURI('é'), f.format((function* () { yield 'a'; yield 'b' })())].join()`,
};

test.each(Object.entries(PROGRAMS))('%s', async (_, body) => {
  expect(JSON.parse(await guarded(body))).toEqual(JSON.parse(unguarded(body)));
});

test('long texts are read and written as ever', async () => {
  const value = await valueOf({
    source: `
      const list = Array.from({ length: 30000 }, (_, i) => ({ i, s: 'text ' + i, d: i / 3, n: [i, [], {}] }));
      const text = JSON.stringify(list);
      const again = JSON.parse({ toString: () => text });
      const uri = encodeURIComponent('é '.repeat(100000));
      return [text.length, JSON.stringify(again) === text, again.at(-1), uri.length, decodeURIComponent(uri).length]`,
  });
  expect(value).toEqual([
    1_912_181,
    true,
    { i: 29999, s: 'text 29999', d: 29999 / 3, n: [29999, [], {}] },
    900_000,
    200_000,
  ]);
});
