'use strict';

const { usePool } = require('../support/pools.js');

const { run } = usePool();

const text = (length) => `'x'.repeat(${length})`;
const host = {
  fine: () => null,
  echo: (input) => input,
  give: (length) => 'x'.repeat(length),
  never: () => new Promise(() => {}),
};

const endOf = async (source, limits) => {
  const { cause, facts, error } = await run({
    source,
    namespaces: { host },
    limits: { wallMs: 10_000, ...limits },
  });
  return { cause, calls: facts.callCount, bytes: facts.callBytes, name: error?.name };
};

describe('calls', () => {
  const source = 'for (let i = 0; i < 5; i++) await host.fine(); return 1';

  test('as many as the limit are fine', async () => {
    expect(await endOf(source, { calls: 5 })).toMatchObject({ cause: 'finished', calls: 5 });
  });

  test('one more ends the run', async () => {
    expect(await endOf(source, { calls: 4 })).toMatchObject({
      cause: 'calls',
      calls: 4,
      name: 'CallLimitError',
    });
  });

  test('none at all may be allowed', async () => {
    expect(await endOf(source, { calls: 0 })).toMatchObject({ cause: 'calls', calls: 0 });
    expect(await endOf('return 1', { calls: 0 })).toMatchObject({ cause: 'finished' });
  });

  test('calls at once count like calls in turn', async () => {
    const atOnce = 'await Promise.all(Array.from({ length: 5 }, () => host.fine())); return 1';
    expect(await endOf(atOnce, { calls: 5 })).toMatchObject({ cause: 'finished' });
    expect(await endOf(atOnce, { calls: 4 })).toMatchObject({ cause: 'calls' });
  });

  test('the end cannot be caught', async () => {
    const stubborn = 'for (;;) { try { await host.fine() } catch {} finally { host.fine() } }';
    expect(await endOf(stubborn, { calls: 10 })).toMatchObject({ cause: 'calls', calls: 10 });
  });

  test('inputs that cannot cross are no calls', async () => {
    const refused = 'for (let i = 0; i < 5; i++) await host.fine(1n).catch(() => {}); return 1';
    expect(await endOf(refused, { calls: 0 })).toMatchObject({ cause: 'finished', calls: 0 });
  });
});

describe('callsInFlight', () => {
  test('bounds the calls that are not answered', async () => {
    const waiting = (count) => `for (let i = 0; i < ${count}; i++) host.never(); return 1`;
    expect(await endOf(waiting(3), { callsInFlight: 3 })).toMatchObject({ cause: 'finished' });
    expect(await endOf(waiting(4), { callsInFlight: 3 })).toMatchObject({
      cause: 'calls',
      calls: 3,
    });
  });

  test('does not bound calls in turn', async () => {
    const source = 'for (let i = 0; i < 50; i++) await host.fine(); return 1';
    expect(await endOf(source, { callsInFlight: 1 })).toMatchObject({
      cause: 'finished',
      calls: 50,
    });
  });

  test('is 10,000 unless set', async () => {
    const source = 'for (let i = 0; i < 10_001; i++) host.never(); return 1';
    expect(await endOf(source)).toMatchObject({ cause: 'calls', calls: 10_000 });
  });
});

describe('callBytes', () => {
  test('counts inputs and replies', async () => {
    const source = `await host.echo(${text(98)}); await host.echo(${text(98)}); return 1`;
    expect(await endOf(source, { callBytes: 400 })).toMatchObject({
      cause: 'finished',
      bytes: 400,
    });
    expect(await endOf(source, { callBytes: 250 })).toMatchObject({ cause: 'calls', calls: 1 });
  });

  test('one input may be too much', async () => {
    expect(await endOf(`await host.fine(${text(200)})`, { callBytes: 100 })).toMatchObject({
      cause: 'calls',
      calls: 0,
    });
  });

  test('replies alone may be too much', async () => {
    const source = 'for (let i = 0; i < 20; i++) await host.give(1000); return 1';
    const { cause, bytes } = await endOf(source, { callBytes: 5000 });
    expect(cause).toBe('calls');
    expect(bytes).toBeLessThan(7000);
  });

  test('calls without input do not pass by it', async () => {
    let replies = 0;
    const big = () => {
      replies += 1;
      return 'x'.repeat(1000);
    };
    const outcome = await run({
      source: 'for (let i = 0; i < 20; i++) await host.big(); return 1',
      namespaces: { host: { big } },
      limits: { callBytes: 2500 },
    });
    expect(outcome.cause).toBe('calls');
    expect(replies).toBeLessThan(5);
  });
});

describe('callBytesInFlight', () => {
  test('bounds the inputs of calls that are not answered', async () => {
    const waiting = (count) =>
      `for (let i = 0; i < ${count}; i++) host.never(${text(98)}); return 1`;
    expect(await endOf(waiting(3), { callBytesInFlight: 300 })).toMatchObject({
      cause: 'finished',
    });
    expect(await endOf(waiting(4), { callBytesInFlight: 300 })).toMatchObject({
      cause: 'calls',
      calls: 3,
    });
  });

  test('is given back with the reply', async () => {
    const source = `for (let i = 0; i < 20; i++) await host.fine(${text(98)}); return 1`;
    expect(await endOf(source, { callBytesInFlight: 100 })).toMatchObject({
      cause: 'finished',
      calls: 20,
    });
  });
});

test('a run beyond a budget has no result and no further calls', async () => {
  const calls = [];
  const outcome = await run({
    source: 'try { for (let i = 0; ; i++) await host.take(i) } finally { host.take("finally") }',
    namespaces: { host: { take: (input) => void calls.push(input) } },
    limits: { calls: 3 },
  });
  expect(outcome).toMatchObject({ ok: false, cause: 'calls' });
  expect(outcome).not.toHaveProperty('value');
  expect(calls).toEqual([0, 1, 2]);
});
