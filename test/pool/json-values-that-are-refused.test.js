'use strict';

const { usePool } = require('../support/pools.js');

const { errorOf, valueOf, run } = usePool();

// Expressions that work in host and guest alike.
const REFUSED = {
  'a bigint': '1n',
  'a function': '() => 1',
  'a class': 'class {}',
  'a method': '({ m() {} }).m',
  'a symbol': 'Symbol("s")',
  'a registered symbol': 'Symbol.for("s")',
  NaN: 'NaN',
  Infinity: 'Infinity',
  '-Infinity': '-Infinity',
  'a Date': 'new Date(0)',
  'a Map': 'new Map()',
  'a Set': 'new Set()',
  'a WeakMap': 'new WeakMap()',
  'a RegExp': '/x/',
  'an Error': 'new Error("e")',
  'a Promise': 'Promise.resolve(1)',
  'a class instance': 'new (class Mine { x = 1 })()',
  'an object with a prototype of its own': 'Object.create({ a: 1 })',
  'a boxed number': 'Object(1)',
  'a boxed string': 'Object("s")',
  'a boxed boolean': 'Object(false)',
  'a boxed bigint': 'Object(1n)',
  'a boxed symbol': 'Object(Symbol())',
  'an ArrayBuffer': 'new ArrayBuffer(2)',
  'a typed array': 'new Uint8Array(2)',
  'a DataView': 'new DataView(new ArrayBuffer(2))',
  'a generator': '(function* () {})()',
  'an iterator': '[].values()',
  'a Proxy of an object': 'new Proxy({}, {})',
  'a Proxy of an array': 'new Proxy([], {})',
  'a Proxy of a function': 'new Proxy(() => 1, {})',
  'a revoked Proxy': '(() => { const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy })()',
  'an object with a Proxy for prototype': 'Object.create(new Proxy({}, {}))',
  'a toJSON function': '{ toJSON: () => 1 }',
};

describe.each(Object.entries(REFUSED))('%s', (name, expression) => {
  const path = name === 'a toJSON function' ? 'value.a[1].b.toJSON' : 'value.a[1].b';
  const nested = `{ fine: {}, a: [{}, { b: (${expression.startsWith('{') ? `(${expression})` : expression}) }] }`;

  test('as a result ends the run with the serialization cause, and the message says where', async () => {
    expect(await errorOf({ source: `return ${nested}` })).toMatchObject({
      cause: 'serialization',
      name: 'SerializationError',
      message: expect.stringContaining(`${path} `),
    });
  });

  test('as input rejects the call in the guest, and the host never hears of it', async () => {
    const called = jest.fn();
    const source = `
      const error = await host.called(${nested}).catch((e) => e);
      return [error instanceof Error, error.name, error.code, error.message]`;
    const value = await valueOf({ source, namespaces: { host: { called } } });
    expect(value).toEqual([
      true,
      'SerializationError',
      'serialization_error',
      expect.stringContaining(`${path} `),
    ]);
    expect(called).not.toHaveBeenCalled();
  });

  test('as a reply rejects the call in the guest', async () => {
    const make = new Function(`return ${nested}`);
    const source =
      'const error = await host.give().catch((e) => e); return [error.name, error.code, error.message]';
    const value = await valueOf({ source, namespaces: { host: { give: () => make() } } });
    expect(value).toEqual([
      'SerializationError',
      'serialization_error',
      expect.stringContaining(`${path} `),
    ]);
  });
});

test.each([
  ['by itself', 'return 1n', 'value '],
  ['in an array', 'return [0, [1n]]', 'value[1][0] '],
  ['in an object', 'return { a: { b: 1n } }', 'value.a.b '],
  ['in both', 'return [{ list: [0, 1, { x: 1n }] }]', 'value[0].list[2].x '],
  ['under an odd key', 'return { "a b": 1n }', 'value.a b '],
  ['behind values that are fine', 'return [{}, [], "x", { a: {} }, { b: 1n }]', 'value[4].b '],
  ['in an object that follows plain ones', 'return [{}, new Date(0)]', 'value[1] '],
  ['of a class, behind plain objects', 'return [{}, {}, new (class Mine {})()]', 'value[2] '],
])('the path of a value %s', async (_name, source, path) => {
  const { message } = await errorOf({ source });
  expect(message).toContain(path);
});

test('long keys and long paths are shortened in the message', async () => {
  const source = `
    let value = { ['k'.repeat(100_000)]: 1n };
    for (let i = 0; i < 400; i++) value = { wrapper: value };
    return value`;
  const { cause, message } = await errorOf({ source });
  expect(cause).toBe('serialization');
  expect(message.length).toBeLessThan(2000);
  expect(message).not.toContain(`value${'.wrapper'.repeat(10)}`);
});

describe('cycles', () => {
  test.each([
    ['an object in itself', 'const a = {}; a.self = a; return a', 'value.self '],
    ['an array in itself', 'const a = [1]; a.push(a); return a', 'value[1] '],
    ['a longer one', 'const a = {}; a.b = { c: [a] }; return a', 'value.b.c[0] '],
    ['one made by a getter', 'const a = { get self() { return a } }; return a', 'value.self '],
  ])('%s', async (_name, source, path) => {
    const error = await errorOf({ source });
    expect(error).toMatchObject({ cause: 'serialization', message: expect.stringContaining(path) });
    expect(error.message).toContain('cycle');
  });

  test('a getter that makes ever new objects ends at the depth limit', async () => {
    const source = 'const make = () => ({ get next() { return make() } }); return make()';
    expect(await errorOf({ source })).toMatchObject({ cause: 'serialization' });
  });
});

describe('depth', () => {
  const nested = (levels) => `
    let value = [];
    for (let i = 1; i < ${levels}; i++) value = i % 2 ? { value } : [value];
    return value`;

  test('500 levels cross, and one more does not', async () => {
    expect(await run({ source: nested(500) })).toMatchObject({ ok: true });
    expect(await errorOf({ source: nested(501) })).toMatchObject({ cause: 'serialization' });
  });

  test('follows the limit', async () => {
    const limits = { valueDepth: 3 };
    expect(await valueOf({ source: 'return [[[1]]]', limits })).toEqual([[[1]]]);
    const error = await errorOf({ source: 'return [[[[1]]]]', limits });
    expect(error).toMatchObject({
      cause: 'serialization',
      message: expect.stringContaining('value[0][0][0] '),
    });
  });

  test('counts for inputs and replies too', async () => {
    const source = `
      const codeOf = (promise) => promise.then(() => 'fine', (e) => e.code);
      return [await codeOf(host.take([[1]])), await codeOf(host.take([[[1]]])),
        await codeOf(host.give(2)), await codeOf(host.give(3))]`;
    const give = (levels) => (levels === 0 ? 1 : [give(levels - 1)]);
    const value = await valueOf({
      source,
      namespaces: { host: { take() {}, give } },
      limits: { valueDepth: 2 },
    });
    expect(value).toEqual(['fine', 'serialization_error', 'fine', 'serialization_error']);
  });

  test('1,000 levels are the most, and they do not exhaust any stack', async () => {
    const limits = { valueDepth: 1000 };
    expect(await run({ source: nested(1000), limits })).toMatchObject({ ok: true });
    expect(await errorOf({ source: nested(100_000), limits })).toMatchObject({
      cause: 'serialization',
    });
  });
});

describe('size', () => {
  const text = (length) => `return "x".repeat(${length})`;

  test.each(['resultBytes', 'valueBytes'])(
    'a result beyond %s ends the run with the output cause',
    async (limit) => {
      const limits = { [limit]: 1002 };
      expect(await run({ source: text(1000), limits })).toMatchObject({ ok: true });
      expect(await errorOf({ source: text(1001), limits })).toMatchObject({ cause: 'output' });
    },
  );

  test('inputs and replies beyond valueBytes reject the call', async () => {
    const source = `
      const codeOf = (promise) => promise.then(() => 'fine', (e) => e.code);
      return [await codeOf(host.take('x'.repeat(98))), await codeOf(host.take('x'.repeat(99))),
        await codeOf(host.give(98)), await codeOf(host.give(99))]`;
    const give = (length) => 'x'.repeat(length);
    const value = await valueOf({
      source,
      namespaces: { host: { take() {}, give } },
      limits: { valueBytes: 100 },
    });
    expect(value).toEqual(['fine', 'serialization_error', 'fine', 'serialization_error']);
  });

  test('a huge sparse array is refused before it is written out', async () => {
    const source = 'const a = []; a.length = 2 ** 32 - 1; return a';
    expect(await errorOf({ source, limits: { resultBytes: 10_000 } })).toMatchObject({
      cause: 'output',
    });
  });
});

describe('hostile getters', () => {
  test('that throw in a result are guest errors', async () => {
    const error = await errorOf({
      source: 'return { get a() {\n throw new RangeError("mine") } }',
    });
    expect(error).toMatchObject({
      cause: 'guest_error',
      name: 'RangeError',
      message: 'mine',
      line: 2,
    });
  });

  test('that throw in an input reject the call with what they threw', async () => {
    const called = jest.fn();
    const source = `
      const mine = new RangeError('mine');
      return host.called({ get a() { throw mine } }).then(() => false, (e) => e === mine)`;
    expect(await valueOf({ source, namespaces: { host: { called } } })).toBe(true);
    expect(called).not.toHaveBeenCalled();
  });

  test.each([
    ['a result', 'return { get a() { for (;;); } }'],
    ['an input', 'await host.take({ get a() { for (;;); } })'],
    ['an element', 'return Object.defineProperty([], 0, { get() { for (;;); } })'],
  ])('that never end in %s are stopped by the deadline', async (_name, source) => {
    const error = await errorOf({
      source,
      namespaces: { host: { take() {} } },
      limits: { wallMs: 100 },
    });
    expect(error).toMatchObject({ cause: 'deadline' });
  });

  test('a value that takes for ever to write is stopped by the deadline', async () => {
    const source = `
      const make = (depth) => depth === 0 ? 1 : { get a() { return make(depth - 1) }, get b() { return make(depth - 1) } };
      return make(40)`;
    const limits = { wallMs: 100, resultBytes: Infinity, valueBytes: Infinity };
    expect(await errorOf({ source, limits })).toMatchObject({ cause: 'deadline' });
  });

  test('that call the host while they are read do no harm', async () => {
    const source = `
      const calls = [];
      const value = { get a() { calls.push(host.echo('inner')); return 1 } };
      return [await host.echo(value), await calls[0]]`;
    const namespaces = { host: { echo: (input) => input } };
    expect(await valueOf({ source, namespaces })).toEqual([{ a: 1 }, 'inner']);
  });
});
