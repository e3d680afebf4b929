'use strict';
// 13.3

const { differenceBetween } = require('../support/difference.js');
const { sleep } = require('../support/time.js');
const { useRunCode } = require('./use-run-code.js');

const { runCode, runJs, resultOf, errorOf } = useRunCode();

const shared = { n: 1 };
const cyclic = { name: 'cycle' };
cyclic.self = cyclic;
// eslint-disable-next-line no-sparse-arrays
const holes = [1, , 3];

const VALUES = {
  strings: ['', 'text', '\u0000', 'ünï 🙂', 'lone \ud800'],
  numbers: [0, -0, 1.5, NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 31)],
  booleans: [true, false],
  nothing: [null, undefined],
  bigints: [0n, -1n, 2n ** 200n],
  'plain objects': [
    {},
    { a: { b: [1] } },
    Object.assign(Object.create(null), { x: 1 }),
    { then: 5 },
  ],
  arrays: [[], [1, [2, [3]]], holes, [undefined, null]],
  'maps and sets': [new Map([[{ k: 1 }, new Set([1, 'a'])]]), new Set()],
  dates: [new Date(0), new Date(NaN), new Date(8.64e15)],
  'typed arrays': [
    new Uint8Array([1, 2]),
    new Float64Array([-0, NaN]),
    new BigInt64Array([-1n]),
    new Uint8ClampedArray(3),
    new DataView(new ArrayBuffer(4)),
    new ArrayBuffer(5),
  ],
  'shared references': [[shared, shared, new Map([[shared, shared]])]],
  cycles: [cyclic],
};

test.each(Object.keys(VALUES))('%s cross in every direction', async (kind) => {
  for (const value of VALUES[kind]) {
    const heard = [];
    const source = `
      import { imported } from 'pkg';
      export default async (argument) => {
        const replied = await echo(argument);
        report(argument);
        console.log(argument);
        return { argument, replied, bound, imported };
      }`;
    const { status, result, reports, logs } = await runJs(source, {
      execute: { args: [value] },
      globals: { bound: value, echo: (given) => (heard.push(given), given) },
      imports: { pkg: { imported: value } },
      report() {},
    });
    expect(status).toBe('success');
    for (const copy of [...Object.values(result), ...heard, ...reports, ...logs[0].args]) {
      expect(differenceBetween(copy, value)).toBe('');
      if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
    }
  }
});

test('MUST: nothing is shared: changes on either side stay there', async () => {
  const given = { list: [1], bytes: new Uint8Array([1]), map: new Map([['a', 1]]) };
  const kept = [];
  const source = `
    export default async (given) => {
      given.list.push(2); given.bytes[0] = 9; given.map.set('b', 2); bound.changed = true;
      await keep(given);
      given.list.push(3);
      return [given, bound];
    }`;
  const bound = {};
  const options = {
    execute: { args: [given] },
    globals: { bound, keep: (value) => void kept.push(value) },
  };
  const [returned, boundThere] = await resultOf(source, options);
  expect(given).toEqual({ list: [1], bytes: new Uint8Array([1]), map: new Map([['a', 1]]) });
  expect(bound).toEqual({});
  expect(kept[0].list).toEqual([1, 2]);
  expect(returned.list).toEqual([1, 2, 3]);
  expect(boundThere).toEqual({ changed: true });
});

test('only the bytes in view cross', async () => {
  const { buffer } = new Uint8Array([1, 2, 3, 4]);
  const source = 'export default (view) => [view, view.buffer.byteLength]';
  const [view, bytes] = await resultOf(source, {
    execute: { args: [new Uint8Array(buffer, 1, 2)] },
  });
  expect([...view]).toEqual([2, 3]);
  expect(bytes).toBe(2);
});

describe('functions are callable proxies', () => {
  test('MUST: a host function gets copies of the arguments, and its result is awaited and copied', async () => {
    const received = [];
    const host = async (...args) => {
      received.push(args);
      return { sum: args[0].a + args[1], when: new Date(5) };
    };
    const source =
      'export default async () => { const p = host({ a: 1 }, 2, undefined); return [p instanceof Promise, await p] }';
    const [isPromise, reply] = await resultOf(source, { globals: { host } });
    expect(isPromise).toBe(true);
    expect(reply.sum).toBe(3);
    expect(reply.when.getTime()).toBe(5);
    expect(received).toEqual([[{ a: 1 }, 2, undefined]]);
  });

  test('functions anywhere in globals, imports, arguments and replies can be called', async () => {
    const source = `
      import { deep } from 'pkg';
      export default async ({ list }, map) => [
        await nested.a[0].f(1), await deep.g(2), await list[0](3), await map.get('h')(4),
        await (await makeAdder(10))(5)]`;
    const times = (k) => (n) => n * k;
    expect(
      await resultOf(source, {
        globals: { nested: { a: [{ f: times(2) }] }, makeAdder: (a) => (b) => a + b },
        imports: { pkg: { deep: { g: times(3) } } },
        execute: { args: [{ list: [times(4)] }, new Map([['h', times(5)]])] },
      }),
    ).toEqual([2, 6, 12, 20, 15]);
  });

  test('a guest function given to the host can be called while the run lives', async () => {
    const source = `
      let calls = 0;
      export default async () => {
        const answer = await host(async (a, b) => { calls++; return { sum: a.n + b, calls } });
        return [answer, calls];
      }`;
    const host = async (guestFunction) => [
      await guestFunction({ n: 1 }, 2),
      await guestFunction({ n: 10 }, 20),
    ];
    expect(await resultOf(source, { globals: { host } })).toEqual([
      [
        { sum: 3, calls: 1 },
        { sum: 30, calls: 2 },
      ],
      2,
    ]);
  });

  test('callbacks may go back and forth', async () => {
    const source = `export default (n) => down(n, async (m) => m === 0 ? 'bottom' : again(m))
      async function again(m) { return down(m, async (k) => k === 0 ? 'bottom' : again(k)) }`;
    const down = (n, callback) => callback(n - 1);
    expect(await resultOf(source, { globals: { down }, execute: { args: [10] } })).toBe('bottom');
  });

  test('a guest function that throws rejects for the host', async () => {
    const caught = [];
    const host = (f) => f().catch((error) => void caught.push([error.name, error.message]));
    await resultOf("export default () => host(() => { throw new RangeError('no') })", {
      globals: { host },
    });
    expect(caught).toEqual([['RangeError', 'no']]);
  });

  test('a guest function called after its run has ended rejects with a clear error', async () => {
    let kept;
    const result = await resultOf(
      'export default async () => { await keep(() => 1); return () => 2 }',
      {
        globals: { keep: (f) => void (kept = f) },
      },
    );
    for (const late of [kept, result]) {
      await expect(late()).rejects.toMatchObject({
        message: 'The run that made this function has ended',
        code: 'ERR_ISOBOX_RUN_ENDED',
      });
    }
  });

  test('a guest function under way when its run is terminated rejects', async () => {
    let pending;
    const handle = runJs(
      'export default async () => { await keep(() => new Promise(() => {})); await keep() }',
      {
        globals: {
          keep: (f) => {
            if (f !== undefined) pending = f();
            else handle.terminate();
          },
        },
      },
    );
    await handle;
    await expect(pending).rejects.toMatchObject({ code: 'ERR_ISOBOX_RUN_ENDED' });
  });

  test('a host that calls and does not wait has no unhandled rejection, whatever the guest does', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const globals = { later: (callback) => void setTimeout(callback, 5) };
    await resultOf('later(() => 1); export default 1', { globals });
    const source = `later(() => { throw new Error('in a callback') });
      export default () => new Promise((resolve) => later(() => later(resolve)))`;
    await resultOf(source, { globals });
    await sleep(20);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('a host function that throws or rejects does so in the guest, with name and message only', async () => {
    class AppError extends Error {
      /** @override */
      name = 'AppError';
      secret = 'hidden';
    }
    const source = `
      const look = (e) => [e instanceof Error, e.name, e.message, e.secret, /\\.js/.test(e.stack)];
      export default async () => [
        await throws().catch(look), await rejects().catch(look), await primitive().catch(look)]`;
    const globals = {
      throws: () => {
        throw new AppError('sync');
      },
      rejects: () => Promise.reject(new AppError('async')),
      primitive: () => {
        throw 'text';
      },
    };
    expect(await resultOf(source, { globals })).toEqual([
      [true, 'AppError', 'sync', undefined, false],
      [true, 'AppError', 'async', undefined, false],
      [true, 'Error', 'text', undefined, false],
    ]);
  });

  test('an error of the host that nobody catches is an error of the run', async () => {
    const globals = { fail: () => Promise.reject(new TypeError('from the host')) };
    expect(await errorOf('export default () => fail()', { globals })).toMatchObject({
      status: 'error',
      name: 'TypeError',
      message: expect.stringContaining('from the host'),
    });
  });

  test('a call that has not been answered does not hold up the result', async () => {
    const globals = { never: () => new Promise(() => {}) };
    expect(await resultOf('export default () => { never(); return 1 }', { globals })).toBe(1);
  });
});

test('host promises become guest promises, at any depth and as thenables', async () => {
  const source = `
    import { later } from 'pkg';
    export default async () => [
      now instanceof Promise, await now, await later, await deep.list[0], await thenable,
      await failing.catch((e) => e.message)]`;
  const failing = Promise.reject(new Error('rejected'));
  failing.catch(() => {});
  expect(
    await resultOf(source, {
      globals: {
        now: Promise.resolve({ a: 1 }),
        deep: { list: [Promise.resolve(3)] },
        thenable: { then: (resolve) => resolve('thenable') },
        failing,
      },
      imports: { pkg: { later: new Promise((resolve) => setTimeout(resolve, 5, 2)) } },
    }),
  ).toEqual([true, { a: 1 }, 2, 3, 'thenable', 'rejected']);
});

test('a host promise that rejects is no unhandled rejection of the host', async () => {
  const unhandled = jest.fn();
  process.on('unhandledRejection', unhandled);
  await runJs('export default 1', { globals: { p: Promise.reject(new Error('nobody looks')) } });
  await runJs('export default 1', {
    globals: { p: Promise.reject(new Error('refused')), 'a-b': 1 },
  });
  await sleep(10);
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

class Account {
  balance = 1;
}

describe('what is not transferable', () => {
  const GUEST_MADE = {
    'a class instance': 'new (class Account {})()',
    'a symbol': 'Symbol("x")',
    'a WeakMap': 'new WeakMap()',
    'a WeakRef': 'new WeakRef({})',
    'an Error': 'new Error("x")',
    'a Proxy': 'new Proxy({}, {})',
    'a generator': '(function* () {})()',
  };

  test.each(Object.keys(GUEST_MADE))('%s as a result is a SerializationError', async (what) => {
    const error = await errorOf(`export default () => ({ deep: [${GUEST_MADE[what]}] })`);
    expect(error).toMatchObject({ status: 'error', name: 'SerializationError' });
    expect(error.message).toContain('value.deep[0]');
  });

  test.each(Object.keys(GUEST_MADE))('%s as an argument rejects the call', async (what) => {
    const host = jest.fn();
    const source = `export default () => host(${GUEST_MADE[what]}).catch((e) => e.name)`;
    expect(await resultOf(source, { globals: { host } })).toBe('SerializationError');
    expect(host).not.toHaveBeenCalled();
  });

  test.each([
    ['a class instance', () => new Account()],
    ['a symbol', () => Symbol('x')],
    ['a WeakMap', () => new WeakMap()],
    ['a Proxy', () => new Proxy({}, {})],
    ['an Error', () => new Error('x')],
  ])('%s as a reply of the host is a SerializationError in the guest', async (_what, make) => {
    const source = 'export default () => host().catch((e) => e.name)';
    expect(await resultOf(source, { globals: { host: make } })).toBe('SerializationError');
  });

  test('the guest can go on after a value that did not cross', async () => {
    const source =
      'export default async () => { try { await host(Symbol()) } catch {} return host(1) }';
    expect(await resultOf(source, { globals: { host: (x) => x + 1 } })).toBe(2);
  });
});

test('symbols as keys and non-enumerable properties stay behind', async () => {
  const source = `export default () => Object.defineProperty({ a: 1, [Symbol('s')]: 2 }, 'hidden', { value: 3 })`;
  const result = await resultOf(source);
  expect(Reflect.ownKeys(result)).toEqual(['a']);
});

test('getters of the guest run in the guest, and one that throws is its error', async () => {
  expect(await resultOf('export default () => ({ get a() { return 1 } })')).toEqual({ a: 1 });
  const error = await errorOf('export default () => ({ get a() { throw new RangeError("no") } })');
  expect(error).toMatchObject({ status: 'error', name: 'RangeError' });
});

test('values are those of the moment of the call, even when types have to be erased first', async () => {
  const args = [{ n: 1, when: new Date(1), bytes: new Uint8Array([1]), map: new Map([[1, [1]]]) }];
  const globals = { g: { list: [1] }, f: () => 'f' };
  const unique = `const unique: number = ${Math.random()};`;
  const handle = runCode(`${unique} export default async (a: any) => [a, g, await f()]`, {
    execute: { args },
    globals,
  });
  args[0].n = 2;
  args[0].when.setTime(2);
  args[0].bytes[0] = 2;
  args[0].map.get(1)?.push(2);
  globals.g.list.push(2);
  const { result } = await handle;
  expect(result[0].n).toBe(1);
  expect(result[0].when.getTime()).toBe(1);
  expect([...result[0].bytes]).toEqual([1]);
  expect(result[0].map.get(1)).toEqual([1]);
  expect(result.slice(1)).toEqual([{ list: [1] }, 'f']);
});
