'use strict';

const { usePool } = require('../support/pools.js');

const { run } = usePool();

const factsOf = async (request) => (await run(request)).facts;

test('facts have these members and no others', async () => {
  const facts = await factsOf({ source: 'return 1' });
  expect(Object.keys(facts).sort()).toEqual([
    'callBytes',
    'callCount',
    'calls',
    'cpuMs',
    'peakMemoryBytes',
    'queuedMs',
    'wallMs',
  ]);
});

test('wall time covers the run and its time in the queue', async () => {
  const started = performance.now();
  const facts = await factsOf({ source: 'for (let end = Date.now() + 50; Date.now() < end;);' });
  expect(facts.wallMs).toBeGreaterThanOrEqual(49);
  expect(facts.wallMs).toBeLessThanOrEqual(performance.now() - started + 1);
  expect(facts.queuedMs).toBeGreaterThanOrEqual(0);
  expect(facts.queuedMs).toBeLessThan(facts.wallMs);
});

test('CPU time is that of the guest, and stands still while it waits', async () => {
  const busy = await factsOf({ source: 'for (let i = 0; i < 3e7; i++);' });
  expect(busy.cpuMs).toBeGreaterThan(1);
  const wait = () =>
    new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  const waiting = await factsOf({ source: 'await host.wait()', namespaces: { host: { wait } } });
  expect(waiting.wallMs).toBeGreaterThanOrEqual(99);
  expect(waiting.cpuMs).toBeLessThan(50);
});

test('peak memory counts heap and buffers', async () => {
  const idle = await factsOf({ source: 'return 1' });
  const heap = await factsOf({
    source: 'globalThis.keep = Array.from({ length: 1e6 }, (_, i) => i + 0.5)',
  });
  const buffer = await factsOf({ source: 'globalThis.keep = new Uint8Array(2e7)' });
  expect(idle.peakMemoryBytes).toBeGreaterThan(0);
  expect(heap.peakMemoryBytes - idle.peakMemoryBytes).toBeGreaterThan(7e6);
  expect(buffer.peakMemoryBytes - idle.peakMemoryBytes).toBeGreaterThan(1.9e7);
});

describe('calls', () => {
  const namespaces = {
    host: {
      echo: (input) => input,
      fail: () => {
        throw new Error('no');
      },
      never: () => new Promise(() => {}),
      bad: () => 1n,
      slow: () =>
        new Promise((resolve) => {
          setTimeout(resolve, 200);
        }),
    },
  };

  test('are listed in the order in which they were made', async () => {
    const source =
      'await host.echo(1); await host.fail().catch(() => {}); await host.echo("abc"); await host.bad().catch(() => {})';
    const { calls, callCount } = await factsOf({ source, namespaces });
    expect(callCount).toBe(4);
    expect(calls).toEqual([
      { name: 'echo', ms: expect.any(Number), bytesOut: 1, bytesIn: 1, ok: true },
      { name: 'fail', ms: expect.any(Number), bytesOut: 0, bytesIn: 0, ok: false },
      { name: 'echo', ms: expect.any(Number), bytesOut: 5, bytesIn: 5, ok: true },
      { name: 'bad', ms: expect.any(Number), bytesOut: 0, bytesIn: 0, ok: false },
    ]);
  });

  test('bytes are those of inputs and replies together', async () => {
    const { callBytes } = await factsOf({
      source: 'await host.echo("abc"); await host.echo([1, 2])',
      namespaces,
    });
    expect(callBytes).toBe(2 * ('"abc"'.length + '[1,2]'.length));
  });

  test('take the time until their reply is there', async () => {
    const { calls } = await factsOf({ source: 'await host.slow(); await host.echo()', namespaces });
    expect(calls[0].ms).toBeGreaterThanOrEqual(195);
    expect(calls[1].ms).toBeLessThan(Number(calls[0].ms));
  });

  test('without a reply have no time', async () => {
    const { calls } = await factsOf({ source: 'host.never("abc"); await host.echo()', namespaces });
    expect(calls[0]).toEqual({ name: 'never', ms: null, bytesOut: 5, bytesIn: 0, ok: false });
    expect(calls[1].ok).toBe(true);
  });

  test('beyond 256 are counted and not listed', async () => {
    const source = 'for (let i = 0; i < 300; i++) await host.echo(1)';
    const { calls, callCount, callBytes } = await factsOf({ source, namespaces });
    expect(calls).toHaveLength(256);
    expect({ callCount, callBytes }).toEqual({ callCount: 300, callBytes: 600 });
  });

  test('whose input was refused are not listed', async () => {
    const { calls, callCount } = await factsOf({
      source: 'await host.echo(1n).catch(() => {})',
      namespaces,
    });
    expect({ calls, callCount }).toEqual({ calls: [], callCount: 0 });
  });

  test('of functions outside of namespaces are listed too', async () => {
    const { calls } = await factsOf({ source: 'await given(1)', globals: { given: (x) => x } });
    expect(calls).toMatchObject([{ bytesOut: 1, bytesIn: 1, ok: true, name: expect.any(String) }]);
  });
});

test.each([
  ['guest_error', 'await host.echo(1); throw 1'],
  ['link_error', 'let let'],
  ['serialization', 'await host.echo(1); return 1n'],
  ['deadline', 'await host.echo(1); for (;;);'],
])('a run that ends with the cause %s has facts too', async (cause, source) => {
  const namespaces = { host: { echo: (input) => input } };
  const outcome = await run({
    source,
    namespaces,
    limits: { wallMs: cause === 'deadline' ? 100 : 20_000 },
  });
  expect(outcome.cause).toBe(cause);
  expect(outcome.facts.wallMs).toBeGreaterThan(0);
  expect(outcome.facts.callCount).toBe(cause === 'link_error' ? 0 : 1);
});

test('an outcome has these members and no others', async () => {
  const finished = await run({ source: 'return 1' });
  expect(Object.keys(finished).sort()).toEqual([
    'cause',
    'facts',
    'logs',
    'logsTruncated',
    'ok',
    'value',
  ]);
  const failed = await run({ source: 'throw 1' });
  expect(Object.keys(failed).sort()).toEqual([
    'cause',
    'error',
    'facts',
    'logs',
    'logsTruncated',
    'ok',
  ]);
});
