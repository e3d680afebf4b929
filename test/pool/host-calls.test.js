'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf, run } = usePool();

const withHost = (source, host, request = {}) =>
  valueOf({ source, namespaces: { host }, ...request });

const nextTurn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('what a host function gets', () => {
  test('the first argument only', async () => {
    const take = jest.fn();
    await withHost('await host.take({ first: 1 }, { second: 2 }, 3)', { take });
    expect(take.mock.calls[0][0]).toEqual({ first: 1 });
    expect(take.mock.calls[0]).toHaveLength(2);
  });

  test('undefined where the input was left out', async () => {
    const inputs = [];
    await withHost('await host.take(); await host.take(undefined); await host.take(null)', {
      take: (...args) => void inputs.push([args.length, args[0]]),
    });
    expect(inputs).toEqual([
      [2, undefined],
      [2, undefined],
      [2, null],
    ]);
  });

  test('a context with the name, the namespace, the run and a signal', async () => {
    const contexts = [];
    const take = (_input, context) => void contexts.push(context);
    const namespaces = { one: { take, other: take }, two: { take } };
    await valueOf({ source: 'await one.take(); await one.other(); await two.take()', namespaces });
    expect(contexts.map(({ name, namespace }) => [namespace, name])).toEqual([
      ['one', 'take'],
      ['one', 'other'],
      ['two', 'take'],
    ]);
    expect(new Set(contexts.map(({ runId }) => runId)).size).toBe(1);
    expect(contexts.every(({ signal }) => signal instanceof AbortSignal)).toBe(true);
  });

  test('a run id of its own for every run', async () => {
    const ids = [];
    const take = (_input, { runId }) => void ids.push(runId);
    await withHost('await host.take()', { take });
    await withHost('await host.take()', { take });
    expect(new Set(ids).size).toBe(2);
  });

  test('no this', async () => {
    /** @type {unknown} */
    let self = 'not called';
    /** @this {unknown} */
    function take() {
      self = this;
    }
    await withHost('await host.take.call({ mine: true })', { take });
    expect(self).toBeUndefined();
  });

  test('nothing of what the guest does to its input later', async () => {
    const inputs = [];
    const source = 'const v = { n: 1 }; const call = host.take(v); v.n = 2; await call; return v.n';
    expect(await withHost(source, { take: (input) => void inputs.push(input.n) })).toBe(2);
    expect(inputs).toEqual([1]);
  });
});

describe('what a guest gets', () => {
  test.each([
    ['a value', () => ({ a: [1] }), { a: [1] }],
    ['a promise of one', async () => ({ a: [1] }), { a: [1] }],
    ['a promise of a promise', async () => Promise.resolve(Promise.resolve(1)), 1],
    ['a thenable', () => ({ then: (resolve) => resolve(7) }), 7],
    ['a thenable that gives a thenable', () => ({ then: (r) => r({ then: (q) => q(8) }) }), 8],
    ['a thenable that settles later', () => ({ then: (resolve) => setImmediate(resolve, 9) }), 9],
    ['null', () => null, null],
    ['undefined', () => undefined, undefined],
    ['nothing', () => {}, undefined],
    ['an object with a then that is no function', () => ({ then: 1 }), { then: 1 }],
  ])('%s', async (_name, give, expected) => {
    expect(await withHost('return host.give()', { give })).toEqual(expected);
  });

  test('only the first of several settlements', async () => {
    const give = () => ({
      then(resolve, reject) {
        resolve('first');
        reject(new Error('late'));
        resolve('second');
      },
    });
    expect(await withHost('return host.give()', { give })).toBe('first');
  });

  test('its reply in the microtask order of any promise', async () => {
    const source = `
      const seen = [];
      const call = host.give().then(() => seen.push('reply'));
      seen.push('sync');
      await null;
      seen.push('microtask');
      await call;
      return seen`;
    expect(await withHost(source, { give: () => 1 })).toEqual(['sync', 'microtask', 'reply']);
  });
});

describe('many calls', () => {
  test('100 at once, answered in any order', async () => {
    const waiting = [];
    const give = (n) =>
      new Promise((resolve) => {
        waiting.push(() => resolve(n * 2));
        if (waiting.length === 100) for (const answer of waiting.reverse()) answer();
      });
    const source = 'return Promise.all(Array.from({ length: 100 }, (_, i) => host.give(i)))';
    const value = await withHost(source, { give });
    expect(value).toEqual(Array.from({ length: 100 }, (_, i) => i * 2));
  });

  test('1,000 in a row', async () => {
    const source = 'let n = 0; while (n < 1000) n = await host.next(n); return n';
    expect(await withHost(source, { next: (n) => n + 1 })).toBe(1000);
  });

  test('2,000 at once reach the host in the order in which they were made', async () => {
    const seen = [];
    const source = 'await Promise.all(Array.from({ length: 2000 }, (_, i) => host.take(i)))';
    await withHost(source, { take: (n) => void seen.push(n) });
    expect(seen).toEqual(Array.from({ length: 2000 }, (_, i) => i));
  });

  test('of many runs at once reach the right guests', async () => {
    const host = { add: async ([a, b]) => (await nextTurn(), a + b) };
    const source =
      'let sum = 0; for (let i = 0; i < 10; i++) sum = await host.add([sum, base]); return sum';
    const runs = Array.from({ length: 40 }, (_, base) =>
      withHost(source, host, { bindings: { base } }),
    );
    expect(await Promise.all(runs)).toEqual(Array.from({ length: 40 }, (_, base) => base * 10));
  });
});

describe('a call that nobody waits for', () => {
  test('is made all the same', async () => {
    const take = jest.fn();
    await withHost('host.take("unheard"); await host.take("heard")', { take });
    expect(take.mock.calls.map(([input]) => input)).toEqual(['unheard', 'heard']);
  });

  test('that fails does not fail the run', async () => {
    const fail = () => {
      throw new Error('unheard');
    };
    expect(await withHost('host.fail(); await host.fine(); return 1', { fail, fine() {} })).toBe(1);
  });

  test('may be answered after the run has ended, which nobody notices', async () => {
    const answers = [];
    const give = () =>
      new Promise((resolve, reject) => {
        answers.push(
          () => resolve(1),
          () => reject(new Error('late')),
        );
      });
    const outcome = await run({
      source: 'host.give(); host.give(); return "ended"',
      namespaces: { host: { give } },
    });
    expect(outcome).toMatchObject({ ok: true, value: 'ended' });
    answers[0]();
    answers[3]();
    await nextTurn();
    expect(outcome.facts.calls.map(({ ok }) => ok)).toEqual([false, false]);
  });
});

test('a host function that starts a run of the same pool works', async () => {
  const nested = (input) =>
    input === 0 ? 0 : withHost(`return (await host.nested(${input - 1})) + 1`, { nested });
  expect(await withHost('return host.nested(5)', { nested })).toBe(5);
});
