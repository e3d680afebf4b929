'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf } = usePool();

test('a namespace is a plain object on the global object', async () => {
  const source = `
    const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(globalThis, 'tools');
    return {
      isPlain: Object.getPrototypeOf(tools) === Object.prototype,
      isSame: tools === globalThis.tools,
      keys: Reflect.ownKeys(tools),
      isExtensible: Object.isExtensible(tools),
      writable, enumerable, configurable,
    }`;
  expect(await valueOf({ source, namespaces: { tools: { one() {}, two() {} } } })).toEqual({
    isPlain: true,
    isSame: true,
    keys: ['one', 'two'],
    isExtensible: true,
    writable: true,
    enumerable: true,
    configurable: true,
  });
});

test('its members are own data properties that hold ordinary functions', async () => {
  const source = `
    const { value, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(tools, 'one');
    const errorOf = (f) => { try { f() } catch (e) { return e.name } };
    return {
      type: typeof value, name: value.name, length: value.length, writable, enumerable, configurable,
      isFunction: value instanceof Function && Object.getPrototypeOf(value) === Function.prototype,
      hasPrototype: 'prototype' in value,
      asConstructor: errorOf(() => new value()),
      text: Function.prototype.toString.call(value).includes('[native code]'),
      keys: Reflect.ownKeys(value).sort(),
    }`;
  expect(await valueOf({ source, namespaces: { tools: { one() {} } } })).toEqual({
    type: 'function',
    name: 'one',
    length: 0,
    writable: true,
    enumerable: true,
    configurable: true,
    isFunction: true,
    hasPrototype: false,
    asConstructor: 'TypeError',
    text: true,
    keys: ['length', 'name'],
  });
});

test('a member can be called in every way a function can', async () => {
  const source = `
    const { double } = tools;
    return Promise.all([
      tools.double(1), double(2), double.call(null, 3), double.apply({}, [4]), double.bind(1)(5),
      Reflect.apply(double, undefined, [6]), tools['double'](7), [8].map(double)[0],
      new Proxy(double, {})(9), (async () => double(10))(),
    ])`;
  const namespaces = { tools: { double: (x) => x * 2 } };
  expect(await valueOf({ source, namespaces })).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
});

test('a member always gives a promise, whatever the host function gives', async () => {
  const source = `
    const calls = [tools.sync(), tools.async(), tools.throws(), tools.sync(1n)];
    const promises = calls.map((call) => call instanceof Promise);
    await Promise.allSettled(calls);
    return promises`;
  const throws = () => {
    throw new Error('no');
  };
  const namespaces = { tools: { sync: () => 1, async: async () => 2, throws } };
  expect(await valueOf({ source, namespaces })).toEqual([true, true, true, true]);
});

test('a namespace may be empty', async () => {
  expect(await valueOf({ source: 'return tools', namespaces: { tools: {} } })).toEqual({});
});

test.each(['__proto__', 'constructor', 'toString', 'then', 'a-b', '', '日本', '0'])(
  'a member may be called %j',
  async (name) => {
    const tools = Object.fromEntries([[name, (x) => x + 1]]);
    const source = `
      const isOwn = Object.hasOwn(tools, ${JSON.stringify(name)});
      return [isOwn, await tools[${JSON.stringify(name)}](1)]`;
    expect(await valueOf({ source, namespaces: { tools } })).toEqual([true, 2]);
  },
);

test.each(['__proto__', 'constructor', 'Object', 'Promise', 'console', 'a-b', '日本'])(
  'a namespace may be called %j',
  async (name) => {
    const namespaces = Object.fromEntries([[name, { f: (x) => x + 1 }]]);
    const source = `return await globalThis[${JSON.stringify(name)}].f(1)`;
    expect(await valueOf({ source, namespaces })).toBe(2);
  },
);

test('guests may change their namespaces, for themselves', async () => {
  const source = `
    const original = tools.one;
    tools.one = () => 'mine';
    delete tools.two;
    tools.three = 3;
    return [tools.one(), await original(), 'two' in tools, tools.three]`;
  const namespaces = { tools: { one: () => 'one', two: () => 'two' } };
  expect(await valueOf({ source, namespaces })).toEqual(['mine', 'one', false, 3]);
  expect(Object.keys(namespaces.tools)).toEqual(['one', 'two']);
});

test('inherited members of the host object are not handed out', async () => {
  const tools = Object.create({ inherited() {} }, { hidden: { value() {} } });
  tools.own = () => 1;
  expect(await valueOf({ source: 'return Object.keys(tools)', namespaces: { tools } })).toEqual([
    'own',
  ]);
});

test('modules see namespaces too', async () => {
  const source = 'export default await tools.add({ a: 40, b: 2 })';
  const namespaces = { tools: { add: ({ a, b }) => a + b } };
  expect(await valueOf({ kind: 'module', source, namespaces })).toBe(42);
});
