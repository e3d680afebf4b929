'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf, errorOf } = usePool();

class QuotaError extends Error {
  /** @override */
  name = 'QuotaError';
  code = 'E_QUOTA';
  secret = 'not for guests';
}

const fail = (thrown) => () => {
  throw thrown;
};

const coded = (error, code) => Object.assign(error, { code });

// What a host function throws, and what becomes of it.
const THROWN = {
  'an Error': [new Error('plain'), 'Error', 'plain', ''],
  'a TypeError': [new TypeError('typed'), 'TypeError', 'typed', ''],
  'an error with a code': [coded(new Error('coded'), 'E_CODE'), 'Error', 'coded', 'E_CODE'],
  'an error of a class': [new QuotaError('all used'), 'QuotaError', 'all used', 'E_QUOTA'],
  'an error without a message': [new Error(''), 'Error', '', ''],
  'an error without a name': [Object.assign(new Error('m'), { name: '' }), 'Error', 'm', ''],
  'a code that is a number': [coded(new Error('numbered'), 5), 'Error', 'numbered', ''],
  'an error with odd characters': [new Error('日本 😀 "\n'), 'Error', '日本 😀 "\n', ''],
  'a string': ['text', 'Error', 'text', ''],
  'a number': [5, 'Error', '5', ''],
  null: [null, 'Error', 'null', ''],
  undefined: [undefined, 'Error', 'undefined', ''],
  'a symbol': [Symbol('s'), 'Error', 'Symbol(s)', ''],
  'an object like an error': [{ name: 'N', message: 'm', code: 'C' }, 'N', 'm', 'C'],
  'an object unlike an error': [{ a: 1 }, 'Error', '[object Object]', ''],
  'an object without a prototype': [Object.create(null), 'Error', '', ''],
  'an object whose getters throw': [
    Object.defineProperties(
      {},
      { name: { get: fail(1) }, message: { get: fail(2) }, code: { get: fail(3) } },
    ),
    'Error',
    '',
    '',
  ],
  'a proxy that traps everything': [
    new Proxy({}, { get: fail(new Error('trap')) }),
    'Error',
    '',
    '',
  ],
};

describe.each(Object.entries(THROWN))('%s', (_name, [thrown, name, message, code]) => {
  const WAYS = {
    throws: fail(thrown),
    rejects: () => Promise.reject(thrown),
    thenable: () => ({ then: (_resolve, reject) => reject(thrown) }),
    throwingThen: () => ({ then: fail(thrown) }),
    throwingGetter: () => Object.defineProperty({}, 'then', { get: fail(thrown) }),
  };

  test('reaches the guest as a real Error, however it is thrown', async () => {
    const source = `
      const seen = [];
      for (const way of Object.keys(host)) {
        const e = await host[way]().catch((x) => x);
        seen.push([e instanceof Error, e.name, e.message, e.code ?? '']);
      }
      return seen`;
    const value = await valueOf({ source, namespaces: { host: WAYS } });
    expect(value).toEqual(Object.keys(WAYS).map(() => [true, name, message, code]));
  });

  test('uncaught, ends the run as a guest error with its host code', async () => {
    for (const way of ['throws', 'rejects']) {
      const error = await errorOf({ source: `await host.${way}()`, namespaces: { host: WAYS } });
      expect(error).toMatchObject({ cause: 'guest_error', name, message, hostCode: code });
    }
  });
});

test('the error in the guest is a plain one of the guest', async () => {
  const source = `
    const e = await host.fail().catch((x) => x);
    return [
      Object.getPrototypeOf(e) === Error.prototype, Object.prototype.toString.call(e), Object.keys(e),
      Object.getOwnPropertyNames(e).sort(), Reflect.ownKeys(e).filter((key) => typeof key === 'symbol').length,
    ]`;
  const value = await valueOf({
    source,
    namespaces: { host: { fail: fail(new QuotaError('x')) } },
  });
  expect(value).toEqual([true, '[object Error]', [], ['code', 'message', 'name', 'stack'], 0]);
});

test('nothing of the stack of the host, its properties or its cause reaches the guest', async () => {
  const source = `
    const e = await host.fail().catch((x) => x);
    return JSON.stringify([e.stack, e.secret, e.cause, String(e), Object.getOwnPropertyDescriptors(e)])`;
  const thrown = new QuotaError('seen', { cause: new Error('secret cause') });
  const value = await valueOf({ source, namespaces: { host: { fail: fail(thrown) } } });
  expect(value).toContain('seen');
  expect(value).not.toMatch(/secret|not for guests|host-errors-in-guests|node:|\/work\//);
});

test('an uncaught host error says nothing of the files of the host', async () => {
  const error = await errorOf({
    source: 'await host.fail()',
    namespaces: { host: { fail: fail(new QuotaError('x')) } },
  });
  expect(error.stack).not.toContain(__filename);
  for (const { filename } of error.frames) expect(filename).toBe('<guest>');
});

test('results that cannot cross are a serialization error inside the guest', async () => {
  const source = `
    const seen = [];
    for (const call of Object.values(host)) {
      const e = await call().catch((x) => x);
      seen.push([e instanceof Error, e.name, e.code]);
    }
    return seen`;
  const host = { sync: () => ({ deep: [1n] }), async: async () => new Map(), nan: () => NaN };
  const expected = [true, 'SerializationError', 'serialization_error'];
  expect(await valueOf({ source, namespaces: { host } })).toEqual([expected, expected, expected]);
});

test('results whose getters throw are the error they threw', async () => {
  const source = 'const e = await host.give().catch((x) => x); return [e.name, e.message, e.code]';
  const give = () =>
    Object.defineProperty({}, 'a', { get: fail(new QuotaError('in a getter')), enumerable: true });
  expect(await valueOf({ source, namespaces: { host: { give } } })).toEqual([
    'QuotaError',
    'in a getter',
    'E_QUOTA',
  ]);
});

test('a guest that catches a host error goes on and may call again', async () => {
  let calls = 0;
  const flaky = () => {
    calls += 1;
    if (calls < 3) throw new QuotaError('not yet');
    return calls;
  };
  const source =
    'for (;;) { try { return await host.flaky() } catch (e) { if (e.code !== "E_QUOTA") throw e } }';
  expect(await valueOf({ source, namespaces: { host: { flaky } } })).toBe(3);
});

test('very long messages arrive', async () => {
  const message = 'long '.repeat(20_000);
  const source = 'return (await host.fail().catch((e) => e)).message.length';
  expect(await valueOf({ source, namespaces: { host: { fail: fail(new Error(message)) } } })).toBe(
    message.length,
  );
});
