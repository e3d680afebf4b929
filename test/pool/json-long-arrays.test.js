'use strict';
// Long arrays take a quicker way through the encoder. It comes to the same as the way of short ones.

const { differenceBetween } = require('../support/difference.js');
const { usePool } = require('../support/pools.js');

const { run, valueOf } = usePool();

const LENGTH = 40;

/** What is returned as it is, and as the last element of a long array. */
async function bothWays(expression, limits) {
  const [short, long] = await Promise.all(
    [expression, `[...Array.from({ length: ${LENGTH} }, (_, i) => i), ${expression}]`].map(
      (value) => run({ source: `const shared = { s: 1 }; return ${value}`, limits }),
    ),
  );
  return { short, long };
}

describe.each([
  'null',
  '-0',
  '2 ** 31 - 1',
  '-(2 ** 31)',
  '2 ** 32',
  '1.5',
  'Number.MAX_VALUE',
  'Number.MIN_VALUE',
  '""',
  '"\\"quoted\\" \\\\ \\n \\u0000\\u007f\\u0080\\u00ff"',
  '"日本 \\u2028 😀 \\ud800"',
  '"x".repeat(300)',
  '{ a: undefined, b: [undefined, 1], c: { d: undefined }, e: undefined }',
  '{ "": 1, "a b": 2, "é": 3, "日": 4, 0: 5, 7: 6, 4294967295: 7, "-1": 8 }',
  'JSON.parse(\'{"__proto__": {"polluted": true}}\')',
  'Object.assign(Object.create(null), { a: 1 })',
  '[shared, shared, { shared, list: [shared] }]',
  '[1, , 3]',
  'new Array(50).fill(1)',
  'Object.assign(new Array(50).fill(1), { extra: 1 })',
  'Object.assign([1, 2], { extra: 3 })',
  'Object.assign([1], { 100: 4 })',
  'Array.from({ length: 100 }, (_, i) => [i, { i, half: i / 2 }])',
  'Array.from({ length: 100 }, (_, i) => i / 2)',
  'Object.defineProperty({ z: 1, 1: 3, [Symbol("s")]: 4 }, "hidden", { value: 5 })',
  '{ get a() { return { get b() { return 1 } } } }',
  '{ get a() { delete this.b; this.d = 4; return 1 }, b: 2, c: 3 }',
  '{ toJSON: "data" }',
])('%s', (expression) => {
  test('crosses as it would by itself', async () => {
    const { short, long } = await bothWays(expression);
    expect([short.cause, long.cause]).toEqual(['finished', 'finished']);
    expect(differenceBetween(long.value[LENGTH], short.value)).toBe('');
    expect(long.value.slice(0, LENGTH)).toEqual(Array.from({ length: LENGTH }, (_, i) => i));
  });
});

describe.each([
  'NaN',
  '{ a: [Infinity] }',
  '1n',
  'Symbol("s")',
  '() => 1',
  '{ toJSON() {} }',
  '{ deep: [new (class Mine {})()] }',
  'Object.create({ inherited: 1 })',
  'new Date(0)',
  'new Map()',
  'new Set()',
  '/x/',
  'new Error("x")',
  'new Number(1)',
  'new Uint8Array(3)',
  'new ArrayBuffer(3)',
  '[Promise.resolve()]',
  'new Proxy({}, {})',
  'new Proxy([], {})',
  '(() => { const a = []; a.push({ a }); return a })()',
])('%s', (expression) => {
  test('is refused as it would be by itself, with the place', async () => {
    const { short, long } = await bothWays(expression);
    expect([short.cause, long.cause]).toEqual(['serialization', 'serialization']);
    expect(long.error?.message).toBe(
      String(short.error?.message).replace('value', `value[${LENGTH}]`),
    );
  });
});

test('what is nested too deeply for either way is refused', async () => {
  const { short, long } = await bothWays(
    '(() => { let a = 1; for (let i = 0; i < 1e5; i++) a = [a]; return a })()',
  );
  expect([short.cause, long.cause]).toEqual(['serialization', 'serialization']);
  expect(long.error?.message).toMatch(/is nested too deeply$/);
});

test('a cycle through the array itself is refused', async () => {
  const source = `const a = Array.from({ length: ${LENGTH} }, () => ({})); a[7].a = { a }; return { a }`;
  const { cause, error } = await run({ source });
  expect([cause, error?.message]).toEqual([
    'serialization',
    'The result cannot be returned: value.a[7].a.a is part of a cycle',
  ]);
});

test.each([
  ['resultBytes', { resultBytes: 1000 }, '"x".repeat(2000)', 'output'],
  ['resultBytes, by repetition', { resultBytes: 1000 }, 'new Array(500).fill(shared)', 'output'],
  ['valueObjects', { valueObjects: 100 }, 'Array.from({ length: 200 }, () => [])', 'output'],
  ['valueObjects, by repetition', { valueObjects: 100 }, 'Array(200).fill([shared])', 'output'],
  ['valueDepth', { valueDepth: 5 }, '[[[[[[1]]]]]]', 'serialization'],
])('%s holds', async (_name, limits, expression, cause) => {
  const { short, long } = await bothWays(expression, limits);
  expect([short.cause, long.cause]).toEqual([cause, cause]);
});

test('limits allow what just fits', async () => {
  const list = Array.from({ length: LENGTH }, (_, i) => [{ i }]);
  const limits = { resultBytes: JSON.stringify(list).length, valueObjects: 2 * LENGTH + 1 };
  const source = `return Array.from({ length: ${LENGTH} }, (_, i) => [{ i }])`;
  expect(await valueOf({ source, limits })).toEqual(list);
});

test('accessors are read once each, in order', async () => {
  const source = `
    const reads = [];
    const list = Array.from({ length: ${LENGTH} }, (_, i) => ({ get a() { reads.push(i); return [i] } }));
    return [await host.echo(list), reads]`;
  const [list, reads] = await valueOf({ source, namespaces: { host: { echo: (x) => x } } });
  expect(list).toEqual(Array.from({ length: LENGTH }, (_, i) => ({ a: [i] })));
  expect(reads).toEqual(Array.from({ length: LENGTH }, (_, i) => i));
});

test('what an accessor throws is what the guest gets', async () => {
  const source = `
    const list = Array.from({ length: ${LENGTH} }, () => ({ get a() { throw new TypeError('mine') } }));
    try { await host.take(list) } catch (error) { return [error.name, error.message] }`;
  const namespaces = { host: { take: () => 1 } };
  expect(await valueOf({ source, namespaces })).toEqual(['TypeError', 'mine']);
});

test('an accessor that does not end is stopped with its run', async () => {
  const source = `return Array.from({ length: ${LENGTH} }, () => ({ get a() { for (;;); } }))`;
  expect((await run({ source, limits: { wallMs: 100 } })).cause).toBe('deadline');
});

test('values of the host cross the same way', async () => {
  const value = Array.from({ length: 100 }, (_, i) => ({ i, name: `é${i}`, list: [i / 2, null] }));
  const source = 'const v = await host.give(); return [Array.isArray(v), JSON.stringify(v)]';
  const give = (/** @type {unknown} */ given) => ({ host: { give: () => given } });
  expect(await valueOf({ source, namespaces: give(value) })).toEqual([true, JSON.stringify(value)]);
  class Mine {}
  const refused = await run({ source, namespaces: give([...value, new Mine()]) });
  expect(refused.error?.message).toMatch(/value\[100\] is not a plain object or array/);
});
