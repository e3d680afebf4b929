'use strict';
// 13.1

const { sleep } = require('../support/time.js');
const { useRunCode } = require('./use-run-code.js');

const { runJs, resultOf, errorOf } = useRunCode();

const NODE_LINE = Number(process.versions.node.split('.')[0]);

// Every name a guest finds on its global object: the intrinsics of ECMAScript and Intl, and nothing of any host.
const ON_EVERY_LINE = `
  AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError
  FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl JSON Map Math NaN
  Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError
  Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape`;
const SINCE = {
  22: 'Iterator',
  24: 'AsyncDisposableStack DisposableStack Float16Array SuppressedError',
  26: 'Temporal',
};

const words = (/** @type {string} */ text) => text.trim().split(/\s+/);

const EXPECTED = [
  ...words(ON_EVERY_LINE),
  ...Object.entries(SINCE)
    .filter(([line]) => Number(line) <= NODE_LINE)
    .flatMap(([, names]) => words(names)),
].sort();

test('MUST: globalThis has the intrinsics of the list and nothing else', async () => {
  const source = 'export default Reflect.ownKeys(globalThis).map(String).sort()';
  const options = { globals: { given: 1, fetch: () => 1 }, report() {} };
  const names = await resultOf(source, options);
  expect(names.filter((name) => !name.startsWith('Symbol('))).toEqual(EXPECTED);
});

test('MUST: the list is the same without options, in modules and in functions', async () => {
  const source = `import names from './names.js';
    export default () => [names, Object.getOwnPropertyNames(globalThis).sort()]`;
  const modules = {
    './names.js': 'export default Object.getOwnPropertyNames(globalThis).sort()',
  };
  expect(await resultOf(source, { modules })).toEqual([EXPECTED, EXPECTED]);
});

test.each(
  words(`
    fetch setTimeout setInterval setImmediate clearTimeout process require module exports global Buffer URL
    URLSearchParams TextEncoder TextDecoder AbortController Event performance crypto navigator WebSocket Worker
    MessageChannel structuredClone atob btoa WebAssembly SharedArrayBuffer Atomics Deno Bun window self document gc
    report __isobox_bindings__`),
)('MUST: there is no %s unless the caller gives one', async (name) => {
  expect(
    await resultOf(`export default [typeof ${name}, ${JSON.stringify(name)} in globalThis]`),
  ).toEqual(['undefined', false]);
  const own = { globals: { [name]: `my ${name}` } };
  if (name === 'self') return;
  expect(
    await resultOf(`export default [${name}, ${JSON.stringify(name)} in globalThis]`, own),
  ).toEqual([`my ${name}`, false]);
});

test('MUST: console and queueMicrotask are bindings, not properties of globalThis', async () => {
  const source = `export default [
    typeof console, 'console' in globalThis, typeof queueMicrotask, 'queueMicrotask' in globalThis]`;
  expect(await resultOf(source)).toEqual(['object', false, 'function', false]);
});

test('MUST: globals are bindings at module scope, in every module, and not enumerable', async () => {
  const source = `
    import inModule from './m.js';
    const seen = [];
    for (const key in globalThis) seen.push(key);
    const { given: dynamic } = await import('./n.js');
    export default {
      direct: given, inModule, dynamic, seen,
      keys: Object.keys(globalThis),
      own: Object.hasOwn(globalThis, 'given'),
      property: globalThis.given,
      inherited: 'given' in globalThis,
    }`;
  const modules = {
    './m.js': 'export default given',
    './n.js': 'const copy = given; export { copy as given }',
  };
  expect(await resultOf(source, { modules, globals: { given: 7 } })).toEqual({
    direct: 7,
    inModule: 7,
    dynamic: 7,
    seen: [],
    keys: [],
    own: false,
    property: undefined,
    inherited: false,
  });
});

test.each(['const', 'let', 'var', 'function', 'class', 'import'])(
  'a module may shadow a global with %s',
  async (how) => {
    const declaration = {
      const: 'const given = "mine"',
      let: 'let given = "mine"',
      var: 'var given = "mine"',
      function: 'function given() {} given.toString = () => "mine"',
      class: 'class given { static toString() { return "mine" } }',
      import: 'import given from "pkg"',
    }[how];
    const source = `${declaration}; import other from './other.js'; export default [String(given), other]`;
    const options = {
      globals: { given: 'host' },
      imports: { pkg: { default: 'mine' } },
      modules: { './other.js': 'export default given' },
    };
    expect(await resultOf(source, options)).toEqual(['mine', 'host']);
  },
);

test('globals cannot be written to', async () => {
  const error = await errorOf('given = 2; export default given', { globals: { given: 1 } });
  expect(error).toMatchObject({ status: 'error', name: 'TypeError' });
});

test('MUST: every call has an isolate of its own: nothing of one run is there in the next', async () => {
  const dirty = `
    globalThis.left = 1;
    Object.prototype.left = 1;
    Array.prototype.map = () => 'mapped';
    JSON.parse = () => 'parsed';
    const { counter } = await import('./counter.js');
    counter.n++;
    export default [counter.n, [].map(), JSON.parse(), {}.left, typeof left]`;
  const modules = { './counter.js': 'export const counter = { n: 0 }' };
  for (let i = 0; i < 3; i++) {
    expect(await resultOf(dirty, { modules })).toEqual([1, 'mapped', 'parsed', 1, 'number']);
  }
  const clean =
    'export default [typeof globalThis.left, {}.left, [1].map((x) => x + 1), JSON.parse("3")]';
  expect(await resultOf(clean)).toEqual(['undefined', undefined, [2], 3]);
});

test('MUST: prototypes mutated in a guest have no effect on the host', async () => {
  const source = `
    for (const C of [Object, Array, Function, Promise, Map, Set, String, RegExp, Error, Date]) {
      C.prototype.polluted = true;
      for (const key of ['toJSON', 'toString', 'constructor', 'status', 'result']) {
        try { C.prototype[key] = function () { return 'guest'; }; } catch {}
      }
    }
    export default () => [{ a: 1 }, [{}], new Map([[1, 2]])]`;
  const before = [Object, Array, Map, Promise].map((C) => Reflect.ownKeys(C.prototype));
  expect(await resultOf(source)).toEqual([{ a: 1 }, [{}], new Map([[1, 2]])]);
  expect([Object, Array, Map, Promise].map((C) => Reflect.ownKeys(C.prototype))).toEqual(before);
  expect([
    {}.polluted,
    /** @type {any} */ ([]).polluted,
    /** @type {any} */ (() => {}).polluted,
  ]).toEqual(Array(3).fill(undefined));
});

test('a guest that makes all its objects thenables waits for itself, and can be terminated', async () => {
  const handle = runJs('Object.prototype.then = function () {}; export default {}');
  await sleep(30);
  expect(handle.running).toBe(true);
  handle.terminate();
  expect(await handle).toMatchObject({ status: 'terminated' });
});

test('what comes from a guest has the prototypes of the host', async () => {
  const source = `
    Object.prototype.evil = 1;
    export default () => ({ o: {}, a: [], m: new Map(), s: new Set(), d: new Date(0), u: new Uint8Array(1) })`;
  const { o, a, m, s, d, u } = await resultOf(source);
  const kinds = [o, a, m, s, d, u].map((value) => Object.prototype.toString.call(value));
  expect(kinds).toEqual(
    ['Object', 'Array', 'Map', 'Set', 'Date', 'Uint8Array'].map((kind) => `[object ${kind}]`),
  );
  expect([o.evil, a.evil, m.evil]).toEqual([undefined, undefined, undefined]);
});

test.each([
  ['eval', 'eval("1")'],
  ['indirect eval', '(0, eval)("1")'],
  ['Function', 'Function("return 1")'],
  ['new Function', 'new Function("return 1")'],
  ['the constructor of a function', '(() => {}).constructor("return 1")'],
  ['AsyncFunction', '(async () => {}).constructor("return 1")'],
  ['GeneratorFunction', '(function* () {}).constructor("return 1")'],
  ['AsyncGeneratorFunction', '(async function* () {}).constructor("return 1")'],
  ['Reflect.construct of Function', 'Reflect.construct(Function, ["return 1"])'],
  ['a class that extends Function', 'new (class extends Function {})("return 1")'],
  ['the constructor of a host function', 'host.constructor("return 1")'],
])('MUST: %s is refused', async (_what, expression) => {
  const error = await errorOf(`export default () => ${expression}`, { globals: { host() {} } });
  expect(error).toMatchObject({ status: 'error', name: 'EvalError' });
});

test('MUST: eval of what is no string is what it was', async () => {
  expect(await resultOf('export default eval(5)')).toBe(5);
});

test.each([
  ['SharedArrayBuffer', 'new SharedArrayBuffer(8)'],
  ['Atomics', 'Atomics.load(new Int32Array(1), 0)'],
  ['WebAssembly', 'new WebAssembly.Module(new Uint8Array(8))'],
])('MUST: %s is not there', async (name, expression) => {
  expect(await errorOf(`export default () => ${expression}`)).toMatchObject({
    status: 'error',
    name: 'ReferenceError',
    message: expect.stringContaining(name),
  });
});

test.each([
  'https://example.com/a.js',
  'http://a.b',
  'data:text/javascript,export default 1',
  'file:///etc/passwd',
  'node:fs',
  'blob:x',
])('MUST: a dynamic import of %s is refused', async (url) => {
  const caught = `export default import(${JSON.stringify(url)}).then(() => 'loaded', (e) => e.name)`;
  expect(await resultOf(caught)).toBe('ModuleNotFoundError');
  expect(await errorOf(`export default import(${JSON.stringify(url)})`)).toMatchObject({
    status: 'link_error',
    specifier: url,
    line: 1,
  });
});

test('relative dynamic imports resolve only to what modules hold', async () => {
  const modules = { './there.js': 'export const here = 1' };
  const source = `export default [
    (await import('./there.js')).here,
    (await import('./' + 'there')).here,
    await import('./not-there.js').catch((e) => e.name)]`;
  expect(await resultOf(source, { modules })).toEqual([1, 1, 'ModuleNotFoundError']);
});

test("MUST: a host function's this and closure stay with the host", async () => {
  const secret = { token: 'secret' };
  const seen = [];
  const api = {
    token: 'secret',
    call() {
      seen.push(this);
      return secret.token.length;
    },
  };
  await resultOf(
    'export default async () => { await call.call({ mine: 1 }); await call.apply(null) }',
    {
      globals: { call: api.call },
    },
  );
  expect(seen).toEqual([undefined, undefined]);
  const facts = await resultOf(
    `export default async () => [Reflect.ownKeys(call).sort(), Function.prototype.toString.call(call),
      Object.getPrototypeOf(call) === Function.prototype]`,
    { globals: { call: api.call } },
  );
  expect(facts[0]).toEqual(expect.arrayContaining(['length', 'name']));
  expect(facts[1]).toMatch(/native code/);
  expect(facts[1]).not.toContain('secret');
  expect(facts[2]).toBe(true);
});
