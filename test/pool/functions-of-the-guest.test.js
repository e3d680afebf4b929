'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf, run, errorOf } = usePool();

/** Runs a guest that hands a function to the host, where `use` works with it. */
const withFunction = (expression, use) =>
  valueOf({
    source: `return host.use(${expression})`,
    values: 'clone',
    namespaces: { host: { use } },
  });

test('a guest function is a function of the host that gives a promise', async () => {
  const value = await withFunction('(a, b) => a + b', async (add) => {
    const result = add(40, 2);
    return [typeof add, typeof result.then, await result];
  });
  expect(value).toEqual(['function', 'function', 42]);
});

test('arguments and results cross by structured clone', async () => {
  const value = await withFunction('(map, list) => new Set([map.get("k"), ...list])', async (f) => {
    const result = await f(new Map([['k', 1n]]), [new Date(5)]);
    return [...result].map(String);
  });
  expect(value).toEqual(['1', String(new Date(5))]);
});

test('it is called without this, and may be async', async () => {
  const value = await withFunction(
    'async function () { "use strict"; await null; return this === undefined }',
    (f) => f(),
  );
  expect(value).toBe(true);
});

test('it may be called many times at once, and keeps its state', async () => {
  const value = await withFunction('(() => { let n = 0; return () => ++n })()', (next) =>
    Promise.all(Array.from({ length: 50 }, () => next())),
  );
  expect(value).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
});

test('it may call the host while the host waits for it', async () => {
  const value = await valueOf({
    source: 'return host.outer(async (x) => (await host.inner(x)) + 1)',
    values: 'clone',
    namespaces: { host: { outer: async (f) => (await f(1)) + 100, inner: async (x) => x + 10 } },
  });
  expect(value).toBe(112);
});

test('functions may go back and forth', async () => {
  const value = await withFunction(
    'async (callback) => (await callback((x) => x * 2)) + 1',
    async (f) => f(async (double) => (await double(4)) + 10),
  );
  expect(value).toBe(19);
});

test('functions inside values cross too', async () => {
  const value = await withFunction(
    '{ list: [(x) => x + 1], map: new Map([["f", () => "f"]]) }',
    async ({ list, map }) => [await list[0](1), await map.get('f')()],
  );
  expect(value).toEqual([2, 'f']);
});

test('one function in two places is one function', async () => {
  const value = await withFunction('((f) => [f, f, { f }])(() => 1)', ([a, b, { f }]) => [
    a === b,
    a === f,
  ]);
  expect(value).toEqual([true, true]);
});

describe('what it throws', () => {
  const caught = (expression) =>
    withFunction(expression, async (f) => {
      const error = await f().catch((e) => e);
      return [error instanceof Error, error.name, error.message];
    });

  test.each([
    ['an error', '() => { throw new RangeError("mine") }', 'RangeError', 'mine'],
    [
      'a rejection',
      'async () => { await null; throw new TypeError("later") }',
      'TypeError',
      'later',
    ],
    ['a string', '() => { throw "text" }', 'Error', 'text'],
    ['undefined', '() => { throw undefined }', 'Error', 'undefined'],
    ['an object', '() => { throw { name: "Mine", message: "m" } }', 'Mine', 'm'],
  ])('%s is an Error of the host', async (_name, expression, name, message) => {
    expect(await caught(expression)).toEqual([true, name, message]);
  });

  test('has the stack of the guest, and nothing of the host', async () => {
    const stack = await withFunction('() => {\n throw new Error("mine") }', (f) =>
      f().catch((e) => e.stack),
    );
    expect(stack).toBe('Error: mine\n    at <guest>:2:8');
  });

  test('is not taken for the end of the run', async () => {
    const value = await withFunction('() => { throw new Error("mine") }', (f) =>
      f().then(null, () => 'caught'),
    );
    expect(value).toBe('caught');
  });

  test('comes back into the guest as a host error when the host does not catch it', async () => {
    const source = `
      const e = await host.use(() => { throw new RangeError('mine') }).catch((x) => x);
      return [e instanceof Error, e.name, e.message]`;
    const namespaces = { host: { use: (f) => f() } };
    expect(await valueOf({ source, values: 'clone', namespaces })).toEqual([
      true,
      'RangeError',
      'mine',
    ]);
  });
});

describe('what cannot cross', () => {
  test('as an argument rejects with a code, and the guest is not called', async () => {
    const value = await withFunction('() => { throw new Error("called") }', async (f) => {
      const error = await f(1, { deep: [Symbol('x')] }).catch((e) => e);
      return [error.code, error.message.includes('[1].deep[0]')];
    });
    expect(value).toEqual(['ERR_ISOBOX_NOT_TRANSFERABLE', true]);
  });

  test('as a result rejects with a SerializationError', async () => {
    const value = await withFunction('() => ({ deep: Symbol("x") })', async (f) => {
      const error = await f().catch((e) => e);
      return [error instanceof Error, error.name, error.message.includes('.deep')];
    });
    expect(value).toEqual([true, 'SerializationError', true]);
  });

  test('because a getter of the result throws, rejects with what it threw', async () => {
    const value = await withFunction(
      '() => ({ get a() { throw new RangeError("mine") } })',
      async (f) => {
        const error = await f().catch((e) => e);
        return [error.name, error.message];
      },
    );
    expect(value).toEqual(['RangeError', 'mine']);
  });

  test('because a getter of the argument throws, rejects with what it threw', async () => {
    const argument = {
      get a() {
        throw new RangeError('of the host');
      },
    };
    const value = await withFunction('() => 1', (f) =>
      f(argument).catch((e) => [e.name, e.message]),
    );
    expect(value).toEqual(['RangeError', 'of the host']);
  });
});

describe('when the run has ended', () => {
  const keepFunction = async (source, request = {}) => {
    let kept;
    const outcome = await run({
      source,
      values: 'clone',
      namespaces: { host: { keep: (f) => void (kept = f) } },
      ...request,
    });
    return { kept, outcome };
  };

  test('a call rejects with a code', async () => {
    const { kept } = await keepFunction('await host.keep(() => 1)');
    await expect(kept()).rejects.toMatchObject({ name: 'Error', code: 'ERR_ISOBOX_RUN_ENDED' });
    await expect(kept(Symbol('x'))).rejects.toMatchObject({ code: 'ERR_ISOBOX_RUN_ENDED' });
  });

  test('a function in the result is of an ended run', async () => {
    const value = await valueOf({ source: 'return { f: () => 1 }', values: 'clone' });
    await expect(value.f()).rejects.toMatchObject({ code: 'ERR_ISOBOX_RUN_ENDED' });
  });

  test.each([
    [
      'finishes',
      'await host.keep(() => new Promise(() => {})); await host.go(); return 1',
      'finished',
    ],
    [
      'throws',
      'await host.keep(() => new Promise(() => {})); await host.go(); throw 1',
      'guest_error',
    ],
    [
      'reaches its deadline',
      'await host.keep(() => new Promise(() => {})); for (;;) await null',
      'deadline',
    ],
    [
      'is terminated',
      'await host.keep(() => new Promise(() => {})); host.end(); for (;;) await host.go()',
      'terminated',
    ],
  ])('a call under way rejects when the run %s', async (_name, source, cause) => {
    let call;
    const handle = run({
      source,
      values: 'clone',
      limits: { wallMs: 300 },
      namespaces: {
        host: {
          keep: (f) => void (call = f().catch(({ code }) => code)),
          go() {},
          end: () => handle.terminate(),
        },
      },
    });
    expect((await handle).cause).toBe(cause);
    expect(await call).toBe('ERR_ISOBOX_RUN_ENDED');
  });
});

test('a guest function that never ends is stopped by the deadline of the run', async () => {
  const error = await errorOf({
    source: 'await host.use(() => { for (;;); })',
    values: 'clone',
    namespaces: { host: { use: (f) => f() } },
    limits: { wallMs: 100 },
  });
  expect(error).toMatchObject({ cause: 'deadline' });
});

test('a guest may hand out only so many functions', async () => {
  const source = 'return Array.from({ length: 20_000 }, () => () => 1)';
  expect(await errorOf({ source, values: 'clone' })).toMatchObject({ cause: 'serialization' });
});

test('handing out one function again and again does not use them up', async () => {
  const source =
    'const f = () => 1; for (let i = 0; i < 12_000; i++) await host.take(f); return "done"';
  const take = () => {};
  expect(await valueOf({ source, values: 'clone', namespaces: { host: { take } } })).toBe('done');
});

test('under the JSON profile guest functions do not cross', async () => {
  const error = await errorOf({
    source: 'await host.use(() => 1)',
    namespaces: { host: { use() {} } },
  });
  expect(error).toMatchObject({ cause: 'guest_error', hostCode: 'serialization_error' });
});
