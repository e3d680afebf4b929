'use strict';
// Connections that end, stutter or lie in the middle of an execution.

const { fork } = require('node:child_process');
const path = require('node:path');

const {
  attachProtocolEndpoint,
  createPortPair,
  runHostTransportSession,
} = require('../../lib/protocol/index.js');
const { toolsOf } = require('../execbox/contract.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');
const { sleep, until } = require('../support/time.js');

disposeAfterEach();

/** @typedef {ReturnType<typeof createPortPair>} Pair */

const CODE = 'let n = 0; for (let i = 0; i < 3; i++) n += await tools.ping(); console.log(n); n';
const tools = () => toolsOf({ ping: () => sleep(1).then(() => 1) });

/**
 * A session between a host and a runner in this process, with a hand in every message.
 *
 * @param {{
 *   onSend?: (pass: () => void, n: number, pair: Pair) => void,
 *   onReceive?: (pass: () => void, n: number, pair: Pair, message: any, handler: (message: any) => void) => void,
 * }} [hands]
 */
function openSession({ onSend = (pass) => pass(), onReceive = (pass) => pass() } = {}) {
  const pool = openPool({ threads: 2 });
  const pair = createPortPair();
  const endpoint = attachProtocolEndpoint(pair.port, { pool });
  const counts = { sent: 0, received: 0, disposed: 0, terminated: 0 };
  let answers = 0;
  const transport = {
    ...pair.transport,
    send: (message) => onSend(() => pair.transport.send(message), ++counts.sent, pair),
    onMessage: (handler) =>
      pair.transport.onMessage((message) =>
        onReceive(() => handler(message), ++counts.received, pair, message, handler),
      ),
    terminate: () => {
      counts.terminated++;
      pair.close();
    },
    dispose: () => void counts.disposed++,
  };
  const result = runHostTransportSession({
    transport,
    code: CODE,
    providers: [tools()],
    runtimeOptions: { timeoutMs: 700 },
    cancelGraceMs: 50,
  }).then((one) => (answers++, one));
  const finish = async () => {
    const answer = await result;
    await sleep(20);
    expect(answers).toBe(1);
    expect(counts.disposed).toBe(1);
    await endpoint.dispose();
    // The runner's side holds nothing either.
    await until(() => pool.stats().running === 0 && pool.stats().parked === 0);
    return answer;
  };
  return { finish, counts };
}

test('undisturbed, it works', async () => {
  expect(await openSession().finish()).toMatchObject({ ok: true, result: 3, logs: ['3'] });
});

// started, three calls and done come in; execute and three results go out.
describe.each([1, 2, 3, 4])('at message %i of the host,', (at) => {
  test.each([
    ['the connection closes', (_pass, pair) => pair.close()],
    [
      'sending throws',
      () => {
        throw new Error('broken pipe');
      },
    ],
    ['sending rejects', () => Promise.reject(new Error('broken pipe'))],
  ])('%s: the caller gets its one answer', async (_name, act) => {
    const onSend = (pass, n, pair) => (n === at ? act(pass, pair) : pass());
    const answer = await openSession({ onSend }).finish();
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal_error' } });
  });

  test('the message is lost: the deadline answers', async () => {
    const onSend = (pass, n) => (n === at ? undefined : pass());
    const answer = await openSession({ onSend }).finish();
    expect(answer.ok).toBe(false);
    expect(['timeout', 'internal_error']).toContain(answer.error?.code);
  });

  test('the message comes twice: it counts once', async () => {
    const onSend = (pass, n) => (n === at ? (pass(), pass()) : pass());
    const answer = await openSession({ onSend }).finish();
    expect(answer).toMatchObject({ ok: true, result: 3 });
  });
});

describe.each([1, 2, 3, 4, 5])('at message %i of the runner,', (at) => {
  test('the connection closes: the caller gets its one answer', async () => {
    const onReceive = (pass, n, pair) => (n === at ? pair.close() : pass());
    const answer = await openSession({ onReceive }).finish();
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal_error' } });
  });

  test('the message is lost: the deadline answers', async () => {
    const onReceive = (pass, n) => (n === at ? undefined : pass());
    const answer = await openSession({ onReceive }).finish();
    if (at > 1 || !answer.ok) expect(['timeout', 'internal_error']).toContain(answer.error?.code);
  });

  test('the message comes twice: the caller has one answer', async () => {
    const onReceive = (pass, n) => (n === at ? (pass(), pass()) : pass());
    const answer = await openSession({ onReceive }).finish();
    expect(answer).toMatchObject({ ok: true, result: 3 });
  });

  test.each([
    ['half a message', (message) => Object.fromEntries(Object.entries(message).slice(0, 1))],
    ['null', () => null],
    ['a text', () => '{"type":"done"'],
    ['another type', (message) => ({ ...message, type: 'exit' })],
    ['another execution', (message) => ({ ...message, executionId: 'another', id: 'another' })],
    [
      'parts of other kinds',
      (message) => ({ ...message, logs: 7, callId: {}, ok: 'yes', name: [] }),
    ],
  ])('there comes %s in its place: the caller gets its one answer', async (_name, spoil) => {
    const onReceive = (pass, n, _pair, message, handler) =>
      n === at ? handler(spoil(message)) : pass();
    const answer = await openSession({ onReceive }).finish();
    if (!answer.ok) expect(['timeout', 'internal_error']).toContain(answer.error.code);
  });
});

test('a process that dies in the middle of a message: the caller gets its one answer', async () => {
  const child = fork(path.join(__dirname, 'half-a-message.js'), [], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  let answers = 0;
  const answer = await runHostTransportSession({
    transport: {
      send: (message) => void child.send(message, () => {}),
      onMessage: (handler) => void child.on('message', handler),
      onClose: (handler) =>
        void child.on('exit', (code, signal) => handler({ message: 'gone', code, signal })),
      terminate: () => void child.kill('SIGKILL'),
    },
    code: CODE,
    providers: [tools()],
    runtimeOptions: { timeoutMs: 5000 },
  }).then((one) => (answers++, one));
  await sleep(50);
  expect(answer).toMatchObject({ ok: false, error: { code: 'internal_error' } });
  expect(answers).toBe(1);
});
