'use strict';

const fc = require('fast-check');

const {
  composeMaps,
  identityMap,
  positionMapFromJSON,
  shiftMap,
  sourceMap,
} = require('../../lib/source/position-map.js');
const { applyEdits, insertAt } = require('../../lib/source/text-edits.js');
const { findPlace } = require('./support/find-place.js');

const PRINTED = JSON.stringify({
  version: 3,
  sources: ['a.ts'],
  names: [],
  // Line 1 has nothing; line 2 maps column 4 to 3:5 of the source; line 4 is helper code.
  mappings: ';IAEI;;;',
});

test('text that nothing was done to has its own positions', () => {
  expect(identityMap.original(3, 7)).toEqual({ line: 3, column: 7 });
});

test('an insertion moves what follows on its line and nothing else', () => {
  const { code, map } = applyEdits('aa bb\ncc', [insertAt(3, 'return ')]);
  expect(code).toBe('aa return bb\ncc');
  expect(map.original(1, 1)).toEqual({ line: 1, column: 1 });
  expect(map.original(1, 11)).toEqual({ line: 1, column: 4 });
  expect(map.original(2, 2)).toEqual({ line: 2, column: 2 });
});

test('a position inside inserted text is the place of the insertion', () => {
  const { map } = applyEdits('aa bb', [insertAt(3, 'return ')]);
  expect(map.original(1, 6)).toEqual({ line: 1, column: 4 });
});

test('a replacement moves what follows by the difference', () => {
  const { code, map } = applyEdits('export default x', [
    { start: 7, end: 14, text: 'const value=' },
  ]);
  expect(code).toBe('export const value= x');
  expect(map.original(1, 21)).toEqual({ line: 1, column: 16 });
});

test('a removal at the start of a line is added again', () => {
  expect(shiftMap([[1, 1, 10, 0]]).original(1, 3)).toEqual({ line: 1, column: 13 });
});

test('a source map gives the nearest position it knows', () => {
  const map = sourceMap(PRINTED);
  expect(map.original(2, 5)).toEqual({ line: 3, column: 5 });
  expect(map.original(2, 40)).toEqual({ line: 3, column: 5 });
  expect(map.original(2, 1)).toEqual({ line: 3, column: 5 });
  expect(map.original(4, 9)).toEqual({ line: 3, column: 5 });
  expect(map.original(1, 1)).toEqual({ line: 1, column: 1 });
});

test('composed maps go back through the steps in turn', () => {
  const map = composeMaps(shiftMap([[3, 1, 0, 2]]), sourceMap(PRINTED), shiftMap([[2, 1, 0, 7]]));
  expect(map.original(2, 12)).toEqual({ line: 3, column: 3 });
});

test('every kind of map survives being sent to another thread', () => {
  const map = composeMaps(shiftMap([[3, 1, 0, 2]]), sourceMap(PRINTED), shiftMap([[2, 1, 0, 7]]));
  for (const kind of [identityMap, shiftMap([[1, 2, 3, 4]]), sourceMap(PRINTED), map]) {
    const copy = positionMapFromJSON(structuredClone(kind.toJSON()));
    for (const [line, column] of [
      [1, 1],
      [2, 12],
      [3, 9],
    ]) {
      expect(copy.original(line, column)).toEqual(kind.original(line, column));
    }
  }
});

test('whatever is inserted, every word is mapped to where it stood', () => {
  const words = fc.array(fc.constantFrom('a', 'bb', '\n', ' ', '\r\n', 'é😀'), { maxLength: 30 });
  const insertion = fc.tuple(fc.nat(100), fc.constantFrom('x', 'return ', '(', ')()'));
  fc.assert(
    fc.property(
      words,
      words,
      fc.array(insertion, { maxLength: 6 }),
      (before, after, insertions) => {
        const text = `${before.join('')}@${after.join('')}`;
        const edits = insertions.map(([at, added]) => insertAt(at % (text.length + 1), added));
        const whole = edits.filter(({ start }) => !isInsideLineBreak(text, start));
        const { code, map } = applyEdits(text, whole);
        const { line, column } = findPlace(code, '@');
        expect(map.original(line, column)).toEqual(findPlace(text, '@'));
      },
    ),
  );
});

/**
 * @param {string} text
 * @param {number} offset
 */
function isInsideLineBreak(text, offset) {
  return text[offset - 1] === '\r' && text[offset] === '\n';
}
