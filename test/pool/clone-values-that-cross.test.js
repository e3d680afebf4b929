'use strict';

const { runChild } = require('../support/child.js');
const { differenceBetween } = require('../support/difference.js');
const { usePool } = require('../support/pools.js');

const { valueOf } = usePool();

// Expressions that make the same value in host and guest.
const CROSSING = {
  undefined: 'undefined',
  null: 'null',
  booleans: '[true, false]',
  'small numbers': '[0, 1, -1, 63, 64, -64, -65, 2 ** 31 - 1, -(2 ** 31), 2 ** 31]',
  'other numbers': '[-0, NaN, Infinity, -Infinity, 0.1, 5e-324, 1.7976931348623157e308, 2 ** 53]',
  bigints:
    '[0n, 1n, -1n, 2n ** 63n, -(2n ** 63n), 2n ** 64n, -(2n ** 500n), 123456789012345678901234567890n]',
  strings:
    '["", "plain", "\\u00e9\\u00ff", "\\u0100", "\\u0000", "日本 😀", "\\ud800", "\\udc00x"]',
  'a long string': '"x".repeat(100_000) + "日"',
  'plain objects': '({ a: 1, b: { c: [] }, "": 2, "a b": 3, "日": 4, 1: 5 })',
  'keys that look like trouble':
    'JSON.parse(\'{"__proto__": {"x": 1}, "constructor": 1, "then": 2, "toJSON": 3}\')',
  'an object without a prototype': 'Object.assign(Object.create(null), { a: 1 })',
  arrays: '[[], [1, [2, [3]]], ["x", null, undefined]]',
  'arrays with holes': '[[1, , 3], [, ], new Array(5), [undefined, , undefined]]',
  'long arrays with holes':
    '[new Array(2000), Object.assign(new Array(3000), { 5: "x", 2999: undefined })]',
  'sparse arrays':
    '[Object.assign([], { 100_000: 1 }), Object.assign([], { 4_294_967_294: "last" }), new Array(2 ** 32 - 1)]',
  'long dense arrays': 'Array.from({ length: 5000 }, (_, i) => i % 7 ? i : undefined)',
  maps: '[new Map(), new Map([[1, "a"], ["1", "b"], [NaN, 0], [{ k: 1 }, new Map([[null, undefined]])]])]',
  sets: '[new Set(), new Set([1, "1", NaN, undefined, { a: 1 }, new Set([[]])])]',
  dates: '[new Date(0), new Date(8.64e15), new Date(-1.5e12), new Date(NaN)]',
  'regular expressions':
    '[/a\\/b[/]\\n/giu, new RegExp(""), new RegExp("/"), /x/dsy, /日\\u{1F600}/u, /(?<n>.)/, /[\\p{L}--[a-z]]/v]',
  buffers: '[new ArrayBuffer(0), new Uint8Array([1, 2, 255]).buffer]',
  'typed arrays': `[
    new Int8Array([-1]), new Uint8Array([255]), new Uint8ClampedArray([300]), new Int16Array([-2]), new Uint16Array([2]),
    new Int32Array([-3]), new Uint32Array([3]), new Float32Array([0.5]), new Float64Array([NaN, -0]),
    new BigInt64Array([-4n]), new BigUint64Array([4n]), new Uint8Array(0), new Float64Array(0)]`,
  'data views':
    '[new DataView(new Uint8Array([1, 2, 3]).buffer), new DataView(new ArrayBuffer(8), 8)]',
  'a cycle': '(() => { const a = {}; a.self = a; a.list = [a, { a }]; return a })()',
  'a cycle through collections':
    '(() => { const m = new Map(); const s = new Set([m]); m.set(s, [m]); m.set(m, s); return m })()',
  'shared references':
    '(() => { const a = {}; const d = new Date(1); const b = new ArrayBuffer(2); return [a, a, { a }, new Map([[a, a]]), d, d, b, b] })()',
  'shared views': '(() => { const v = new Uint8Array([1]); return [v, v, { v }] })()',
};
if ('Float16Array' in globalThis) CROSSING['half floats'] = '[new Float16Array([0.5, -0])]';

const make = (expression) => new Function(`return ${expression}`)();

describe.each(Object.entries(CROSSING))('%s', (_name, expression) => {
  test('cross from guest to host', async () => {
    const value = await valueOf({ source: `return ${expression}`, values: 'clone' });
    expect(differenceBetween(value, make(expression))).toBe('');
  });

  test('cross from host to guest and back, as arguments, replies and globals', async () => {
    const received = [];
    const value = await valueOf({
      kind: 'module',
      source: 'export default async (given) => [given, await host.echo(given), fromGlobal]',
      values: 'clone',
      module: { arguments: [make(expression)] },
      globals: { fromGlobal: make(expression) },
      namespaces: { host: { echo: (input) => (received.push(input), input) } },
    });
    for (const one of [...value, received[0]]) {
      expect(differenceBetween(one, make(expression))).toBe('');
    }
  });
});

test('in the guest, values have the prototypes of the guest', async () => {
  const source = `
    const kinds = [Object, Array, Map, Set, Date, RegExp, ArrayBuffer, Uint8Array, DataView];
    return kinds.map((kind, i) => Object.getPrototypeOf(given[i]) === kind.prototype)`;
  const given = [
    {},
    [],
    new Map(),
    new Set(),
    new Date(),
    /x/,
    new ArrayBuffer(1),
    new Uint8Array(1),
  ];
  given.push(new DataView(new ArrayBuffer(1)));
  expect(await valueOf({ source, values: 'clone', globals: { given } })).toEqual(
    given.map(() => true),
  );
});

test('in the host, values have the prototypes of the host', async () => {
  const { reports } = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool({ threads: 1 });
    const source =
      'return [{}, [], new Map(), new Set(), new Date(), /x/, new ArrayBuffer(1), new Uint8Array(1), () => 1]';
    const { value } = await pool.run({ source, values: 'clone' });
    const kinds = [Object, Array, Map, Set, Date, RegExp, ArrayBuffer, Uint8Array, Function];
    report(kinds.map((kind, i) => Object.getPrototypeOf(value[i]) === kind.prototype));
    await pool.dispose();
  });
  expect(reports).toEqual([Array(9).fill(true)]);
});

test('views carry the bytes in view and no others', async () => {
  const secret = Buffer.from('secret public secret');
  const source =
    'return [given.byteLength, given.byteOffset, given.buffer.byteLength, String.fromCharCode(...given)]';
  for (const given of [
    secret.subarray(7, 13),
    new Uint8Array(secret.buffer, secret.byteOffset + 7, 6),
  ]) {
    expect(await valueOf({ source, values: 'clone', globals: { given } })).toEqual([
      6,
      0,
      6,
      'public',
    ]);
  }
  const view =
    'const b = new Uint8Array([1, 2, 3, 4]).buffer; return [new Uint8Array(b, 1, 2), new DataView(b, 3)]';
  const [bytes, data] = await valueOf({ source: view, values: 'clone' });
  expect([...bytes, bytes.buffer.byteLength, data.getUint8(0), data.buffer.byteLength]).toEqual([
    2, 3, 2, 4, 1,
  ]);
});

test('a Buffer arrives as a Uint8Array', async () => {
  const source = 'return [Object.getPrototypeOf(given) === Uint8Array.prototype, [...given]]';
  const given = Buffer.from('ab');
  expect(await valueOf({ source, values: 'clone', globals: { given } })).toEqual([true, [97, 98]]);
});

test('nothing is shared: each side has its own copy', async () => {
  const given = { list: [1], map: new Map(), bytes: new Uint8Array([1]) };
  const source = 'given.list.push(2); given.map.set(1, 1); given.bytes[0] = 9; return given';
  const value = await valueOf({ source, values: 'clone', globals: { given } });
  expect(
    differenceBetween(value, { list: [1, 2], map: new Map([[1, 1]]), bytes: new Uint8Array([9]) }),
  ).toBe('');
  expect(differenceBetween(given, { list: [1], map: new Map(), bytes: new Uint8Array([1]) })).toBe(
    '',
  );
});

test('instances of classes that extend a kind arrive as that kind', async () => {
  const source = `
    class List extends Array {} class Table extends Map {} class Day extends Date {}
    return [List.of(1, 2), new Table([[1, 2]]), new Day(5)]`;
  const value = await valueOf({ source, values: 'clone' });
  expect(differenceBetween(value, [[1, 2], new Map([[1, 2]]), new Date(5)])).toBe('');
});

test('changed intrinsics of a guest change nothing', async () => {
  const source = `
    const mine = new Map([[1, new Set([2])]]);
    Map.prototype.set = Map.prototype.entries = Set.prototype.add = Date.prototype.getTime = null;
    Map.prototype[Symbol.iterator] = Set.prototype[Symbol.iterator] = Array.prototype[Symbol.iterator] = null;
    Object.defineProperty(Object.prototype, 'a', { set() { throw new Error('used') }, configurable: true });
    Object.defineProperty(Array.prototype, 0, { set() { throw new Error('used') }, configurable: true });
    return [await host.give(), mine]`;
  const given = { a: [1], map: new Map([[1, new Set([2])]]), date: new Date(3) };
  const value = await valueOf({
    source,
    values: 'clone',
    namespaces: { host: { give: () => given } },
  });
  expect(differenceBetween(value, [given, new Map([[1, new Set([2])]])])).toBe('');
});

test('getters are read once', async () => {
  const source = `
    let reads = 0;
    const value = { get a() { return ++reads }, list: Object.defineProperty([0], 0, { get: () => ++reads }) };
    return [await host.echo(value), reads]`;
  const namespaces = { host: { echo: (input) => input } };
  expect(await valueOf({ source, values: 'clone', namespaces })).toEqual([{ a: 1, list: [2] }, 2]);
});

test('a detached buffer crosses as an empty one', async () => {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  const source = 'return given.byteLength';
  expect(await valueOf({ source, values: 'clone', globals: { given: buffer } })).toBe(0);
});

test('a megabyte crosses both ways', async () => {
  const given = new Uint8Array(2 ** 20).map((_, i) => i % 251);
  const source = 'export default (bytes) => bytes';
  const value = await valueOf({
    kind: 'module',
    source,
    values: 'clone',
    module: { arguments: [given] },
  });
  expect(differenceBetween(value, given)).toBe('');
});
