'use strict';

const { disposeAfterEach, openPool, usePool } = require('../support/pools.js');

disposeAfterEach();

const { run } = usePool();

/** Starts a guest that calls `host.hold` and then does as told; gives the run and the signal of that call. */
async function hold(source, request = {}) {
  let handle;
  const signal = await new Promise((resolve) => {
    const host = {
      hold(_input, context) {
        resolve(context.signal);
        return new Promise(() => {});
      },
      fine: () => 1,
      end: () => handle.terminate('enough'),
    };
    handle = run({ source, namespaces: { host }, ...request });
  });
  return { handle, signal };
}

const CAUSES = {
  finished: 'host.hold(); await host.fine(); return 1',
  guest_error: 'host.hold(); await host.fine(); throw new Error("mine")',
  serialization: 'host.hold(); await host.fine(); return 1n',
  output: 'host.hold(); await host.fine(); return "x".repeat(2000)',
  calls: 'host.hold(); for (;;) await host.fine()',
  deadline: 'await host.hold()',
  cpu: 'host.hold(); await host.fine(); for (;;);',
  memory:
    'host.hold(); await host.fine(); const keep = []; for (;;) keep.push(new Array(10_000).fill(keep.length))',
  terminated: 'host.hold(); await host.end(); await new Promise(() => {})',
};

const LIMITS = {
  output: { resultBytes: 1000 },
  calls: { calls: 20 },
  deadline: { wallMs: 100 },
  cpu: { cpuMs: 50 },
  memory: { memoryBytes: 2 ** 24 },
};

test.each(Object.entries(CAUSES))(
  'the signal aborts when the run ends with the cause %s',
  async (cause, source) => {
    const { handle, signal } = await hold(source, { limits: { wallMs: 20_000, ...LIMITS[cause] } });
    const heard = jest.fn();
    signal.addEventListener('abort', heard);
    const outcome = await handle;
    expect(outcome.cause).toBe(cause);
    expect(signal.aborted).toBe(true);
    expect(heard).toHaveBeenCalledTimes(1);
  },
);

test('the signal aborts when the pool is disposed of', async () => {
  const own = openPool({ threads: 1 });
  const held = new Promise((resolve) => {
    const wait = (_input, context) => (resolve(context.signal), new Promise(() => {}));
    void own.run({ source: 'await host.wait()', namespaces: { host: { wait } } });
  });
  const signal = await held;
  expect(signal.aborted).toBe(false);
  await own.dispose();
  expect(signal.aborted).toBe(true);
});

test("the signal aborts when the request's own signal does", async () => {
  const controller = new AbortController();
  const { handle, signal } = await hold('await host.hold()', { signal: controller.signal });
  controller.abort(new Error('no more'));
  expect(await handle).toMatchObject({ cause: 'terminated', error: { message: 'no more' } });
  expect(signal.aborted).toBe(true);
});

test('the signal is quiet while the run goes on, also when its own call is answered', async () => {
  const seen = [];
  const signals = [];
  const look = (_input, context) => {
    signals.push(context.signal);
    seen.push(...signals.map(({ aborted }) => aborted));
  };
  await run({
    source: 'await host.look(); await host.look(); await host.look()',
    namespaces: { host: { look } },
  });
  expect(seen).toEqual([false, false, false, false, false, false]);
  expect(new Set(signals).size).toBe(1);
  expect(signals[0].aborted).toBe(true);
});

test('a context that is asked for its signal after the end gives one that has aborted', async () => {
  let context;
  const keep = (_input, given) => void (context = given);
  await run({ source: 'await host.keep()', namespaces: { host: { keep } } });
  expect(context.signal.aborted).toBe(true);
});

test('runs have signals of their own', async () => {
  const first = await hold('await host.hold()');
  const second = await hold('await host.hold()');
  first.handle.terminate();
  await first.handle;
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
  second.handle.terminate();
  await second.handle;
  expect(second.signal.aborted).toBe(true);
});

test('work that follows its signal stops with the run', async () => {
  let rejection;
  const wait = (_input, { signal }) => {
    const waiting = new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    rejection = waiting.catch((error) => error.name);
    return waiting;
  };
  const outcome = await run({
    source: 'await host.wait()',
    namespaces: { host: { wait } },
    limits: { wallMs: 300 },
  });
  expect(outcome.cause).toBe('deadline');
  expect(await rejection).toBe('AbortError');
});
