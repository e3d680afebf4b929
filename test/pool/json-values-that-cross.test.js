'use strict';

const fc = require('fast-check');

const { differenceBetween } = require('../support/difference.js');
const { usePool } = require('../support/pools.js');

const { valueOf, run } = usePool();

/** What the host gets when a guest returns the expression, and what a host function gets when it passes it. */
async function fromGuest(expression) {
  const received = [];
  const namespaces = { host: { take: (input) => void received.push(input) } };
  const value = await valueOf({
    source: `const v = (${expression}); await host.take(v); return v`,
    namespaces,
  });
  expect(differenceBetween(received[0], value)).toBe('');
  return value;
}

/** What a guest makes of a value that a host function gives, looked at by an expression in `v`. */
const fromHost = (value, look) =>
  valueOf({
    source: `const v = await host.give(); return ${look}`,
    namespaces: { host: { give: () => value } },
  });

describe('from guest to host', () => {
  test.each([
    ['null', null],
    ['true', true],
    ['false', false],
    ['0', 0],
    ['-1', -1],
    ['2 ** 31', 2 ** 31],
    ['-(2 ** 31) - 1', -(2 ** 31) - 1],
    ['0.1 + 0.2', 0.1 + 0.2],
    ['Number.MAX_VALUE', Number.MAX_VALUE],
    ['Number.MIN_VALUE', Number.MIN_VALUE],
    ['Number.MAX_SAFE_INTEGER', Number.MAX_SAFE_INTEGER],
    ['1e21', 1e21],
    ['-1.5e-7', -1.5e-7],
    ['""', ''],
    ['"plain"', 'plain'],
    ['"\\"quoted\\" \\\\ \\/ \\b\\f\\n\\r\\t"', '"quoted" \\ / \b\f\n\r\t'],
    ['"\\u0000\\u001f\\u007f\\u0080\\u00ff"', '\u0000\u001f\u007f\u0080\u00ff'],
    ['"日本 \\u2028\\u2029 😀"', '日本 \u2028\u2029 😀'],
    ['"\\ud800"', '\ud800'],
    ['"a\\udc00\\ud800b"', 'a\udc00\ud800b'],
    ['{ "\\ud800": 1 }', { '\ud800': 1 }],
    ['[]', []],
    ['{}', {}],
    ['[[], {}, [[1]], { a: {} }]', [[], {}, [[1]], { a: {} }]],
    ['{ "": 1, "a b": 2, "é": 3, 0: 4 }', { 0: 4, '': 1, 'a b': 2, é: 3 }],
  ])('%s', async (expression, expected) => {
    expect(differenceBetween(await fromGuest(expression), expected)).toBe('');
  });

  test('undefined by itself is undefined', async () => {
    expect(await fromGuest('undefined')).toBeUndefined();
  });

  test('undefined in an object leaves its key out, in an array it is null', async () => {
    const value = await fromGuest(
      '{ a: undefined, b: [undefined, 1, undefined], c: { d: undefined } }',
    );
    expect(differenceBetween(value, { b: [null, 1, null], c: {} })).toBe('');
  });

  test('holes and lengths of arrays become null', async () => {
    expect(await fromGuest('[1, , 3]')).toEqual([1, null, 3]);
    expect(await fromGuest('new Array(3)')).toEqual([null, null, null]);
    expect(await fromGuest('Object.assign([1], { 3: 4 })')).toEqual([1, null, null, 4]);
  });

  test('-0 is 0', async () => {
    expect(Object.is((await fromGuest('[-0]'))[0], 0)).toBe(true);
  });

  test('an object without a prototype is a plain object', async () => {
    expect(
      await fromGuest('Object.assign(Object.create(null), { a: Object.create(null) })'),
    ).toEqual({ a: {} });
  });

  test('__proto__ is a key like any other', async () => {
    const value = await fromGuest(
      'JSON.parse(\'{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}}\')',
    );
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(value.polluted).toBeUndefined();
    expect({}.polluted).toBeUndefined();
  });

  test('an object that stands in two places is copied twice', async () => {
    const value = await fromGuest('(() => { const a = { x: 1 }; return [a, a, { a }] })()');
    expect(value).toEqual([{ x: 1 }, { x: 1 }, { a: { x: 1 } }]);
    expect(value[0]).not.toBe(value[1]);
  });

  test('only own enumerable string keys cross, in their order', async () => {
    const value = await fromGuest(`Object.defineProperty(
      { z: 1, a: 2, 1: 3, [Symbol('s')]: 4 }, 'hidden', { value: 5 })`);
    expect(Object.entries(value)).toEqual([
      ['1', 3],
      ['z', 1],
      ['a', 2],
    ]);
  });

  test('only the elements of an array cross', async () => {
    expect(Object.keys(await fromGuest('Object.assign([1, 2], { extra: 3 })'))).toEqual(['0', '1']);
  });

  test('accessors are read once each, in order', async () => {
    const source = `
      const reads = [];
      const value = {
        get a() { reads.push('a'); return { get b() { reads.push('b'); return 1 } } },
        set c(v) {},
        list: [0, 1],
      };
      Object.defineProperty(value.list, 1, { get() { reads.push('list'); return 2 }, enumerable: true });
      return [await host.echo(value), reads]`;
    const namespaces = { host: { echo: (input) => input } };
    expect(await valueOf({ source, namespaces })).toEqual([
      { a: { b: 1 }, list: [0, 2] },
      ['a', 'b', 'list'],
    ]);
  });

  test('what an accessor adds or takes away while it is read does not confuse', async () => {
    const source = 'return { get a() { delete this.b; this.d = 4; return 1 }, b: 2, c: 3 }';
    expect(await valueOf({ source })).toEqual({ a: 1, c: 3 });
  });

  test('toJSON means nothing', async () => {
    expect(await fromGuest('{ toJSON: "data", a: 1 }')).toEqual({ toJSON: 'data', a: 1 });
    const source =
      'Object.prototype.toJSON = () => "mine"; Array.prototype.toJSON = () => "mine"; return { a: [1] }';
    expect(await valueOf({ source })).toEqual({ a: [1] });
  });

  test('changed intrinsics change nothing', async () => {
    const source = `
      JSON.stringify = JSON.parse = Object.keys = Reflect.ownKeys = () => { throw new Error('used') };
      Array.prototype[Symbol.iterator] = null;
      return { a: [1, 'x'] }`;
    expect(await valueOf({ source })).toEqual({ a: [1, 'x'] });
  });
});

describe('from host to guest', () => {
  test('values are objects of the guest', async () => {
    const look =
      '[v instanceof Object, v.list instanceof Array, Object.getPrototypeOf(v) === Object.prototype]';
    expect(await fromHost({ list: [1] }, look)).toEqual([true, true, true]);
  });

  test('__proto__ is a key like any other', async () => {
    const given = JSON.parse('{"__proto__": {"polluted": true}}');
    const look = '[Object.keys(v), v.polluted === undefined, ({}).polluted === undefined]';
    expect(await fromHost(given, look)).toEqual([['__proto__'], true, true]);
  });

  test('undefined, holes, -0 and lone surrogates follow the same rules', async () => {
    // eslint-disable-next-line no-sparse-arrays
    const given = { gone: undefined, list: [undefined, , -0], text: '\ud800' };
    const look = '[Object.keys(v), v.list, Object.is(v.list[2], 0), v.text.charCodeAt(0)]';
    expect(await fromHost(given, look)).toEqual([['list', 'text'], [null, null, 0], true, 0xd800]);
    expect(await fromHost(undefined, 'v === undefined')).toBe(true);
  });

  test('getters of the host are read once', async () => {
    let reads = 0;
    const given = {
      get a() {
        return ++reads;
      },
    };
    expect(await fromHost(given, 'v.a')).toBe(1);
    expect(reads).toBe(1);
  });

  test('the guest gets copies', async () => {
    const given = { list: [1] };
    expect(await fromHost(given, '(v.list.push(2), v.list.length)')).toBe(2);
    expect(given).toEqual({ list: [1] });
  });
});

test('any JSON value comes back from a guest as it was', async () => {
  const echo = 'return host.echo(await host.give())';
  await fc.assert(
    fc.asyncProperty(fc.json({ noUnicodeString: false, maxDepth: 6 }), async (text) => {
      const given = JSON.parse(text);
      const received = [];
      const namespaces = {
        host: { give: () => given, echo: (input) => (received.push(input), input) },
      };
      const { value, cause } = await run({ source: echo, namespaces });
      expect(cause).toBe('finished');
      const expected = JSON.parse(JSON.stringify(given));
      expect(differenceBetween(value, expected) || differenceBetween(received[0], expected)).toBe(
        '',
      );
    }),
    { numRuns: 150 },
  );
});

test('any string crosses both ways unit by unit', async () => {
  const source = `
    const texts = await host.give();
    return texts.map((text) => [text, Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))])`;
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(units, { maxLength: 20 }), async (lists) => {
      const texts = lists.map((list) => String.fromCharCode(...list));
      const value = await valueOf({ source, namespaces: { host: { give: () => texts } } });
      expect(value).toEqual(texts.map((text, i) => [text, lists[i]]));
    }),
    { numRuns: 60 },
  );
});

test('any finite number crosses both ways bit by bit', async () => {
  const source = 'const given = await host.give(); return given.map((n) => [n, String(n)])';
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  await fc.assert(
    fc.asyncProperty(fc.array(finite, { minLength: 1, maxLength: 50 }), async (numbers) => {
      const value = await valueOf({ source, namespaces: { host: { give: () => numbers } } });
      expect(value).toEqual(numbers.map((n) => [n + 0, String(n + 0)]));
    }),
    { numRuns: 60 },
  );
});
