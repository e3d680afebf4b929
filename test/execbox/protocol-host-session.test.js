'use strict';
// The host's end against runners that behave in every way. Sections are those of the protocol reference.

const { resolveProvider } = require('../../lib/execbox/index.js');
const {
  attachProtocolEndpoint,
  createPortPair,
  isDispatcherMessage,
  runHostTransportSession,
} = require('../../lib/protocol/index.js');
const { until } = require('../support/time.js');
const { usePool } = require('../support/pools.js');

const fixture = usePool();

/** A transport whose runner is the test. */
class Transport {
  sent = [];
  terminate = jest.fn();
  dispose = jest.fn();
  handlers = { message: new Set(), error: new Set(), close: new Set() };

  /** @param {(message: any, transport: Transport) => void} [respond] */
  constructor(respond = () => {}) {
    this.respond = respond;
  }

  send(message) {
    expect(isDispatcherMessage(message)).toBe(true);
    this.sent.push(message);
    queueMicrotask(() => this.respond(message, this));
  }

  #on(event, handler) {
    this.handlers[event].add(handler);
    return () => this.handlers[event].delete(handler);
  }

  onMessage(handler) {
    return this.#on('message', handler);
  }

  onError(handler) {
    return this.#on('error', handler);
  }

  onClose(handler) {
    return this.#on('close', handler);
  }

  emit(event, value) {
    for (const handler of [...this.handlers[event]]) handler(value);
  }

  get types() {
    return this.sent.map(({ type }) => type);
  }
}

const done = (id, fields) => ({ type: 'done', id, ok: true, durationMs: 12, logs: [], ...fields });
const call = (callId, safeToolName, input) => ({
  type: 'tool_call',
  callId,
  providerName: 'tools',
  safeToolName,
  input,
});
const provider = resolveProvider({
  name: 'tools',
  tools: {
    add: { execute: ({ x }) => ({ sum: x + 2 }) },
    fail: {
      execute() {
        throw new Error('tool crashed');
      },
    },
    date: { execute: () => new Date() },
    strict: { inputSchema: { type: 'string' }, execute: (input) => input },
    hang: {
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    },
  },
});

const session = (transport, options = {}) =>
  runHostTransportSession({
    transport,
    code: '1',
    providers: [provider],
    executionId: 'exec-1',
    runtimeOptions: { timeoutMs: 5000 },
    cancelGraceMs: 50,
    ...options,
  });

/** Runs a session whose runner makes one call and gives the answer to it as its result. */
async function answerTo(toolCall) {
  const transport = new Transport((message) => {
    if (message.type === 'execute') transport.emit('message', toolCall);
    if (message.type === 'tool_result') transport.emit('message', done('exec-1'));
  });
  await session(transport);
  return transport.sent.find(({ type }) => type === 'tool_result');
}

describe('Message Catalog', () => {
  test('execute is sent once, with limits and manifests and nothing else', async () => {
    const transport = new Transport(() => transport.emit('message', done('exec-1', { result: 2 })));
    expect(await session(transport, { code: '1 + 1', runtimeOptions: { timeoutMs: 70 } })).toEqual({
      ok: true,
      result: 2,
      logs: [],
      durationMs: 12,
    });
    expect(transport.sent).toEqual([
      {
        type: 'execute',
        id: 'exec-1',
        code: '1 + 1',
        options: {
          timeoutMs: 70,
          memoryLimitBytes: 64 * 2 ** 20,
          maxLogLines: 100,
          maxLogChars: 64_000,
        },
        providers: [expect.objectContaining({ name: 'tools' })],
      },
    ]);
    expect(() => structuredClone(transport.sent)).not.toThrow();
    expect(transport.dispose).toHaveBeenCalledTimes(1);
    expect(transport.terminate).not.toHaveBeenCalled();
  });

  test('a tool_call is answered by its tool', async () => {
    expect(await answerTo(call('call-1', 'add', { x: 2 }))).toEqual({
      type: 'tool_result',
      callId: 'call-1',
      ok: true,
      result: { sum: 4 },
    });
  });

  test('a done without a result is a result of undefined', async () => {
    const transport = new Transport(() => transport.emit('message', done('exec-1')));
    expect(await session(transport)).toStrictEqual({
      ok: true,
      result: undefined,
      logs: [],
      durationMs: 12,
    });
  });
});

describe('Correlation Rules', () => {
  test('messages of other sessions, and what is no message, change nothing', async () => {
    const transport = new Transport(() => {
      for (const message of [
        null,
        'done',
        {},
        done('exec-2', { result: 'other' }),
        { type: 'started', id: 'exec-2' },
        { type: 'done', id: 'exec-1', ok: true },
        { type: 'cancel', id: 'exec-1' },
        done('exec-1', { ok: false, error: 'text' }),
        done('exec-1', { result: 'mine' }),
        done('exec-1', { result: 'second' }),
      ]) {
        transport.emit('message', message);
      }
    });
    expect(await session(transport)).toMatchObject({ ok: true, result: 'mine' });
  });

  test('a call id is answered once', async () => {
    const transport = new Transport((message) => {
      if (message.type === 'execute') {
        transport.emit('message', call('call-1', 'add', { x: 1 }));
        transport.emit('message', call('call-1', 'add', { x: 5 }));
        transport.emit('message', call('call-2', 'add', { x: 2 }));
      }
      if (message.callId === 'call-2') transport.emit('message', done('exec-1'));
    });
    await session(transport);
    expect(transport.sent.slice(1)).toMatchObject([
      { callId: 'call-1', result: { sum: 3 } },
      { callId: 'call-2', result: { sum: 4 } },
    ]);
  });
});

describe('JSON And Trust Boundaries', () => {
  test.each([
    ['a tool that throws', call('c', 'fail', {}), 'tool_error'],
    ['a result that cannot cross', call('c', 'date', {}), 'serialization_error'],
    ['input that does not fit', call('c', 'strict', 5), 'validation_error'],
    ['input that could not have crossed', call('c', 'add', { x: 1n }), 'serialization_error'],
    ['a tool that does not exist', call('c', 'nothing', {}), 'internal_error'],
    ['the name of an inherited property', call('c', 'constructor', {}), 'internal_error'],
    ['another provider', { ...call('c', 'add', {}), providerName: '__proto__' }, 'internal_error'],
  ])('%s is answered with its code', async (_name, toolCall, code) => {
    expect(await answerTo(toolCall)).toMatchObject({ ok: false, error: { code } });
  });

  test.each([
    ['an unknown code', { ok: false, error: { code: 'EVIL', message: 'm' } }, 'internal_error'],
    ['a stable code', { ok: false, error: { code: 'memory_limit', message: 'm' } }, 'memory_limit'],
    ['a result that cannot cross', { result: { a: () => {} } }, 'serialization_error'],
  ])('a done with %s', async (_name, fields, code) => {
    const transport = new Transport(() => transport.emit('message', done('exec-1', fields)));
    expect(await session(transport)).toMatchObject({ ok: false, error: { code } });
  });

  test('logs a runner did not truncate are truncated', async () => {
    const logs = ['12345', '67890', 'abc'];
    const transport = new Transport(() => transport.emit('message', done('exec-1', { logs })));
    const runtimeOptions = { maxLogLines: 2, maxLogChars: 7 };
    expect((await session(transport, { runtimeOptions })).logs).toEqual(['12345', '67']);
  });
});

describe('Cancellation And Failure Semantics', () => {
  const TIMEOUT = { ok: false, error: { code: 'timeout', message: 'Execution timed out' } };

  const startIt = (transport) => transport.emit('message', { type: 'started', id: 'exec-1' });

  test('a runner that never starts is cancelled, then terminated', async () => {
    const transport = new Transport();
    expect(await session(transport, { runtimeOptions: { timeoutMs: 20 } })).toMatchObject(TIMEOUT);
    expect(transport.types).toEqual(['execute', 'cancel']);
    expect(transport.sent[1]).toEqual({ type: 'cancel', id: 'exec-1' });
    expect(transport.terminate).toHaveBeenCalledTimes(1);
    expect(transport.dispose).toHaveBeenCalledTimes(1);
  });

  test('a runner that does not end by itself is cancelled soon after its deadline', async () => {
    const transport = new Transport((message) => {
      if (message.type !== 'execute') return;
      startIt(transport);
      // Saying it again gains no time.
      const again = setInterval(() => startIt(transport), 10);
      transport.dispose.mockImplementation(() => clearInterval(again));
    });
    const start = performance.now();
    expect(await session(transport, { runtimeOptions: { timeoutMs: 20 } })).toMatchObject(TIMEOUT);
    expect(performance.now() - start).toBeGreaterThan(100);
    expect(performance.now() - start).toBeLessThan(2000);
    expect(transport.terminate).toHaveBeenCalledTimes(1);
  });

  test('a runner that ends within the grace is not terminated, and its logs are kept', async () => {
    const transport = new Transport((message) => {
      if (message.type === 'execute') startIt(transport);
      if (message.type === 'cancel') {
        const error = { code: 'timeout', message: 'Execution timed out' };
        transport.emit('message', done('exec-1', { ok: false, error, logs: ['last words'] }));
      }
    });
    expect(await session(transport, { runtimeOptions: { timeoutMs: 20 } })).toMatchObject({
      ...TIMEOUT,
      logs: ['last words'],
      durationMs: 12,
    });
    expect(transport.terminate).not.toHaveBeenCalled();
  });

  test('after the cancellation it is a timeout, whatever the runner says', async () => {
    for (const fields of [
      { result: 'made it' },
      { ok: false, error: { code: 'runtime_error', message: 'mine' } },
    ]) {
      const transport = new Transport((message) => {
        if (message.type === 'cancel') transport.emit('message', done('exec-1', fields));
      });
      const signal = AbortSignal.timeout(10);
      expect(await session(transport, { signal })).toMatchObject(TIMEOUT);
    }
  });

  test('an abort reaches tools at once, and the runner as cancel', async () => {
    const controller = new AbortController();
    let signal;
    const waiting = resolveProvider({
      name: 'tools',
      tools: {
        wait: { execute: (_input, context) => new Promise(() => (signal = context.signal)) },
      },
    });
    const transport = new Transport((message) => {
      if (message.type === 'execute') transport.emit('message', call('c', 'wait', {}));
    });
    const running = session(transport, { signal: controller.signal, providers: [waiting] });
    await until(() => signal !== undefined);
    controller.abort();
    expect(signal.aborted).toBe(true);
    expect(transport.types).toEqual(['execute', 'cancel']);
    expect(await running).toMatchObject(TIMEOUT);
    expect(transport.types).toEqual(['execute', 'cancel']);
    expect(transport.terminate).toHaveBeenCalledTimes(1);
  });

  test('after an abort before the start nothing is sent', async () => {
    const transport = new Transport();
    expect(await session(transport, { signal: AbortSignal.abort() })).toMatchObject(TIMEOUT);
    expect(transport.types).toEqual([]);
    expect(transport.dispose).toHaveBeenCalledTimes(1);
  });

  test('an abort while the execution is sent is followed by cancel', async () => {
    const controller = new AbortController();
    const transport = new Transport();
    const send = transport.send.bind(transport);
    transport.send = (message) => {
      send(message);
      controller.abort();
    };
    expect(await session(transport, { signal: controller.signal })).toMatchObject(TIMEOUT);
    expect(transport.types).toEqual(['execute', 'cancel']);
  });

  test('no answer is sent after the cancellation', async () => {
    const controller = new AbortController();
    const transport = new Transport((message) => {
      if (message.type !== 'execute') return;
      transport.emit('message', call('c', 'hang', {}));
      controller.abort();
      transport.emit('message', call('d', 'add', { x: 1 }));
    });
    await session(transport, { signal: controller.signal });
    expect(transport.types).toEqual(['execute', 'cancel']);
  });

  test.each([
    ['closes', (transport) => transport.emit('close', { code: 25, message: 'gone' }), 'gone'],
    ['closes without a word', (transport) => transport.emit('close'), 'The transport closed'],
    ['fails', (transport) => transport.emit('error', new Error('broken')), 'broken'],
  ])('a transport that %s is an internal_error', async (_name, lose, message) => {
    const transport = new Transport(() => lose(transport));
    expect(await session(transport)).toMatchObject({
      ok: false,
      error: { code: 'internal_error', message },
      logs: [],
    });
    expect(transport.dispose).toHaveBeenCalledTimes(1);
  });

  test('a transport that closes after the cancellation is a timeout', async () => {
    const transport = new Transport((message) => {
      if (message.type === 'cancel') transport.emit('close', { message: 'gone' });
    });
    expect(await session(transport, { signal: AbortSignal.timeout(5) })).toMatchObject(TIMEOUT);
  });

  test('a transport that is closed already', async () => {
    const { transport, close } = createPortPair();
    close();
    expect(await session(transport)).toMatchObject({ error: { code: 'internal_error' } });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no way');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no way'))],
  ])('a send that %s is an internal_error', async (_name, send) => {
    const transport = new Transport();
    transport.send = send;
    expect(await session(transport)).toMatchObject({
      error: { code: 'internal_error', message: 'no way' },
    });
  });

  test('a terminate or dispose that fails changes nothing', async () => {
    const transport = new Transport();
    transport.terminate.mockRejectedValue(new Error('no'));
    transport.dispose.mockRejectedValue(new Error('no'));
    expect(await session(transport, { runtimeOptions: { timeoutMs: 1 } })).toMatchObject(TIMEOUT);
  });

  test('everything is unsubscribed at the end', async () => {
    const controller = new AbortController();
    const remove = jest.spyOn(controller.signal, 'removeEventListener');
    const transport = new Transport(() => transport.emit('message', done('exec-1')));
    await session(transport, { signal: controller.signal });
    expect(Object.values(transport.handlers).map(({ size }) => size)).toEqual([0, 0, 0]);
    expect(remove).toHaveBeenCalledTimes(1);
  });

  test('onSettled has the result first, then the transport is disposed of', async () => {
    const order = [];
    const transport = new Transport(() => transport.emit('message', done('exec-1', { result: 3 })));
    transport.dispose.mockImplementation(() => order.push('dispose'));
    const onSettled = async (result) => {
      order.push(result);
      await null;
      order.push('settled');
    };
    const result = await session(transport, { onSettled });
    await until(() => order.length === 3);
    expect(order).toEqual([result, 'settled', 'dispose']);
    expect(result).toMatchObject({ ok: true, result: 3 });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('mine');
      },
    ],
    ['rejects', () => Promise.reject(new Error('mine'))],
  ])('an onSettled or a dispose that %s changes nothing', async (_name, fail) => {
    const transport = new Transport(() => transport.emit('message', done('exec-1')));
    transport.dispose = jest.fn(fail);
    expect(await session(transport, { onSettled: fail })).toMatchObject({ ok: true });
    await until(() => transport.dispose.mock.calls.length === 1);
  });

  test('an onSettled or a dispose that never ends holds up nobody', async () => {
    const never = () => new Promise(() => {});
    const transport = new Transport(() => transport.emit('message', done('exec-1')));
    transport.dispose.mockImplementation(never);
    expect(await session(transport)).toMatchObject({ ok: true });
    expect(await session(transport, { onSettled: never })).toMatchObject({ ok: true });
  });

  test('the grace after cancel is 25 ms unless another is given', async () => {
    const graceOf = async (options) => {
      const transport = new Transport();
      const start = performance.now();
      let ms;
      transport.terminate.mockImplementation(() => (ms = performance.now() - start));
      const signal = AbortSignal.timeout(1);
      await session(transport, { signal, cancelGraceMs: undefined, ...options });
      return ms;
    };
    expect(await graceOf({})).toBeLessThan(150);
    expect(await graceOf({})).toBeGreaterThan(24);
    expect(await graceOf({ cancelGraceMs: 200 })).toBeGreaterThan(199);
  });
});

test.each([
  ['no transport', { transport: undefined }],
  ['code that is no text', { code: 5 }],
  ['a misspelt option', { timeout: 5 }],
  ['options of another name', { limits: { timeoutMs: 1 } }],
  ['an option of no execution', { runtimeOptions: { timeout: 1 } }],
  ['onSettled that is no function', { onSettled: true }],
  ['a limit out of range', { runtimeOptions: { timeoutMs: -1 } }],
  ['a signal that is none', { signal: {} }],
  ['providers that are not resolved', { providers: [{ tools: {} }] }],
])('%s rejects', async (_name, options) => {
  await expect(session(new Transport(), options)).rejects.toThrow();
});

describe('Minimal Transcript', () => {
  test('both ends together, in one process', async () => {
    const { transport, port, close } = createPortPair();
    const transcript = [];
    const endpoint = attachProtocolEndpoint(
      { ...port, send: (message) => (transcript.push(message.type), port.send(message)) },
      { pool: fixture.pool },
    );
    transport.onMessage(() => {});
    const { send } = transport;
    transport.send = (message) => (transcript.push(message.type), send(message));
    const echo = resolveProvider({ name: 'tools', tools: { echo: { execute: (input) => input } } });
    const result = await session(transport, {
      code: 'await tools.echo({"ok":true})',
      providers: [echo],
    });
    expect(result).toMatchObject({ ok: true, result: { ok: true }, logs: [] });
    expect(transcript).toEqual(['execute', 'started', 'tool_call', 'tool_result', 'done']);
    await endpoint.dispose();
    close();
  });

  test('closing the pair ends the session at both ends', async () => {
    const { transport, port, close } = createPortPair();
    const endpoint = attachProtocolEndpoint(port, { pool: fixture.pool });
    const running = session(transport, { code: 'await tools.hang()' });
    await until(() => fixture.pool.stats().parked === 1);
    close();
    expect(await running).toMatchObject({ error: { code: 'internal_error' } });
    await until(() => fixture.pool.stats().parked === 0);
    await endpoint.dispose();
  });
});
