'use strict';

const { usePool } = require('../support/pools.js');

const { errorOf } = usePool();

const fail = () => {
  throw Object.assign(new RangeError('of the host'), { code: 'E_HOST' });
};

const endOf = (source, request = {}) =>
  errorOf({ source, namespaces: { host: { fail, fine: () => 'fine' } }, ...request });

const caught = (then) => `let e; try { await host.fail() } catch (x) { e = x } ${then}`;

describe('stays the error of the host', () => {
  test.each([
    ['uncaught', 'await host.fail()'],
    ['thrown again', caught('throw e')],
    ['thrown again much later', caught('for (let i = 0; i < 10; i++) await host.fine(); throw e')],
    ['through Promise.all', 'await Promise.all([host.fine(), host.fail()])'],
    ['through a function', 'const f = async () => { await host.fail() }; await f()'],
    ['through finally', 'try { await host.fail() } finally { await host.fine() }'],
    ['frozen', caught('throw Object.freeze(e)')],
    ['with another prototype', caught('Object.setPrototypeOf(e, null); throw e')],
  ])('%s', async (_name, source) => {
    const error = await endOf(source);
    expect(error).toMatchObject({
      cause: 'guest_error',
      name: 'RangeError',
      message: 'of the host',
      hostCode: 'E_HOST',
    });
  });

  test('whatever the guest writes on it', async () => {
    const source = caught(
      'e.name = "Mine"; e.message = "mine"; e.code = e.hostCode = "timeout"; e.stack = "mine"; throw e',
    );
    const error = await endOf(source);
    expect(error).toMatchObject({ name: 'RangeError', message: 'of the host', hostCode: 'E_HOST' });
    expect(JSON.stringify(error)).not.toMatch(/mine|timeout/i);
  });

  test('in a module', async () => {
    const error = await endOf('await host.fail(); export default 1', { kind: 'module' });
    expect(error).toMatchObject({ cause: 'guest_error', hostCode: 'E_HOST' });
  });

  test('under the clone profile', async () => {
    expect(await endOf('await host.fail()', { values: 'clone' })).toMatchObject({
      hostCode: 'E_HOST',
    });
  });
});

describe('is an error of the guest', () => {
  test.each([
    [
      'a copy',
      'throw Object.assign(new RangeError(e.message), { name: e.name, code: e.code, hostCode: e.code, stack: e.stack })',
    ],
    [
      'a copy with its descriptors',
      'throw Object.create(Object.getPrototypeOf(e), Object.getOwnPropertyDescriptors(e))',
    ],
    ['one that inherits from it', 'throw Object.create(e)'],
    [
      'one with it as its prototype',
      'const m = new Error("m"); Object.setPrototypeOf(m, e); throw m',
    ],
    ['one that it is the cause of', 'throw new Error("wrapped", { cause: e })'],
    ['a proxy of it', 'throw new Proxy(e, {})'],
    ['an aggregate of it', 'throw new AggregateError([e], "all")'],
    ['an array of it', 'throw [e]'],
    ['its message', 'throw e.message'],
    ['one made by its constructor', 'throw new e.constructor(e.message)'],
    [
      'one made by return override',
      `
      class Base { constructor() { return e } }
      class Mine extends Base { #field = 1; static mine() { return new Mine() } }
      Mine.mine(); throw Object.assign(new Error('m'), e)`,
    ],
    ['Promise.any', 'await Promise.any([host.fail()])'],
  ])('%s', async (_name, then) => {
    const error = await endOf(caught(then));
    expect(error.cause).toBe('guest_error');
    expect(error).not.toHaveProperty('hostCode');
  });

  test.each([
    [
      'a made-up one',
      'throw Object.assign(new Error("of the host"), { code: "E_HOST", hostCode: "E_HOST" })',
    ],
    [
      'one with symbols of the same name',
      'throw Object.assign(new Error("m"), { [Symbol.for("isobox:mark")]: 0, "isobox:mark": 0 })',
    ],
    [
      'one that names a cause of the pool',
      'throw Object.assign(new Error("out of memory"), { name: "MemoryLimitError", cause: "memory" })',
    ],
  ])('%s', async (_name, source) => {
    const error = await endOf(source);
    expect(error.cause).toBe('guest_error');
    expect(error).not.toHaveProperty('hostCode');
  });

  test('one of a host function that the guest wrote itself', async () => {
    const source =
      'host.fail = () => { throw Object.assign(new Error("m"), { code: "E_HOST" }) }; await host.fail()';
    expect(await endOf(source)).not.toHaveProperty('hostCode');
  });
});

test('the code is empty where the host gave none, and absent where it made none', async () => {
  const plain = () => {
    throw new Error('plain');
  };
  expect(await endOf('await host.plain()', { namespaces: { host: { plain } } })).toHaveProperty(
    'hostCode',
    '',
  );
  expect(await endOf('throw new Error("plain")')).not.toHaveProperty('hostCode');
});

test('an input that cannot cross is a host error, with the code for it', async () => {
  const error = await endOf('await host.fine(1n)');
  expect(error).toMatchObject({
    cause: 'guest_error',
    name: 'SerializationError',
    hostCode: 'serialization_error',
  });
});

test('a host error that one run keeps means nothing to the next', async () => {
  await endOf(caught('globalThis.kept = e; throw e'));
  expect(await endOf('throw globalThis.kept ?? new Error("nothing kept")')).toMatchObject({
    message: 'nothing kept',
  });
});

test('errors by the hundred thousand, of refused inputs, do not grow the host', async () => {
  const before = process.memoryUsage().rss;
  const source =
    'for (let i = 0; i < 200_000; i++) await host.fine(1n).catch(() => {}); await host.fail()';
  expect(await endOf(source)).toMatchObject({ hostCode: 'E_HOST' });
  expect(process.memoryUsage().rss - before).toBeLessThan(40 * 2 ** 20);
});
