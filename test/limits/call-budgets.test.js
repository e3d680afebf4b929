'use strict';

const { disposeAfterEach, openPool } = require('../support/pools.js');
const { sleep } = require('../support/time.js');

disposeAfterEach();

/** Runs a guest with host functions that count their calls. */
async function run(source, limits, options = {}) {
  const pool = openPool({ threads: 1 });
  const seen = [];
  const echo = (input) => {
    seen.push(input);
    return input;
  };
  const never = (input) => {
    seen.push(input);
    return new Promise(() => {});
  };
  const large = () => 'x'.repeat(1000);
  const namespaces = { host: { echo, large, never } };
  const outcome = await pool.run({
    source,
    namespaces,
    limits: { wallMs: 5000, ...limits },
    ...options,
  });
  return { outcome, seen };
}

describe('limits.calls', () => {
  test('stops a guest that calls once too often', async () => {
    const { outcome, seen } = await run('for (let i = 0; ; i++) await host.echo(i)', { calls: 3 });
    expect(outcome).toMatchObject({ ok: false, cause: 'calls', error: { name: 'CallLimitError' } });
    expect(outcome.facts.callCount).toBe(3);
    expect(seen).toEqual([0, 1, 2]);
  });

  test('leaves a guest alone that uses it up', async () => {
    const source = 'for (let i = 0; i < 3; i++) await host.echo(i); return "done"';
    const { outcome } = await run(source, { calls: 3 });
    expect(outcome).toMatchObject({ ok: true, value: 'done', facts: { callCount: 3 } });
  });

  test('cannot be caught', async () => {
    const source = 'for (;;) { try { await host.echo(1) } catch {} }';
    const { outcome } = await run(source, { calls: 0 });
    expect(outcome.cause).toBe('calls');
    expect(outcome.facts.callCount).toBe(0);
  });

  test('counts calls that are not awaited', async () => {
    const { outcome } = await run('for (;;) host.echo(1)', { calls: 5 });
    expect(outcome.cause).toBe('calls');
    expect(outcome.facts.callCount).toBe(5);
  });

  test('counts under the profile of clones too', async () => {
    const source = 'for (let i = 0; ; i++) await host.echo(i)';
    const { outcome } = await run(source, { calls: 2 }, { values: 'clone' });
    expect(outcome.cause).toBe('calls');
    expect(outcome.facts.callCount).toBe(2);
  });
});

describe('limits.callsInFlight', () => {
  test('stops a guest with too many calls open', async () => {
    const source = 'for (let i = 0; i < 5; i++) host.never(i); await new Promise(() => {})';
    const { outcome, seen } = await run(source, { callsInFlight: 4 });
    expect(outcome.cause).toBe('calls');
    expect(outcome.facts.callCount).toBe(4);
    expect(outcome.facts.calls).toHaveLength(4);
    for (const call of outcome.facts.calls) expect(call).toMatchObject({ name: 'never', ms: null });
    await sleep(10);
    expect(seen.length).toBeLessThanOrEqual(4);
  });

  test('leaves a guest alone whose calls are answered', async () => {
    const source = `
      for (let i = 0; i < 50; i++) await Promise.all([host.echo(1), host.echo(2), host.echo(3), host.echo(4)]);
      return "done"`;
    const { outcome } = await run(source, { callsInFlight: 4 });
    expect(outcome).toMatchObject({ ok: true, value: 'done', facts: { callCount: 200 } });
  });
});

describe('limits.callBytes', () => {
  test('stops a guest whose arguments are too many bytes in all', async () => {
    const source = 'for (;;) await host.echo("x".repeat(100))';
    const { outcome } = await run(source, { callBytes: 1000 });
    expect(outcome.cause).toBe('calls');
    // Each call takes 102 bytes there and 102 back.
    expect(outcome.facts.callCount).toBe(5);
    expect(outcome.facts.callBytes).toBe(1020);
  });

  test('stops a guest whose replies are too many bytes in all', async () => {
    const { outcome } = await run('for (;;) await host.large()', { callBytes: 5000 });
    expect(outcome.cause).toBe('calls');
    // Each reply takes 1,002 bytes: the fifth is over.
    expect(outcome.facts.callCount).toBe(5);
  });

  test('stops one argument that is too large by itself', async () => {
    const { outcome, seen } = await run('await host.echo("x".repeat(2000))', { callBytes: 1000 });
    expect(outcome.cause).toBe('calls');
    expect(seen).toEqual([]);
  });

  test('stops a guest for one reply that is too large by itself', async () => {
    const { outcome } = await run('return (await host.large()).length', { callBytes: 1000 });
    expect(outcome.cause).toBe('calls');
  });

  test('leaves a guest alone that stays below', async () => {
    const source = 'for (let i = 0; i < 4; i++) await host.echo("x".repeat(100)); return "done"';
    const { outcome } = await run(source, { callBytes: 1000 });
    expect(outcome).toMatchObject({ ok: true, value: 'done' });
  });
});

describe('limits.callBytesInFlight', () => {
  test('stops a guest with too many bytes in open calls', async () => {
    const source =
      'for (let i = 0; i < 10; i++) host.never("x".repeat(100)); await new Promise(() => {})';
    const { outcome } = await run(source, { callBytesInFlight: 500 });
    expect(outcome.cause).toBe('calls');
    expect(outcome.facts.callCount).toBe(4);
  });

  test('leaves a guest alone whose calls are answered', async () => {
    const source = 'for (let i = 0; i < 50; i++) await host.echo("x".repeat(400)); return "done"';
    const { outcome } = await run(source, { callBytesInFlight: 500 });
    expect(outcome).toMatchObject({ ok: true, value: 'done' });
  });
});

test('a budget that is used up ends a guest that waits for another call', async () => {
  const source = 'const open = host.never(1); for (;;) await host.echo(1); await open';
  const { outcome } = await run(source, { calls: 10 });
  expect(outcome.cause).toBe('calls');
});

test('no budget is touched by a guest without calls', async () => {
  const none = { calls: 0, callsInFlight: 0, callBytes: 0, callBytesInFlight: 0 };
  const { outcome } = await run('return 42', none);
  expect(outcome).toMatchObject({ ok: true, value: 42 });
});
