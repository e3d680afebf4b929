'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf } = usePool();

const NODE_LINE = Number(process.versions.node.split('.')[0]);

// Every name of a realm without a console: the intrinsics of ECMAScript and Intl, and nothing of any host.
const ON_EVERY_LINE = `
  AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError
  FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl JSON Map Math NaN
  Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError
  Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape`;

// What came to V8 with each line of Node.
const SINCE = {
  22: 'Iterator',
  24: 'AsyncDisposableStack DisposableStack Float16Array SuppressedError',
  26: 'Temporal',
};

const words = (/** @type {string} */ text) => text.trim().split(/\s+/);

function expectedNames() {
  const later = Object.entries(SINCE).filter(([line]) => Number(line) <= NODE_LINE);
  return [...words(ON_EVERY_LINE), ...later.flatMap(([, names]) => words(names))].sort();
}

const NAMES = 'Object.getOwnPropertyNames(globalThis).sort()';

test.each(
  /** @type {const} */ ([
    ['function', `return ${NAMES}`],
    ['script', NAMES],
    ['module', `export default ${NAMES}`],
  ]),
)('a realm for a %s has the names of the list and no others', async (kind, source) => {
  expect(await valueOf({ kind, source, console: 'none' })).toEqual(expectedNames());
});

test('the default realm has a console besides', async () => {
  const names = await valueOf({ source: `return ${NAMES}` });
  expect(names).toEqual([...expectedNames(), 'console'].sort());
});

test('a realm with every intrinsic has four names more', async () => {
  const intrinsics = { codeGeneration: true, webAssembly: true, sharedMemory: true };
  const names = await valueOf({ source: `return ${NAMES}`, intrinsics });
  const more = ['Atomics', 'SharedArrayBuffer', 'WebAssembly', 'console'];
  expect(names).toEqual([...expectedNames(), ...more].sort());
});

test('nothing on the global object can be enumerated, and no symbol is a key of it', async () => {
  const source = `
    const seen = [];
    for (const key in globalThis) seen.push(key);
    return [seen, Object.keys(globalThis), Object.getOwnPropertySymbols(globalThis).map(String)]`;
  const [seen, keys, symbols] = await valueOf({ source, console: 'none' });
  expect({ seen, keys }).toEqual({ seen: [], keys: [] });
  expect(symbols).toEqual(symbols.filter((symbol) => symbol === 'Symbol(Symbol.toStringTag)'));
});

test.each(
  words(`
    process global require module exports Buffer fetch setTimeout setInterval setImmediate clearTimeout queueMicrotask
    structuredClone URL TextEncoder TextDecoder AbortController Event performance crypto navigator WebSocket Worker
    MessageChannel gc d8 print load Deno Bun window self document isobox __isobox_bindings__`),
)('there is no %s', async (name) => {
  expect(await valueOf({ source: `return typeof ${name}`, bindings: { other: 1 } })).toBe(
    'undefined',
  );
});

test('the names that guests are given come on top', async () => {
  const names = await valueOf({
    source: `return ${NAMES}`,
    console: 'none',
    globals: { given: 1 },
    namespaces: { tools: {} },
    bindings: { hidden: 1 },
  });
  expect(names).toEqual([...expectedNames(), 'given', 'tools'].sort());
});

test('what the realm was made with has left no mark on its intrinsics', async () => {
  const source = `
    const own = Object.getOwnPropertyNames(ArrayBuffer).sort();
    const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(globalThis, 'ArrayBuffer');
    return { own, writable, enumerable, configurable }`;
  expect(await valueOf({ source })).toEqual({
    own: ['isView', 'length', 'name', 'prototype'],
    writable: true,
    enumerable: false,
    configurable: true,
  });
});
