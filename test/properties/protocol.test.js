'use strict';
// Whatever comes over the wire: it is a message or it is not, every execution has its one end, and nothing throws.

const fc = require('fast-check');

const {
  attachProtocolEndpoint,
  isDispatcherMessage,
  isRunnerMessage,
  runHostTransportSession,
} = require('../../lib/protocol/index.js');
const { toolsOf } = require('../execbox/contract.js');
const { usePool } = require('../support/pools.js');
const { sleep, until } = require('../support/time.js');

const shared = usePool();

const anyId = fc.constantFrom('e1', 'e2', '', '__proto__');
const anyCode = fc.constantFrom(
  '1 + 1',
  'await tools.ping()',
  'throw new Error("x")',
  'let x = ;',
  'for (;;) {}',
  'await new Promise(() => {})',
);
const anyError = fc.record({
  code: fc.constantFrom('tool_error', 'nonsense', ''),
  message: fc.string(),
});
const anyOptions = fc.record({ timeoutMs: fc.constantFrom(20, 50) });
const providers = [
  { name: 'tools', types: '', tools: { ping: { safeName: 'ping', originalName: 'ping' } } },
];

const toRunner = fc.oneof(
  fc.record({
    type: fc.constant('execute'),
    id: anyId,
    code: anyCode,
    options: anyOptions,
    providers: fc.constant(providers),
  }),
  fc.record({ type: fc.constant('cancel'), id: anyId }),
  fc.record({
    type: fc.constant('tool_result'),
    callId: anyId,
    ok: fc.constant(true),
    result: fc.jsonValue(),
  }),
  fc.record({
    type: fc.constant('tool_result'),
    callId: anyId,
    ok: fc.constant(false),
    error: anyError,
  }),
);

const toHost = fc.oneof(
  fc.record({ type: fc.constant('started'), id: anyId }),
  fc.record({
    type: fc.constant('tool_call'),
    callId: anyId,
    providerName: fc.constantFrom('tools', 'none', '__proto__', 'constructor'),
    safeToolName: fc.constantFrom('ping', 'fail', 'none', '__proto__', 'toString'),
    input: fc.jsonValue(),
  }),
  fc.record({
    type: fc.constant('done'),
    id: anyId,
    ok: fc.constant(true),
    durationMs: fc.double({ noNaN: true, noDefaultInfinity: true }),
    logs: fc.array(fc.string(), { maxLength: 3 }),
    result: fc.jsonValue(),
  }),
  fc.record({
    type: fc.constant('done'),
    id: anyId,
    ok: fc.constant(false),
    durationMs: fc.constant(1),
    logs: fc.constant([]),
    error: anyError,
  }),
);

/** A message, or one with a field gone or of another kind. */
const spoiled = (/** @type {fc.Arbitrary<any>} */ message) =>
  fc
    .tuple(message, fc.nat(), fc.anything({ maxDepth: 1 }), fc.boolean())
    .map(([whole, n, odd, isGone]) => {
      const keys = Object.keys(whole);
      const key = keys[n % keys.length];
      const { [key]: _gone, ...rest } = whole;
      return isGone ? rest : { ...rest, [key]: odd };
    });

const mostly = (message) =>
  fc.oneof(
    { weight: 6, arbitrary: message },
    { weight: 2, arbitrary: spoiled(message) },
    { weight: 1, arbitrary: fc.anything({ maxDepth: 2 }) },
  );

test('every well-formed message is one, in its own direction only', () => {
  fc.assert(
    fc.property(toRunner, toHost, (down, up) => {
      expect([isDispatcherMessage(down), isRunnerMessage(down)]).toEqual([true, false]);
      expect([isDispatcherMessage(up), isRunnerMessage(up)]).toEqual([false, true]);
    }),
  );
});

test('telling whether something is a message never throws', () => {
  fc.assert(
    fc.property(fc.oneof(mostly(toRunner), mostly(toHost)), (value) => {
      for (const is of [isDispatcherMessage, isRunnerMessage]) {
        expect(typeof is(value)).toBe('boolean');
      }
    }),
    { numRuns: 2000 },
  );
});

test('a runner answers each execution that it accepts once, whatever it is sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(mostly(toRunner), { maxLength: 12 }), async (messages) => {
      const sent = [];
      let receive = (/** @type {any} */ _message) => {};
      const endpoint = attachProtocolEndpoint(
        {
          onMessage: (handler) => void (receive = handler),
          send: (message) => void sent.push(message),
        },
        { pool: shared.pool },
      );
      const accepted = [];
      for (const [i, message] of messages.entries()) {
        if (isDispatcherMessage(message) && message.type === 'execute') {
          // One that bears the id of the active execution is taken for a repetition of it.
          message.id += i;
          accepted.push(message.id);
        }
        receive(message);
        if (messages.length % 2) await null;
      }
      const ended = () => sent.flatMap(({ type, id }) => (type === 'done' ? [id] : []));
      // One whose options name no time has the default of 5 s.
      await until(() => ended().length >= accepted.length, 10_000);
      await sleep(1);
      expect(ended().sort()).toEqual(accepted.sort());
      expect(sent.every(isRunnerMessage)).toBe(true);
      await endpoint.dispose();
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('a host’s session settles once, whatever its runner sends', async () => {
  const tools = toolsOf({
    ping: () => 1,
    fail: () => {
      throw new Error('no');
    },
  });
  await fc.assert(
    fc.asyncProperty(fc.array(mostly(toHost), { maxLength: 10 }), async (messages) => {
      let receive = (/** @type {any} */ _message) => {};
      let close = (/** @type {any} */ _reason) => {};
      const sent = [];
      let answers = 0;
      const result = runHostTransportSession({
        transport: {
          send: (message) => void sent.push(message),
          onMessage: (handler) => void (receive = handler),
          onClose: (handler) => void (close = handler),
        },
        code: '1',
        providers: [tools],
        executionId: 'e1',
        runtimeOptions: { timeoutMs: 1000 },
        cancelGraceMs: 10,
      }).then((one) => (answers++, one));
      await null;
      for (const message of messages) {
        receive(message);
        await null;
      }
      close({ message: 'gone' });
      const { ok, error, logs } = await result;
      await sleep(1);
      expect(answers).toBe(1);
      expect(typeof ok).toBe('boolean');
      expect(logs.every((line) => typeof line === 'string')).toBe(true);
      if (!ok) expect(typeof error.message).toBe('string');
      expect(sent.every(isDispatcherMessage)).toBe(true);
    }),
    { numRuns: 200 },
  );
}, 60_000);
