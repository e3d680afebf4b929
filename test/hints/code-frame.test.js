'use strict';
// The frame around a place in a guest's code.

const { codeFrame, placeOfName } = require('../../lib/hints/code-frame.js');

test.each([
  [
    'every kind of line end',
    'a\r\nb\nc\rd\u2028e\u2029f',
    4,
    ['  2 | b', '  3 | c', '> 4 | d', '    | ^', '  5 | e'],
  ],
  ['the first line', 'a\n', 1, ['> 1 | a', '    | ^', '  2 |']],
  ['the last line', 'a\nb', 2, ['  1 | a', '> 2 | b', '    | ^']],
  ['an empty last line', 'a\n', 2, ['  1 | a', '> 2 |', '    | ^']],
])('shows %s', (_name, source, line, expected) => {
  expect(codeFrame(source, line, 1)?.split('\n')).toEqual(expected);
});

test('there is none for a line that is not there', () => {
  expect(codeFrame('a\nb', 3, 1)).toBe(undefined);
});

test('finds a name on its line', () => {
  const at = { line: 2, column: 1 };
  expect(placeOfName('x\nlet y = nope', at, 'nope is not defined')).toEqual({ line: 2, column: 9 });
});

test('a source of a million lines costs a fraction of matching its line ends', () => {
  const source = '\n'.repeat(1e6);
  const fastest = (act) =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const start = performance.now();
        act();
        return performance.now() - start;
      }),
    );
  const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;
  const matching = fastest(() => {
    while (lineEnd.exec(source) !== null);
  });
  expect(fastest(() => codeFrame(source, 1e6, 1))).toBeLessThan(matching / 2);
});
