'use strict';

const { disposeAfterEach, openPool } = require('../support/pools.js');
const { sleep } = require('../support/time.js');

disposeAfterEach();

const PROFILES = /** @type {const} */ (['json', 'clone']);

/** Runs a guest that calls one host function and tells what it got. */
const ask = (pool, misbehave, request = {}) =>
  pool.run({
    source: `
      let settled = 0;
      const call = host.misbehave();
      call.then(() => settled++, () => settled++);
      const answer = await call.then((value) => ['value', value], (e) => ['error', e.name, e.message, e instanceof Error]);
      for (let i = 0; i < 5; i++) await host.ping();
      return { answer, settled }`,
    namespaces: { host: { misbehave, ping: () => 1 } },
    limits: { wallMs: 10_000 },
    ...request,
  });

const thrower = (value) => () => {
  throw value;
};

const hostileError = new Proxy(new Error('m'), {
  get() {
    throw new Error('trap');
  },
});

const revoked = (() => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
})();

const ERRORS = {
  'throws an error': [thrower(new RangeError('no')), ['error', 'RangeError', 'no', true]],
  'throws a string': [thrower('plain'), ['error', 'Error', 'plain', true]],
  'throws undefined': [thrower(undefined), ['error', 'Error', 'undefined', true]],
  'throws null': [thrower(null), ['error', 'Error', 'null', true]],
  'throws a symbol': [thrower(Symbol('s')), ['error', 'Error', 'Symbol(s)', true]],
  'throws an object without a prototype': [
    thrower(Object.create(null)),
    ['error', 'Error', '', true],
  ],
  'throws a proxy whose traps throw': [thrower(hostileError), ['error', 'Error', '', true]],
  'throws a revoked proxy': [thrower(revoked), ['error', 'Error', '', true]],
  rejects: [
    async () => Promise.reject(new TypeError('later')),
    ['error', 'TypeError', 'later', true],
  ],
  'rejects with nothing': [async () => thrower(undefined)(), ['error', 'Error', 'undefined', true]],
  'returns a thenable that rejects': [
    () => ({ then: (_resolve, reject) => reject(new Error('thenable')) }),
    ['error', 'Error', 'thenable', true],
  ],
  'returns a thenable whose then throws': [
    () => ({ then: thrower(new Error('in then')) }),
    ['error', 'Error', 'in then', true],
  ],
  'returns an object whose then cannot be read': [
    () => ({
      get then() {
        throw new Error('no then');
      },
    }),
    ['error', 'Error', 'no then', true],
  ],
};

const VALUES = {
  'resolves twice': [
    () =>
      new Promise((resolve, reject) => {
        resolve('first');
        resolve('second');
        reject(new Error('third'));
      }),
    'first',
  ],
  'returns a thenable that resolves twice and throws': [
    () => ({
      then(resolve) {
        resolve('once');
        resolve('twice');
        throw new Error('and throws');
      },
    }),
    'once',
  ],
  'returns a thenable that resolves at once and again later': [
    () => ({
      then(resolve) {
        resolve('now');
        setTimeout(() => resolve('later'), 1);
      },
    }),
    'now',
  ],
  'returns thenables in thenables': [
    () => ({ then: (f) => f({ then: (g) => g({ then: (h) => h('deep') }) }) }),
    'deep',
  ],
  'returns nothing': [() => {}, undefined],
};

describe.each(PROFILES)('a host function (%s profile) that', (values) => {
  test.each(Object.entries(ERRORS))('%s fails its call, once', async (_name, [f, answer]) => {
    const outcome = await ask(openPool({ threads: 2 }), f, { values });
    expect(outcome).toMatchObject({ cause: 'finished', value: { answer, settled: 1 } });
  });

  test.each(Object.entries(VALUES))('%s answers its call, once', async (_name, [f, value]) => {
    const outcome = await ask(openPool({ threads: 2 }), f, { values });
    expect(outcome.cause).toBe('finished');
    expect(outcome.value.settled).toBe(1);
    expect(outcome.value.answer[1] ?? undefined).toBe(value);
  });

  test('returns what cannot cross fails its call', async () => {
    const bad = {
      get x() {
        throw new Error('getter of the host');
      },
    };
    const cyclic = {};
    cyclic.self = values === 'json' ? cyclic : Symbol('s');
    for (const value of [bad, cyclic, revoked, Symbol('s'), new WeakMap()]) {
      const outcome = await ask(openPool({ threads: 2 }), () => value, { values });
      expect(outcome).toMatchObject({ cause: 'finished', value: { settled: 1 } });
      expect(outcome.value.answer[0]).toBe('error');
    }
  });

  test('never settles leaves the guest to its deadline, and is told of it', async () => {
    const pool = openPool({ threads: 2 });
    let signal;
    const never = (_input, context) => {
      signal = context?.signal;
      return new Promise(() => {});
    };
    const outcome = await ask(pool, never, { values, limits: { wallMs: 50 } });
    expect(outcome.cause).toBe('deadline');
    if (values === 'json') expect(signal.aborted).toBe(true);
  });

  test('answers after the end of the run is not heard', async () => {
    const pool = openPool({ threads: 2 });
    const late = [];
    const answers = [() => late[0]('value'), () => late[1](new Error('late')), () => late[2]()];
    const functions = {
      a: () => new Promise((resolve) => late.push(resolve)),
      b: () => new Promise((_resolve, reject) => late.push(reject)),
      c: () => ({ then: (resolve) => late.push(resolve) }),
    };
    const outcome = await pool.run({
      source: 'host.a(); host.b(); host.c(); await new Promise(() => {})',
      namespaces: { host: functions },
      values,
      limits: { wallMs: 100 },
    });
    expect(outcome.cause).toBe('deadline');
    expect(late).toHaveLength(3);
    for (const answer of answers) answer();
    await sleep(20);
    expect((await pool.run({ source: 'return 42' })).value).toBe(42);
  });
});

test('a host function that blocks the loop for a second delays answers, and loses none', async () => {
  const pool = openPool({ threads: 2 });
  const block = () => {
    const end = performance.now() + 1000;
    while (performance.now() < end);
    return 'unblocked';
  };
  const others = Array.from({ length: 20 }, (_, n) =>
    pool.run({
      source: `for (let i = 0; i < 3; i++) await host.ping(); return ${n}`,
      namespaces: { host: { ping: () => 1 } },
    }),
  );
  const looping = pool.run({ source: 'for (;;) {}', limits: { wallMs: 200 } });
  const waiting = pool.run({ source: 'await new Promise(() => {})', limits: { wallMs: 300 } });
  const start = performance.now();
  const blocked = await pool.run({
    source: 'return host.block()',
    namespaces: { host: { block } },
  });
  expect(blocked).toMatchObject({ cause: 'finished', value: 'unblocked' });
  for (const run of [looping, waiting]) {
    const { cause, facts } = await run;
    expect(cause).toBe('deadline');
    // The watchdog does not need the loop: the guest was stopped on time, though nobody could be told.
    expect(facts.wallMs).toBeLessThan(900);
  }
  expect((await Promise.all(others)).map(({ value }) => value)).toEqual([...others.keys()]);
  expect(performance.now() - start).toBeLessThan(5000);
});

test('a host function that disposes of the pool, or ends its own run, does not bring anything down', async () => {
  const pool = openPool({ threads: 2 });
  const run = pool.run({
    source: 'await host.end(); for (;;) await host.end()',
    namespaces: { host: { end: () => run.terminate('by itself') } },
  });
  expect(await run).toMatchObject({ cause: 'terminated', error: { message: 'by itself' } });
  const last = await pool.run({
    source: 'await host.dispose(); return 1',
    namespaces: { host: { dispose: () => pool.dispose() } },
  });
  expect(last.cause).toBe('disposed');
});
