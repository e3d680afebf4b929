'use strict';

const fc = require('fast-check');

const { differenceBetween } = require('../support/difference.js');
const { usePool } = require('../support/pools.js');

const { run } = usePool();

const anyString = fc.string({ unit: 'binary', maxLength: 12 });
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
  .map((units) => String.fromCharCode(...units));

const anyView = fc.oneof(
  fc.int8Array(),
  fc.uint8Array(),
  fc.uint8ClampedArray(),
  fc.int16Array(),
  fc.uint16Array(),
  fc.int32Array(),
  fc.uint32Array(),
  fc.float32Array(),
  fc.float64Array(),
  fc.bigInt64Array(),
  fc.bigUint64Array(),
  fc.uint8Array().map((bytes) => new DataView(bytes.buffer)),
);

const anyLeaf = fc.oneof(
  fc.constantFrom(undefined, null, true, false, -0, NaN, Infinity, -Infinity),
  fc.integer(),
  fc.double(),
  fc.bigInt(),
  anyString,
  anyUnits,
  fc.date({ noInvalidDate: false }),
  fc.constantFrom(/a+/gi, /[/]\//u, /(?:)/, /\d/y),
  fc.uint8Array().map(({ buffer }) => buffer),
  anyView,
);

const { value: anyTree } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'value' },
    anyLeaf,
    fc.array(tie('value'), { maxLength: 5, depthIdentifier: 'value' }),
    fc.sparseArray(tie('value'), { maxNumElements: 4, depthIdentifier: 'value' }),
    fc.dictionary(fc.oneof(anyString, fc.constantFrom('__proto__', 'then', '0')), tie('value'), {
      maxKeys: 5,
      depthIdentifier: 'value',
    }),
    fc
      .array(fc.tuple(tie('value'), tie('value')), { maxLength: 4, depthIdentifier: 'value' })
      .map((entries) => new Map(entries)),
    fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'value' }).map((list) => new Set(list)),
  ),
}));

// Objects that refer to each other in every way: link [a, kind, b] makes object a hold object b.
const anyGraph = fc
  .tuple(
    fc.integer({ min: 1, max: 8 }),
    fc.array(
      fc.tuple(
        fc.nat(7),
        fc.constantFrom('property', 'element', 'key', 'entry', 'member'),
        fc.nat(7),
      ),
      {
        maxLength: 24,
      },
    ),
  )
  .map(([count, links]) => {
    const nodes = Array.from({ length: count }, () => ({
      list: /** @type {any[]} */ ([]),
      map: new Map(),
      set: new Set(),
    }));
    for (const [from, kind, to] of links) {
      const { [from % count]: a, [to % count]: b } = nodes;
      if (kind === 'property') a[`to${to}`] = b;
      else if (kind === 'element') a.list.push(b, b.list);
      else if (kind === 'key') a.map.set(b, b.set);
      else if (kind === 'entry') a.map.set(to, b);
      else a.set.add(b.map);
    }
    return nodes;
  });

/** The value as the host has it back: through a module that echoes it, and through a host function. */
async function roundTrip(given) {
  const received = [];
  const outcome = await run({
    kind: 'module',
    source: 'export default async (given) => [given, await host.echo(given)]',
    values: 'clone',
    module: { arguments: [given] },
    namespaces: { host: { echo: (input) => (received.push(input), input) } },
  });
  expect(outcome.cause).toBe('finished');
  return [...outcome.value, ...received];
}

const comesBack = async (given) => {
  for (const returned of await roundTrip(given)) {
    expect(differenceBetween(returned, given)).toBe('');
  }
};

test('any tree of values comes back from a guest as it was', async () => {
  await fc.assert(fc.asyncProperty(anyTree, comesBack), { numRuns: 300 });
});

test('any graph of objects comes back with the same shape', async () => {
  await fc.assert(fc.asyncProperty(anyGraph, comesBack), { numRuns: 150 });
});

test('a guest sees in a value what the host put into it', async () => {
  // The guest's own account of a tree, in text; the host gives the same one.
  const describeTree = `
    const describe = (v) => {
      if (typeof v === 'string') return 'string ' + JSON.stringify(v);
      if (typeof v !== 'object' || v === null) return Object.is(v, -0) ? '-0' : typeof v + ' ' + String(v);
      const kind = Object.prototype.toString.call(v);
      if (kind === '[object Map]') return 'map(' + [...v].map(([k, w]) => describe(k) + '=>' + describe(w)).join() + ')';
      if (kind === '[object Set]') return 'set(' + [...v].map(describe).join() + ')';
      if (kind === '[object Date]') return 'date ' + v.getTime();
      if (kind === '[object RegExp]') return String(v);
      if (kind === '[object ArrayBuffer]') return kind + [...new Uint8Array(v)];
      if (ArrayBuffer.isView(v)) return kind + [...new Uint8Array(v.buffer, v.byteOffset, v.byteLength)];
      const length = Array.isArray(v) ? 'length ' + v.length : '';
      return kind + length + Object.keys(v).map((key) => JSON.stringify(key) + ':' + describe(v[key])).join();
    };`;
  const describeHere = new Function(`${describeTree} return describe`)();
  await fc.assert(
    fc.asyncProperty(anyTree, async (given) => {
      const outcome = await run({
        source: `${describeTree} return describe(given)`,
        values: 'clone',
        bindings: { given },
      });
      expect(outcome.value).toBe(describeHere(given));
    }),
    { numRuns: 150 },
  );
});
