'use strict';
// The native reader and the protocol's own validator agree on what is a message, whatever comes and in whatever pieces.

const fc = require('fast-check');

const { isDispatcherMessage } = require('../../lib/protocol/index.js');
const { MessageLines } = require('../../lib/runner/message-lines.js');

/** The messages in some bytes, given in chunks of one size. */
function read(bytes, chunkSize = bytes.length || 1) {
  const messages = [];
  const refused = [];
  const lines = new MessageLines({
    maxLineBytes: 1_000_000,
    onMessage: (message) => messages.push(message),
    onRefusal: (line, reason) => refused.push({ line, reason }),
  });
  for (let at = 0; at < bytes.length; at += chunkSize) {
    lines.push(bytes.subarray(at, at + chunkSize));
  }
  lines.end();
  return { messages, refused };
}

/** Mostly messages, with a field that may be missing, wrong or too many. */
const field = (right) =>
  fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: fc.jsonValue() });
const string = field(fc.string({ unit: 'binary' }));
const number = field(fc.double({ noNaN: true, noDefaultInfinity: true }));
const record = (fields, required = []) =>
  fc.record(fields, { requiredKeys: required }).map((one) => ({ ...one }));
const tool = record({ safeName: string, originalName: string, description: string }, [
  'safeName',
  'originalName',
]);
const provider = record(
  { name: string, types: string, tools: field(fc.dictionary(fc.string(), tool)) },
  ['name', 'types', 'tools'],
);
const limits = record({
  timeoutMs: number,
  memoryLimitBytes: number,
  maxLogLines: number,
  maxLogChars: number,
});
const error = record({ code: string, message: string }, ['code', 'message']);
const type = field(fc.constantFrom('execute', 'cancel', 'tool_result', 'done', '__proto__'));
const message = fc.oneof(
  record(
    {
      type: fc.constant('execute'),
      id: string,
      code: string,
      options: field(limits),
      providers: field(fc.array(provider)),
    },
    ['type', 'id', 'code', 'options', 'providers'],
  ),
  record({ type: fc.constant('cancel'), id: string, extra: fc.jsonValue() }, ['type', 'id']),
  record(
    {
      type: fc.constant('tool_result'),
      callId: string,
      ok: field(fc.boolean()),
      result: fc.jsonValue(),
      error: field(error),
    },
    ['type', 'callId', 'ok'],
  ),
  record({ type, id: string }),
  fc.jsonValue(),
);

test('a line of JSON passes if and only if it is a message, and passes unchanged', () => {
  let passed = 0;
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 5 }),
      fc.integer({ min: 1, max: 40 }),
      (all, size) => {
        const text = all.map((one) => `${JSON.stringify(one)}\n`).join('');
        const { messages, refused } = read(Buffer.from(text), size);
        const expected = all
          .map((one) => JSON.parse(JSON.stringify(one)))
          .filter(isDispatcherMessage);
        expect(messages).toEqual(expected);
        expect(refused).toHaveLength(all.length - expected.length);
        passed += expected.length;
      },
    ),
    { numRuns: 500 },
  );
  expect(passed).toBeGreaterThan(100);
});

test('bytes of any kind neither crash it nor pass as messages they are not', () => {
  const good = '{"type":"cancel","id":"x"}\n';
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.uint8Array({ maxLength: 60 }),
          fc.constant(Buffer.from(good)),
          fc.json().map((text) => Buffer.from(text)),
        ),
        { maxLength: 20 },
      ),
      fc.integer({ min: 1, max: 100 }),
      (parts, size) => {
        const bytes = Buffer.concat(parts);
        const { messages } = read(bytes, size);
        expect(messages).toEqual(read(bytes).messages);
        for (const one of messages) expect(isDispatcherMessage(one)).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test('a damaged message is refused or is still a message', () => {
  const text = '{"type":"tool_result","callId":"c","ok":false,"error":{"code":"é","message":"😀"}}';
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1) {
    for (const byte of [0, 9, 34, 92, 123, 125, 128, 255]) {
      const damaged = Buffer.from(bytes);
      damaged[at] = byte;
      const { messages, refused } = read(damaged);
      expect(messages.length + refused.length).toBe(1);
      const isText = damaged.equals(Buffer.from(damaged.toString('utf8')));
      expect([isText, messages.length]).not.toEqual([false, 1]);
    }
  }
});
