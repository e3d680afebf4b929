'use strict';

const { runChild } = require('../support/child.js');
const { usePool } = require('../support/pools.js');

const { valueOf } = usePool();

const withGlobals = (source, globals, request = {}) =>
  valueOf({ source, values: 'clone', globals, ...request });

test('every argument travels, undefined and holes in them too', async () => {
  const given = jest.fn();
  await withGlobals(
    'await given(); await given(1, undefined, { a: [, 1] }); await given(undefined)',
    { given },
  );
  expect(given.mock.calls.map((args) => args.length)).toEqual([0, 3, 1]);
  const [, [first, second, third]] = given.mock.calls;
  expect([first, second, 0 in third.a]).toEqual([1, undefined, false]);
});

test('nothing of the call but its arguments reaches the host', async () => {
  const seen = [];
  /**
   * @this {unknown}
   * @param {unknown[]} args
   */
  function given(...args) {
    seen.push(this, new.target, args);
  }
  const source = `
    await given.call({ secret: 1 }, 'a');
    try { Reflect.construct(given, ['b']) } catch (e) { return e.name }`;
  expect(await withGlobals(source, { given })).toBe('TypeError');
  expect(seen).toEqual([undefined, undefined, ['a']]);
});

test('nothing of the function but its result reaches the guest', async () => {
  const given = Object.assign(() => 1, { secret: 'secret', prototype: { secret: 1 } });
  const source = `
    return [Reflect.ownKeys(given).sort(), Object.getPrototypeOf(given) === Function.prototype, given.secret,
      String(given).includes('secret')]`;
  expect(await withGlobals(source, { given })).toEqual([
    ['length', 'name'],
    true,
    undefined,
    false,
  ]);
});

test('a function may give functions, which call the host in turn', async () => {
  const counter = () => {
    let n = 0;
    return { next: () => ++n, reset: () => void (n = 0) };
  };
  const source = `
    const [a, b] = [await counter(), await counter()];
    const seen = [await a.next(), await a.next(), await b.next()];
    await a.reset();
    return [...seen, await a.next()]`;
  expect(await withGlobals(source, { counter })).toEqual([1, 2, 1, 1]);
});

test('functions cross inside every kind of collection', async () => {
  const source =
    'return [await given.map.get("f")(1), await [...given.set][0](2), await given.list[1].f(3)]';
  const f = (x) => x * 10;
  const given = { map: new Map([['f', f]]), set: new Set([f]), list: [0, { f }] };
  expect(await withGlobals(source, { given })).toEqual([10, 20, 30]);
});

test('one function in two places is one function', async () => {
  const same = () => 1;
  const source = 'return [given[0] === given[1], given[0] === given[2].same]';
  expect(await withGlobals(source, { given: [same, same, { same }] })).toEqual([true, true]);
});

test('async functions, bound functions, classes and proxies of functions are functions', async () => {
  const source =
    'return [await given[0](1), await given[1](2), await given[2](3), await given[3]().catch((e) => e.name)]';
  const given = [async (x) => x, ((x) => x).bind(null), new Proxy((x) => x, {}), class {}];
  expect(await withGlobals(source, { given })).toEqual([1, 2, 3, 'TypeError']);
});

test('what a function throws reaches the guest as an Error', async () => {
  const given = () => {
    throw Object.assign(new RangeError('no further'), { code: 'E_FAR' });
  };
  const source =
    'const e = await given().catch((x) => x); return [e instanceof Error, e.name, e.message, e.code]';
  expect(await withGlobals(source, { given })).toEqual([true, 'RangeError', 'no further', 'E_FAR']);
});

test('under the JSON profile, functions take one input and a context', async () => {
  const seen = [];
  const given = (...args) => void seen.push(args);
  await valueOf({ source: 'await given({ a: 1 }, "lost")', values: 'json', globals: { given } });
  const [[input, context, ...rest]] = seen;
  expect(input).toEqual({ a: 1 });
  expect(context).toMatchObject({ namespace: undefined, runId: expect.any(Number) });
  expect(context.signal.aborted).toBe(true);
  expect(rest).toEqual([]);
});

describe('promises of the host', () => {
  test('become promises of the guest, anywhere in a value', async () => {
    const source = `
      return [plain instanceof Promise, await plain, await nested.list[0], await (await call()).later]`;
    const globals = {
      plain: Promise.resolve(1),
      nested: { list: [Promise.resolve({ deep: 2 })] },
      call: () => ({ later: Promise.resolve(3) }),
    };
    expect(await withGlobals(source, globals)).toEqual([true, 1, { deep: 2 }, 3]);
  });

  test('may settle long after the guest began to wait', async () => {
    let settle;
    const later = new Promise((resolve) => {
      settle = resolve;
    });
    const source = 'await ready(); return await later';
    expect(await withGlobals(source, { later, ready: () => void settle('settled') })).toBe(
      'settled',
    );
  });

  test('that reject, reject in the guest', async () => {
    const failure = Promise.reject(Object.assign(new TypeError('no'), { code: 'E_NO' }));
    const source =
      'const e = await failure.catch((x) => x); return [e instanceof Error, e.name, e.message, e.code]';
    expect(await withGlobals(source, { failure })).toEqual([true, 'TypeError', 'no', 'E_NO']);
  });

  test('that reject unheard are no fault of the host', async () => {
    const { code, reports } = await runChild(async ({ IsolatePool, report, sleep }) => {
      process.on('unhandledRejection', (/** @type {any} */ error) =>
        report(`unhandled: ${error.message}`),
      );
      const pool = new IsolatePool({ threads: 1 });
      const reject = (where) => Promise.reject(new Error(where));
      const { value } = await pool.run({
        source: 'await call(); return await use((argument) => 1)',
        values: 'clone',
        globals: { failure: reject('in a global'), use: (f) => f(reject('in an argument')) },
        bindings: { call: () => ({ failure: reject('in a reply') }) },
      });
      await sleep(20);
      report(value);
      await pool.dispose();
    });
    expect(reports).toEqual([1]);
    expect(code).toBe(0);
  });

  test('whose value cannot cross, reject with a serialization error', async () => {
    const source = 'return (await later.catch((e) => e)).code';
    expect(await withGlobals(source, { later: Promise.resolve(Symbol('x')) })).toBe(
      'serialization_error',
    );
  });

  test('work in modules of host values and as arguments', async () => {
    const source =
      'import { later } from "host"; export default async (also) => [await later, await also]';
    const module = {
      imports: { host: { later: Promise.resolve(1) } },
      arguments: [Promise.resolve(2)],
    };
    expect(await valueOf({ kind: 'module', source, module, values: 'clone' })).toEqual([1, 2]);
  });

  test('work under the JSON profile', async () => {
    const source = 'return [later instanceof Promise, await later]';
    const globals = { later: Promise.resolve({ a: 1 }) };
    expect(await valueOf({ source, values: 'json', globals })).toEqual([true, { a: 1 }]);
  });
});
