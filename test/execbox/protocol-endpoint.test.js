'use strict';
// The runner's end, message by message. Sections are those of the runner specification.

const {
  attachProtocolEndpoint,
  createPortPair,
  isRunnerMessage,
} = require('../../lib/protocol/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { poolThreads } = require('../support/child-tools.js');
const { usePool } = require('../support/pools.js');
const { sleep, until } = require('../support/time.js');

const fixture = usePool();

const OPTIONS = {
  timeoutMs: 1000,
  memoryLimitBytes: 67108864,
  maxLogLines: 100,
  maxLogChars: 64000,
};

const manifestOf = (...names) => ({
  name: 'tools',
  tools: Object.fromEntries(names.map((name) => [name, { safeName: name, originalName: name }])),
  types: '',
});

/** A port whose host is the test. */
class Port {
  sent = [];
  #handler = (/** @type {any} */ _message) => {};
  close = () => {};
  fail = () => {};

  onMessage(handler) {
    this.#handler = handler;
    return () => (this.#handler = () => {});
  }

  onClose(handler) {
    this.close = handler;
  }

  onError(handler) {
    this.fail = handler;
  }

  send(message) {
    expect(isRunnerMessage(message)).toBe(true);
    this.sent.push(message);
  }

  dispatch(message) {
    this.#handler(message);
  }

  /**
   * @param {string} code
   * @param {{ id?: string, providers?: object[], options?: object }} [parts]
   */
  execute(code, { id = 'exec-1', providers = [], options = OPTIONS } = {}) {
    this.dispatch({ type: 'execute', id, code, options, providers });
  }

  answer(callId, result) {
    this.dispatch({ type: 'tool_result', callId, ok: true, result });
  }

  of(type) {
    return this.sent.filter((message) => message.type === type);
  }

  async first(type, count = 1) {
    await until(() => this.of(type).length >= count);
    return this.of(type)[count - 1];
  }

  get types() {
    return this.sent.map(({ type }) => type);
  }
}

const endpoints = [];

function attach(port = new Port()) {
  endpoints.push(attachProtocolEndpoint(port, { pool: fixture.pool }));
  return port;
}

afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.dispose();
});

describe('State Machine', () => {
  test('started comes first, then done', async () => {
    const port = attach();
    port.execute('1 + 1');
    const done = await port.first('done');
    expect(done).toEqual({
      type: 'done',
      id: 'exec-1',
      ok: true,
      durationMs: expect.any(Number),
      logs: [],
      result: 2,
    });
    expect(port.sent[0]).toEqual({ type: 'started', id: 'exec-1' });
    expect(port.types).toEqual(['started', 'done']);
  });

  test('calls come between the two, each with an id of its own', async () => {
    const port = attach();
    port.execute('const all = await Promise.all([tools.a(1), tools.a(1), tools.b()]); all', {
      providers: [manifestOf('a', 'b')],
    });
    await port.first('tool_call', 3);
    const calls = port.of('tool_call');
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(3);
    expect(
      calls.map(({ providerName, safeToolName, input }) => [providerName, safeToolName, input]),
    ).toEqual([
      ['tools', 'a', 1],
      ['tools', 'a', 1],
      ['tools', 'b', undefined],
    ]);
    // Answered in another order than asked.
    for (const [i, { callId }] of [...calls.entries()].reverse()) port.answer(callId, i * 10);
    expect(await port.first('done')).toMatchObject({ ok: true, result: [0, 10, 20] });
    expect(port.types).toEqual(['started', 'tool_call', 'tool_call', 'tool_call', 'done']);
  });

  test('nothing comes after done', async () => {
    const port = attach();
    port.execute('void tools.a(); console.log("x"); tools.b(); 1', {
      providers: [manifestOf('a', 'b')],
    });
    await port.first('done');
    const count = port.sent.length;
    for (const { callId } of port.of('tool_call')) port.answer(callId, 1);
    port.dispatch({ type: 'cancel', id: 'exec-1' });
    await sleep(50);
    expect(port.sent).toHaveLength(count);
    expect(port.of('done')).toHaveLength(1);
  });

  test.each([
    ['throws', 'throw new Error("x")', 'runtime_error'],
    ['does not compile', '? ?', 'runtime_error'],
    ['cannot give its result', '(1n)', 'serialization_error'],
    ['runs out of time', 'for (;;);', 'timeout'],
  ])('a guest that %s has one done too', async (_name, code, errorCode) => {
    const port = attach();
    port.execute(code);
    const done = await port.first('done');
    expect(done).toMatchObject({ id: 'exec-1', ok: false, error: { code: errorCode } });
    expect('result' in done).toBe(false);
    expect(port.types).toEqual(['started', 'done']);
  });
});

describe('Session Model', () => {
  test('a second execute is refused with a done of its own', async () => {
    const port = attach();
    port.execute('await tools.a()', { providers: [manifestOf('a')] });
    const { callId } = await port.first('tool_call');
    port.execute('2', { id: 'exec-2' });
    expect(port.sent.at(-1)).toMatchObject({
      type: 'done',
      id: 'exec-2',
      ok: false,
      error: { code: 'internal_error' },
      logs: [],
    });
    port.answer(callId, 'first');
    expect(await port.first('done', 2)).toMatchObject({ id: 'exec-1', ok: true, result: 'first' });
    expect(port.of('started')).toHaveLength(1);
  });

  test('a second execute with the active id changes nothing', async () => {
    const port = attach();
    port.execute('await tools.a()', { providers: [manifestOf('a')] });
    const { callId } = await port.first('tool_call');
    port.execute('2');
    port.answer(callId, 'first');
    await port.first('done');
    await sleep(20);
    expect(port.of('done')).toMatchObject([{ id: 'exec-1', result: 'first' }]);
  });

  test('after done the next execute is a new session, and call ids go on', async () => {
    const port = attach();
    port.execute('await tools.a()', { providers: [manifestOf('a')] });
    const first = await port.first('tool_call');
    port.answer(first.callId, 1);
    await port.first('done');
    port.execute('await tools.a()', { id: 'exec-2', providers: [manifestOf('a')] });
    const second = await port.first('tool_call', 2);
    expect(second.callId).not.toBe(first.callId);
    port.answer(first.callId, 'late');
    port.answer(second.callId, 2);
    expect(await port.first('done', 2)).toMatchObject({ id: 'exec-2', result: 2 });
  });

  test('an execute right when done comes is accepted', async () => {
    const port = attach();
    const send = port.send.bind(port);
    port.send = (message) => {
      send(message);
      if (message.type === 'done' && message.id === 'exec-1') port.execute('2', { id: 'exec-2' });
    };
    port.execute('1');
    expect(await port.first('done', 2)).toMatchObject({ id: 'exec-2', ok: true, result: 2 });
  });
});

describe('Guest Namespace Contract', () => {
  test('property names are the safe names, whatever the keys of the manifest are', async () => {
    const port = attach();
    const tools = { key: { safeName: 'scrape_url', originalName: 'scrape-url' } };
    port.execute('[Object.keys(firecrawl), typeof firecrawl.scrape_url]', {
      providers: [{ name: 'firecrawl', tools, types: '' }],
    });
    expect(await port.first('done')).toMatchObject({ result: [['scrape_url'], 'function'] });
  });

  test.each([
    ['the same namespace twice', [manifestOf('a'), manifestOf('b')]],
    ['a namespace no global can have', [{ name: 'undefined', tools: {}, types: '' }]],
  ])('%s is an internal_error', async (_name, providers) => {
    const port = attach();
    port.execute('1', { providers });
    expect(await port.first('done')).toMatchObject({ error: { code: 'internal_error' } });
    expect(port.types).toEqual(['started', 'done']);
  });
});

describe('Tool Call Contract', () => {
  test.each([
    ['a stable code', 'validation_error', 'validation_error'],
    ['an unknown code', 'EVIL', 'tool_error'],
  ])('a failure with %s', async (_name, code, seen) => {
    const port = attach();
    port.execute('await tools.a()', { providers: [manifestOf('a')] });
    const { callId } = await port.first('tool_call');
    const error = { code, message: 'no' };
    port.dispatch({ type: 'tool_result', callId, ok: false, error });
    expect(await port.first('done')).toMatchObject({
      ok: false,
      error: { code: seen, message: 'no' },
    });
  });

  test('the first answer to a call counts', async () => {
    const port = attach();
    port.execute('const a = await tools.a(); [a, await tools.b()]', {
      providers: [manifestOf('a', 'b')],
    });
    const first = await port.first('tool_call');
    port.answer(first.callId, 1);
    port.answer(first.callId, 2);
    const second = await port.first('tool_call', 2);
    port.answer(first.callId, 3);
    port.answer('no-such-call', 4);
    port.answer(second.callId, 5);
    expect(await port.first('done')).toMatchObject({ result: [1, 5] });
  });

  test('a result that JSON left out is undefined', async () => {
    const port = attach();
    port.execute('typeof await tools.a()', { providers: [manifestOf('a')] });
    const { callId } = await port.first('tool_call');
    port.dispatch({ type: 'tool_result', callId, ok: true });
    expect(await port.first('done')).toMatchObject({ result: 'undefined' });
  });

  test('a result that cannot cross is a serialization_error', async () => {
    const port = attach();
    port.execute('await tools.a()', { providers: [manifestOf('a')] });
    const { callId } = await port.first('tool_call');
    port.answer(callId, 1n);
    expect(await port.first('done')).toMatchObject({ error: { code: 'serialization_error' } });
  });

  test('input that cannot cross makes no call', async () => {
    const port = attach();
    port.execute('await tools.a(1n)', { providers: [manifestOf('a')] });
    expect(await port.first('done')).toMatchObject({ error: { code: 'serialization_error' } });
    expect(port.types).toEqual(['started', 'done']);
  });
});

describe('Cancellation And Transport Failure', () => {
  const TIMEOUT = { ok: false, error: { code: 'timeout', message: 'Execution timed out' } };

  test('cancel before the guest has begun', async () => {
    const port = attach();
    port.execute('for (;;);');
    port.dispatch({ type: 'cancel', id: 'exec-1' });
    expect(await port.first('done')).toMatchObject(TIMEOUT);
    expect(port.types).toEqual(['started', 'done']);
  });

  test('cancel while the guest runs', async () => {
    const port = attach();
    port.execute('console.log("on"); await tools.a(); for (;;);', { providers: [manifestOf('a')] });
    const { callId } = await port.first('tool_call');
    port.answer(callId, 1);
    await sleep(30);
    const elapsedMs = startStopwatch();
    port.dispatch({ type: 'cancel', id: 'exec-1' });
    expect(await port.first('done')).toMatchObject({ ...TIMEOUT, logs: ['on'] });
    expect(elapsedMs()).toBeLessThan(800);
  });

  test('cancel while the guest waits for a call', async () => {
    const port = attach();
    port.execute('try { await tools.a() } catch {} for (;;);', { providers: [manifestOf('a')] });
    await port.first('tool_call');
    port.dispatch({ type: 'cancel', id: 'exec-1' });
    port.dispatch({ type: 'cancel', id: 'exec-1' });
    expect(await port.first('done')).toMatchObject(TIMEOUT);
    await sleep(20);
    expect(port.of('done')).toHaveLength(1);
  });

  test('cancel with another id, or for nothing, changes nothing', async () => {
    const port = attach();
    port.dispatch({ type: 'cancel', id: 'exec-1' });
    port.execute('await tools.a()', { providers: [manifestOf('a')] });
    const { callId } = await port.first('tool_call');
    port.dispatch({ type: 'cancel', id: 'exec-0' });
    port.answer(callId, 1);
    expect(await port.first('done')).toMatchObject({ ok: true, result: 1 });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('gone');
      },
    ],
    ['rejects', () => Promise.reject(new Error('gone'))],
  ])('a port that %s ends the session', async (_name, send) => {
    const port = new Port();
    port.send = (message) => (
      port.sent.push(message),
      message.type === 'tool_call' ? send() : undefined
    );
    attach(port);
    port.execute('await tools.a()', {
      providers: [manifestOf('a')],
      options: { timeoutMs: 60_000 },
    });
    await port.first('done');
    expect(port.types).toEqual(['started', 'tool_call', 'done']);
  });

  test.each([
    ['closes', (port) => port.close()],
    ['fails', (port) => port.fail(new Error('reset'))],
  ])('a transport that %s ends the session', async (_name, end) => {
    const port = attach();
    port.execute('await tools.a()', {
      providers: [manifestOf('a')],
      options: { timeoutMs: 60_000 },
    });
    const { callId } = await port.first('tool_call');
    end(port);
    await until(() => fixture.pool.stats().parked === 0);
    port.answer(callId, 1);
    port.execute('1', { id: 'exec-2' });
    await sleep(20);
    expect(port.types).toEqual(['started', 'tool_call']);
    expect(fixture.pool.stats()).toMatchObject({ running: 0, queued: 0 });
  });

  test('a port that is closed already is left at once', async () => {
    const port = new Port();
    port.onClose = (handler) => handler();
    attach(port);
    port.execute('1');
    await sleep(20);
    expect(port.sent).toEqual([]);
  });

  test('closing one end of a pair ends the runner’s pool too, where it made it', async () => {
    await fixture.run({ source: '' });
    const before = poolThreads();
    const pair = createPortPair();
    attachProtocolEndpoint(pair.port);
    await until(() => poolThreads() > before);
    pair.close();
    await until(() => poolThreads() === before);
  });

  test('disposing ends the session without a word', async () => {
    const port = new Port();
    const endpoint = attachProtocolEndpoint(port, { pool: fixture.pool });
    port.execute('await tools.a()', { providers: [manifestOf('a')] });
    await port.first('tool_call');
    await endpoint.dispose();
    await until(() => fixture.pool.stats().parked === 0);
    port.execute('1', { id: 'exec-2' });
    await sleep(20);
    expect(port.types).toEqual(['started', 'tool_call']);
  });
});

describe('Inputs To The Runner', () => {
  test('malformed messages change nothing', async () => {
    const port = attach();
    for (const message of [
      undefined,
      null,
      5,
      'x',
      [],
      {},
      { type: 'execute', id: 'bad' },
      { type: 'x' },
    ]) {
      port.dispatch(message);
    }
    expect(port.sent).toEqual([]);
    port.execute('await tools.a()', { providers: [manifestOf('a')] });
    const { callId } = await port.first('tool_call');
    for (const message of [
      { type: 'tool_result', callId },
      { type: 'tool_result', callId, ok: false },
      { type: 'cancel' },
      { type: 'execute' },
    ]) {
      port.dispatch(message);
    }
    port.answer(callId, 1);
    expect(await port.first('done')).toMatchObject({ ok: true, result: 1 });
  });

  test('limits are those of the message, and the defaults where one is missing', async () => {
    const port = attach();
    const code = 'for (let i = 0; i < 200; i++) console.log("x")';
    port.execute(code, { options: { maxLogLines: 3 } });
    expect((await port.first('done')).logs).toEqual(['x', 'x', 'x']);
    port.execute(code, { id: 'exec-2', options: {} });
    expect((await port.first('done', 2)).logs).toHaveLength(100);
    port.execute('1', {
      id: 'exec-3',
      options: { memoryLimitBytes: 5, timeoutMs: 1e300, maxLogLines: -1 },
    });
    expect(await port.first('done', 3)).toMatchObject({ ok: true, result: 1 });
  });

  test('options of the endpoint are checked', () => {
    expect(() => attachProtocolEndpoint(/** @type {any} */ ({}))).toThrow(TypeError);
    expect(() => attachProtocolEndpoint(new Port(), /** @type {any} */ ({ pools: 1 }))).toThrow(
      TypeError,
    );
  });

  test('an endpoint without a pool has one of its own', async () => {
    const port = new Port();
    const endpoint = attachProtocolEndpoint(port);
    port.execute('6 * 7');
    expect(await port.first('done')).toMatchObject({ result: 42 });
    await endpoint.dispose();
  });
});

describe('Minimal transcripts', () => {
  // Over JSON, as lines: what the specification shows, but for the duration and the ids of calls.
  const lines = (port) =>
    port.sent.map((message) =>
      JSON.stringify(message)
        .replace(/"durationMs":[\d.e-]+/, '"durationMs":0')
        .replace(/"callId":"[^"]+"/, '"callId":"call"'),
    );
  const dispatchLine = (port, line) => port.dispatch(JSON.parse(line));

  test('success', async () => {
    const port = attach();
    dispatchLine(
      port,
      '{"type":"execute","id":"exec-1","code":"const value = await tools.echo({\\"ok\\":true}); value.ok","options":{"timeoutMs":1000,"memoryLimitBytes":67108864,"maxLogLines":100,"maxLogChars":64000},"providers":[{"name":"tools","tools":{"echo":{"safeName":"echo","originalName":"echo","description":"Echo input"}},"types":"declare namespace tools { ... }"}]}',
    );
    const { callId } = await port.first('tool_call');
    dispatchLine(
      port,
      `{"type":"tool_result","callId":"${callId}","ok":true,"result":{"ok":true}}`,
    );
    await port.first('done');
    expect(lines(port)).toEqual([
      '{"type":"started","id":"exec-1"}',
      '{"type":"tool_call","callId":"call","providerName":"tools","safeToolName":"echo","input":{"ok":true}}',
      '{"type":"done","id":"exec-1","ok":true,"durationMs":0,"logs":[],"result":true}',
    ]);
  });

  test('cancellation', async () => {
    const port = attach();
    dispatchLine(
      port,
      '{"type":"execute","id":"exec-2","code":"await tools.hang({})","options":{"timeoutMs":1000,"memoryLimitBytes":67108864,"maxLogLines":100,"maxLogChars":64000},"providers":[{"name":"tools","tools":{"hang":{"safeName":"hang","originalName":"hang"}},"types":"declare namespace tools { ... }"}]}',
    );
    await port.first('tool_call');
    dispatchLine(port, '{"type":"cancel","id":"exec-2"}');
    await port.first('done');
    expect(lines(port)).toEqual([
      '{"type":"started","id":"exec-2"}',
      '{"type":"tool_call","callId":"call","providerName":"tools","safeToolName":"hang","input":{}}',
      '{"type":"done","id":"exec-2","ok":false,"durationMs":0,"logs":[],"error":{"code":"timeout","message":"Execution timed out"}}',
    ]);
  });
});
