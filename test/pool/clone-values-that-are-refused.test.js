'use strict';

const { usePool } = require('../support/pools.js');

const { errorOf, valueOf, run } = usePool();

// Expressions that work in host and guest alike.
const REFUSED = {
  'a symbol': 'Symbol("s")',
  'a class instance': 'new (class Mine { x = 1 })()',
  'an Error': 'new Error("e")',
  'a WeakMap': 'new WeakMap()',
  'a WeakSet': 'new WeakSet()',
  'a WeakRef': 'new WeakRef({})',
  'a Proxy': 'new Proxy({}, {})',
  'a Proxy of a Map': 'new Proxy(new Map(), {})',
  'a boxed primitive': 'Object(1)',
  'a generator': '(function* () {})()',
  'an object with a prototype of its own': 'Object.create({ a: 1 })',
};

const transportError = (path) => ({
  cause: 'serialization',
  name: 'SerializationError',
  message: expect.stringContaining(`${path} `),
});

describe.each(Object.entries(REFUSED))('%s', (_name, expression) => {
  const nested = `{ fine: {}, list: [{}, { bad: ${expression} }] }`;
  const path = 'value.list[1].bad';

  test('as a result ends the run with the serialization cause, and the message says where', async () => {
    expect(await errorOf({ source: `return ${nested}`, values: 'clone' })).toMatchObject(
      transportError(path),
    );
  });

  test('as an argument rejects the call in the guest, and the host never hears of it', async () => {
    const called = jest.fn();
    const source = `
      const error = await host.called(1, ${nested}).catch((e) => e);
      return [error instanceof Error, error.name, error.code, error.message]`;
    const value = await valueOf({ source, values: 'clone', namespaces: { host: { called } } });
    expect(value).toEqual([
      true,
      'SerializationError',
      'serialization_error',
      expect.stringContaining('[1].list[1].bad '),
    ]);
    expect(called).not.toHaveBeenCalled();
  });

  test('as a reply rejects the call in the guest', async () => {
    const give = new Function(`return ${nested}`);
    const source =
      'const error = await host.give().catch((e) => e); return [error.name, error.code, error.message]';
    const value = await valueOf({
      source,
      values: 'clone',
      namespaces: { host: { give: () => give() } },
    });
    expect(value).toEqual([
      'SerializationError',
      'serialization_error',
      expect.stringContaining(`${path} `),
    ]);
  });
});

test.each([
  ['a key of a Map', 'new Map([[Symbol(), 1]])'],
  ['a value of a Map', 'new Map([[1, Symbol()]])'],
  ['a member of a Set', 'new Set([Symbol()])'],
  ['an element behind holes', '[, , Symbol()]'],
  ['an element of a sparse array', 'Object.assign([], { 100_000: Symbol() })'],
])('%s is looked at too', async (_name, expression) => {
  const error = await errorOf({ source: `return { a: ${expression} }`, values: 'clone' });
  expect(error).toMatchObject({
    cause: 'serialization',
    message: expect.stringContaining('value.a['),
  });
});

test('a promise of a guest does not cross inside a value', async () => {
  const error = await errorOf({ source: 'return { later: Promise.resolve(1) }', values: 'clone' });
  expect(error).toMatchObject(transportError('value.later'));
});

test.each([
  ['shared memory', () => new SharedArrayBuffer(8)],
  ['a view of shared memory', () => new Uint8Array(new SharedArrayBuffer(8))],
  ['an object of Node', () => new URL('https://example.com')],
  ['the process', () => process],
  ['a stream', () => process.stdout],
  ['an AbortSignal', () => AbortSignal.abort()],
])('%s of the host does not cross', async (_name, make) => {
  expect(() => run({ source: '', globals: { given: make() } })).toThrow(
    expect.objectContaining({ code: 'ERR_ISOBOX_NOT_TRANSFERABLE' }),
  );
});

test('shared memory of a guest does not cross', async () => {
  for (const expression of [
    'new SharedArrayBuffer(8)',
    'new Uint8Array(new SharedArrayBuffer(8))',
  ]) {
    /** @type {import('isobox').RunRequest} */
    const request = {
      source: `return [${expression}]`,
      values: 'clone',
      intrinsics: { sharedMemory: true },
    };
    expect(await errorOf(request)).toMatchObject(transportError('value[0]'));
  }
});

describe('limits', () => {
  test('depth counts objects, arrays and collections alike', async () => {
    const limits = { valueDepth: 3 };
    expect(
      await run({ source: 'return [{ m: new Map([[1, 2]]) }]', values: 'clone', limits }),
    ).toMatchObject({ ok: true });
    const error = await errorOf({
      source: 'return [{ m: new Map([[1, new Set()]]) }]',
      values: 'clone',
      limits,
    });
    expect(error).toMatchObject({ cause: 'serialization' });
  });

  test('a chain far deeper than any limit exhausts no stack', async () => {
    const source =
      'let a = {}; for (let i = 0; i < 1e6; i++) a = i % 2 ? [a] : new Map([[a, 1]]); return a';
    /** @type {import('isobox').RunRequest} */
    const request = { source, values: 'clone', limits: { valueDepth: 1000, memoryBytes: 2 ** 30 } };
    expect(await errorOf(request)).toMatchObject({ cause: 'serialization' });
  });

  test.each([
    ['a buffer', 'new ArrayBuffer(1000)'],
    ['a view', 'new Uint8Array(1000)'],
    ['a string', '"x".repeat(1000)'],
    ['a string of two bytes', '"日".repeat(500)'],
    ['a bigint', '2n ** 8000n'],
    ['an array', 'new Array(1000).fill(0)'],
    ['holes', 'new Array(1000)'],
  ])('the size of %s counts', async (_name, expression) => {
    /** @type {import('isobox').RunRequest} */
    const request = { source: `return ${expression}`, values: 'clone' };
    expect(await run({ ...request, limits: { valueBytes: 3000 } })).toMatchObject({ ok: true });
    expect(await errorOf({ ...request, limits: { valueBytes: 900 } })).toMatchObject({
      cause: 'output',
    });
  });

  test('shared references are written once', async () => {
    const source = 'const big = "x".repeat(1000); const o = { big }; return Array(100).fill(o)';
    expect(await run({ source, values: 'clone', limits: { valueBytes: 2000 } })).toMatchObject({
      ok: true,
    });
  });

  test('replies beyond valueBytes and valueDepth reject the call', async () => {
    const source = `
      const codeOf = (promise) => promise.then(() => 'fine', (e) => e.code);
      return [await codeOf(host.bytes()), await codeOf(host.deep()), await codeOf(host.fine())]`;
    const host = { bytes: () => new Uint8Array(1000), deep: () => [[[[]]]], fine: () => [[[]]] };
    const limits = { valueBytes: 500, valueDepth: 3 };
    const value = await valueOf({ source, values: 'clone', namespaces: { host }, limits });
    expect(value).toEqual(['serialization_error', 'serialization_error', 'fine']);
  });
});

describe('hostile getters', () => {
  test('that throw are guest errors', async () => {
    const error = await errorOf({
      source: 'return new Map([[1, { get a() { throw new RangeError("mine") } }]])',
      values: 'clone',
    });
    expect(error).toMatchObject({ cause: 'guest_error', name: 'RangeError', message: 'mine' });
  });

  test('that never end are stopped by the deadline', async () => {
    const source = 'return [{ get a() { for (;;); } }]';
    expect(await errorOf({ source, values: 'clone', limits: { wallMs: 100 } })).toMatchObject({
      cause: 'deadline',
    });
  });

  test('that change what is being written do no harm', async () => {
    const source = `
      const list = [1, 2, 3];
      Object.defineProperty(list, 0, { get() { list.length = 1; return 'cut' } });
      const map = new Map([[1, { get a() { map.clear(); return 1 } }], [2, 'kept']]);
      const bytes = new Uint8Array([1, 2, 3, 4]);
      return [list, map, { get a() { bytes.fill(9); return 1 }, bytes }]`;
    const [list, map, { bytes }] = await valueOf({ source, values: 'clone' });
    expect(list[0]).toBe('cut');
    expect([...map.keys()]).toEqual([1, 2]);
    expect([...bytes]).toEqual([9, 9, 9, 9]);
  });
});
