'use strict';
// The executor over transports of its caller's, here to endpoints in this process.

const {
  RemoteExecutor,
  attachProtocolEndpoint,
  createPortPair,
} = require('../../lib/protocol/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { usePool } = require('../support/pools.js');
const { describeExecutorContract, toolsOf } = require('./contract.js');

const fixture = usePool();

/** A connection to a runner of its own, which ends with it. */
function connect(seen = { disposed: 0 }) {
  const { transport, port, close } = createPortPair();
  attachProtocolEndpoint(port, { pool: fixture.pool });
  const dispose = () => {
    seen.disposed++;
    close();
  };
  return { ...transport, dispose };
}

const TIMEOUT = { ok: false, error: { code: 'timeout', message: 'Execution timed out' } };

describe('contract', () => {
  describeExecutorContract((options) =>
    Object.assign(new RemoteExecutor({ ...options, connectTransport: () => connect() }), {
      dispose: async () => {},
    }),
  );
});

test('every execution has a connection of its own, which is disposed of', async () => {
  const seen = { disposed: 0 };
  const connectTransport = jest.fn(async () => connect(seen));
  const executor = new RemoteExecutor({ connectTransport });
  const results = await Promise.all(['1', '2'].map((code) => executor.execute(code, [])));
  expect(results).toMatchObject([{ result: 1 }, { result: 2 }]);
  expect(connectTransport).toHaveBeenCalledTimes(2);
  expect(seen.disposed).toBe(2);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no route');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no route'))],
])('a connection that %s is an internal_error', async (_name, connectTransport) => {
  const executor = new RemoteExecutor({ connectTransport });
  expect(await executor.execute('1', [])).toEqual({
    ok: false,
    error: { code: 'internal_error', message: 'no route' },
    logs: [],
    durationMs: 0,
  });
});

test('what is no transport is an internal_error', async () => {
  const executor = new RemoteExecutor({ connectTransport: () => /** @type {any} */ ({}) });
  expect(await executor.execute('1', [])).toMatchObject({
    error: { code: 'internal_error', message: 'session.transport must have send()' },
  });
});

test('limits of a call override those of the executor', async () => {
  const executor = new RemoteExecutor({ connectTransport: () => connect(), maxLogLines: 1 });
  const code = 'console.log(1); console.log(2)';
  expect((await executor.execute(code, [])).logs).toEqual(['1']);
  expect((await executor.execute(code, [], { maxLogLines: 5 })).logs).toEqual(['1', '2']);
});

test('after an abort nobody connects, and one that connects late is disposed of', async () => {
  const connectTransport = jest.fn(() => connect());
  const eager = new RemoteExecutor({ connectTransport });
  expect(await eager.execute('1', [], { signal: AbortSignal.abort() })).toMatchObject(TIMEOUT);
  expect(connectTransport).not.toHaveBeenCalled();

  const seen = { disposed: 0 };
  let arrive = (/** @type {any} */ _transport) => {};
  const arrival = new Promise((resolve) => (arrive = resolve));
  const slow = new RemoteExecutor({ connectTransport: () => arrival });
  const elapsedMs = startStopwatch();
  expect(await slow.execute('1', [], { signal: AbortSignal.timeout(10) })).toMatchObject(TIMEOUT);
  expect(elapsedMs()).toBeLessThan(1000);
  arrive(connect(seen));
  await arrival;
  await null;
  expect(seen.disposed).toBe(1);
});

test('a runner that does not end is terminated after the grace', async () => {
  const terminate = jest.fn();
  const deaf = { send() {}, onMessage() {}, terminate };
  const executor = new RemoteExecutor({ connectTransport: () => deaf, cancelGraceMs: 5 });
  const signal = AbortSignal.timeout(5);
  expect(await executor.execute('1', [toolsOf({})], { signal })).toMatchObject(TIMEOUT);
  expect(terminate).toHaveBeenCalledTimes(1);
});

test.each([
  ['nothing', undefined],
  ['no way to connect', { timeoutMs: 5 }],
  ['a transport in the place of its maker', { connectTransport: createPortPair().transport }],
  ['a misspelt option', { connectTransport: connect, timeout: 5 }],
  ['a grace below zero', { connectTransport: connect, cancelGraceMs: -1 }],
])('%s is refused', (_name, /** @type {any} */ options) => {
  expect(() => new RemoteExecutor(options)).toThrow(/options/);
});
