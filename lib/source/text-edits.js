'use strict';

/**
 * Small edits of a text, with the map back to it.
 *
 * @typedef {{ start: number, end: number, text: string }} TextEdit Replaces [start, end) by `text`;
 *   neither side may hold a line break, so that lines stay what they are.
 */

const { positionAt } = require('./text-lines.js');
const { shiftMap } = require('./position-map.js');

/**
 * @param {number} offset
 * @param {string} text
 * @returns {TextEdit}
 */
function insertAt(offset, text) {
  return { start: offset, end: offset, text };
}

/**
 * @param {string} source
 * @param {TextEdit[]} edits not overlapping; several at one place apply in the given order
 * @returns {{ code: string, map: import('./position-map.js').PositionMap }}
 */
function applyEdits(source, edits) {
  const ordered = [...edits].sort((a, b) => a.start - b.start);
  /** @type {import('./position-map.js').ColumnShift[]} */
  const shifts = [];
  let code = '';
  let done = 0;
  for (const { start, end, text } of ordered) {
    code += source.slice(done, start) + text;
    done = end;
    const { line, column } = positionAt(source, start);
    shifts.push([line, column, end - start, text.length]);
  }
  return { code: code + source.slice(done), map: shiftMap(shifts) };
}

module.exports = { applyEdits, insertAt };
