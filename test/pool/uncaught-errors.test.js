'use strict';

const { usePool } = require('../support/pools.js');

const { errorOf, valueOf } = usePool();

test.each([
  ['a string', '"text"', 'Error', 'text'],
  ['an empty string', '""', 'Error', ''],
  ['a number', '42', 'Error', '42'],
  ['a bigint', '42n', 'Error', '42'],
  ['null', 'null', 'Error', 'null'],
  ['undefined', 'undefined', 'Error', 'undefined'],
  ['a symbol', 'Symbol("mine")', 'Error', 'Symbol(mine)'],
  ['an object with a name and a message', '({ name: "N", message: "m" })', 'N', 'm'],
  ['an object without', '({ a: 1 })', 'Error', '[object Object] with the keys a'],
  ['an object with a name that is no string', '({ name: 5, message: "m" })', 'Error', 'm'],
  ['an object with a toString', '({ toString: () => "mine" })', 'Error', 'mine'],
  ['an object without a prototype', 'Object.create(null)', 'Error', ''],
  ['an error without a message', 'new TypeError()', 'TypeError', ''],
  ['an error of a class', 'new (class Mine extends Error { name = "Mine" })("m")', 'Mine', 'm'],
  ['an aggregate', 'new AggregateError([1], "all")', 'AggregateError', 'all'],
  ['a proxy of an error', 'new Proxy(new RangeError("r"), {})', 'RangeError', 'r'],
  ['a function', '(function f() {})', 'Error', 'function f() {}'],
])('%s can be thrown', async (_name, thrown, name, message) => {
  for (const source of [`throw ${thrown}`, `await Promise.reject(${thrown})`]) {
    expect(await errorOf({ source })).toMatchObject({ cause: 'guest_error', name, message });
  }
});

test.each([
  ['getters that throw', '{ get name() { throw 1 }, get message() { throw 2 } }'],
  ['conversions that throw', '{ toString() { throw 1 }, [Symbol.toPrimitive]() { throw 2 } }'],
  ['a conversion to an object', '{ toString() { return {} }, valueOf() { return {} } }'],
])('an object with %s is still a guest error', async (_name, thrown) => {
  expect(await errorOf({ source: `throw ${thrown}` })).toMatchObject({ cause: 'guest_error' });
});

test('a proxy that traps everything is still a guest error', async () => {
  const source = `
    const trap = () => { throw new Error('trapped') };
    throw new Proxy({}, new Proxy({}, { get: () => trap }))`;
  expect(await errorOf({ source })).toMatchObject({ cause: 'guest_error', name: 'Error' });
});

test('a thrown object whose getter never ends is stopped by the deadline', async () => {
  const source = 'throw { get message() { for (;;); } }';
  expect(await errorOf({ source, limits: { wallMs: 100 } })).toMatchObject({ cause: 'deadline' });
});

describe('the stack comes from the engine', () => {
  test.each([
    ['writes the stack itself', 'e.stack = "Error: m\\n    at secret (/host/file.js:1:1)"'],
    ['gives it a getter', 'Object.defineProperty(e, "stack", { get: () => "forged" })'],
    ['deletes it', 'delete e.stack'],
    ['prepares it', 'Error.prepareStackTrace = () => "forged"'],
    ['limits it', 'Error.stackTraceLimit = 0'],
  ])('when the guest %s', async (_name, change) => {
    const source = `const e = new Error('m'); ${change};\nthrow e`;
    const error = await errorOf({ source });
    expect(error.stack).toMatch(/^Error: m\n {4}at <guest>:1:\d+$/);
  });

  test('and names what the guest changed', async () => {
    const source = 'const e = new Error("old"); e.name = "Mine"; e.message = "new"; throw e';
    const error = await errorOf({ source });
    expect(error.stack).toMatch(/^Mine: new\n/);
  });

  test('with a bounded number of frames', async () => {
    const source = 'const f = (n) => { if (n === 0) throw new Error("deep"); f(n - 1) }; f(200)';
    const { frames } = await errorOf({ source });
    expect(frames.length).toBeGreaterThan(5);
    expect(frames.length).toBeLessThanOrEqual(50);
  });
});

test('the error says whether an object was thrown', async () => {
  for (const thrown of ['{}', 'new Error("m")', '() => {}', '[]', 'Object("boxed")']) {
    expect(await errorOf({ source: `throw (${thrown})` })).toMatchObject({ isObject: true });
  }
  for (const thrown of ['"text"', '1', 'null', 'undefined', 'Symbol()', '1n']) {
    expect(await errorOf({ source: `throw ${thrown}` })).toMatchObject({ isObject: false });
  }
});

test('messages and names are cut where they would flood the host', async () => {
  const source = 'const e = new Error("m".repeat(10e6)); e.name = "n".repeat(10e6); throw e';
  const { name, message } = await errorOf({ source });
  expect(name).toMatch(/^n{1000}/);
  expect(message).toMatch(/^m{1000}/);
  expect(name.length + message.length).toBeLessThan(200_000);
});

test('too much recursion is a guest error', async () => {
  const source = 'const f = () => f() + 1; return f()';
  expect(await errorOf({ source })).toMatchObject({ cause: 'guest_error', name: 'RangeError' });
});

test('a guest that catches what it throws goes on', async () => {
  const source = 'try { null.x } catch (e) { return [e instanceof TypeError, e.constructor.name] }';
  expect(await valueOf({ source })).toEqual([true, 'TypeError']);
});

test('a rejection that nobody waits for does not change the result', async () => {
  expect(await valueOf({ source: 'Promise.reject(new Error("lost")); return 1' })).toBe(1);
});
