'use strict';

const { positionAt } = require('./text-lines.js');

/**
 * The place of a diagnostic in the text, as V8 would give it. The engine ends lines at LF only, and
 * counts a character of n > 1 UTF-8 bytes as n - 1 columns.
 *
 * @param {string} text what the engine was given
 * @param {import('./swc-engine.js').SwcDiagnostic} diagnostic
 * @returns {{ line: number, column: number }} counted from 1, in UTF-16 units
 */
function locateDiagnostic(text, { startLine = 1, startColumn = 0 }) {
  let offset = 0;
  for (let line = 1; line < startLine; line++) {
    const end = text.indexOf('\n', offset);
    if (end === -1) break;
    offset = end + 1;
  }
  for (let column = 0; column < startColumn && offset < text.length;) {
    const character = String.fromCodePoint(/** @type {number} */ (text.codePointAt(offset)));
    column += Math.max(Buffer.byteLength(character) - 1, 1);
    offset += character.length;
  }
  return positionAt(text, offset);
}

module.exports = { locateDiagnostic };
