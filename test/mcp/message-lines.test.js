'use strict';
// What programs write, as messages: whole ones, wherever the pieces end, in time that is linear in them.

const fc = require('fast-check');

const { MessageLines } = require('../../lib/mcp/message-lines.js');

const note = (text) => ({ jsonrpc: '2.0', method: 'note', params: { text } });

/** All messages of some pieces, with the errors of lines that are none. */
function readAll(lines, pieces) {
  const all = [];
  for (const piece of pieces) {
    lines.append(piece);
    for (;;) {
      try {
        const message = lines.readMessage();
        if (message === null) break;
        all.push(message);
      } catch (error) {
        all.push(error.name);
      }
    }
  }
  return all;
}

test('messages are the same however their text is cut', () => {
  const messages = fc.array(fc.string({ unit: 'grapheme' }).map(note), { maxLength: 5 });
  fc.assert(
    fc.property(messages, fc.array(fc.nat({ max: 400 }), { maxLength: 8 }), (sent, cuts) => {
      const text = Buffer.from(sent.map((one) => `${JSON.stringify(one)}\n`).join(''));
      const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b)];
      const pieces = places.map((from, i) => text.subarray(from, places[i + 1]));
      expect(readAll(new MessageLines(2 ** 20), pieces)).toEqual(sent);
    }),
  );
});

test('a line that is no message is an error, and the next one is read', () => {
  const text = `no JSON\n{"a":1}\n${JSON.stringify(note('x'))}\r\n`;
  expect(readAll(new MessageLines(1000), [Buffer.from(text)])).toEqual([
    'SyntaxError',
    'ZodError',
    note('x'),
  ]);
});

test('a message that is too large is an error, and takes no room', () => {
  const lines = new MessageLines(100);
  const piece = Buffer.alloc(60, 'x');
  expect(readAll(lines, [piece])).toEqual([]);
  expect(() => lines.append(piece)).toThrow('a message has more than 100 bytes');
  expect(readAll(lines, [Buffer.from(`\n${JSON.stringify(note(''))}\n`)])).toEqual([
    'SyntaxError',
    note(''),
  ]);
});

test('64 MiB in small pieces take a moment', () => {
  const lines = new MessageLines(2 ** 27);
  const piece = Buffer.alloc(2 ** 14, 'x');
  const pieces = Array.from({ length: 2 ** 12 }, () => piece);
  const start = performance.now();
  const ends = [Buffer.from('{"jsonrpc":"2.0","method":"'), ...pieces, Buffer.from('"}\n')];
  expect(readAll(lines, ends)[0].method).toHaveLength(2 ** 26);
  expect(performance.now() - start).toBeLessThan(5000);
});
