'use strict';

const { isColourful, printable } = require('../../lib/cli/terminal.js');

const terminal = { isTTY: true };
const pipe = {};
const { env } = process;

afterEach(() => {
  process.env = env;
});

test.each([
  [terminal, {}, true],
  [terminal, { TERM: 'dumb' }, false],
  [terminal, { NO_COLOR: '1' }, false],
  [terminal, { NO_COLOR: '' }, true],
  [pipe, {}, false],
  [pipe, { FORCE_COLOR: '1' }, true],
  [terminal, { FORCE_COLOR: '0' }, false],
  [pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
])('colours on %j with %j: %s', (stream, variables, expected) => {
  process.env = { ...variables };
  expect(isColourful(stream)).toBe(expected);
});

test("a guest's control characters do nothing to a terminal, and are left alone elsewhere", () => {
  const text = 'a\x1b[2J\x1b]0;owned\x07\x9b31mb\r\n\tü😀\x7f';
  expect(printable(text, terminal)).toBe('a\\x1b[2J\\x1b]0;owned\\x07\\x9b31mb\\x0d\n\tü😀\\x7f');
  expect(printable(text, pipe)).toBe(text);
});
