'use strict';

const { stripTypes } = require('./swc-engine.js');

/** Characters whose width on a terminal is not their length. */
const UNEVEN = /[^\x20-\x7e\r\n]/g;
const LINE_SEPARATORS = '\u2028\u2029';

/**
 * The place of a diagnostic in the text. The engine counts columns as a
 * terminal shows them, with tabs of four and wide characters of two or three. So text that is not
 * all plain is read once more with plain stand-ins, where columns are what they should be.
 *
 * @param {string} text what the engine was given
 * @param {import('./swc-engine.js').SwcDiagnostic} diagnostic
 * @param {{ isModule: boolean }} options with which it was given
 * @returns {number} its offset in the text
 */
function locateDiagnostic(text, diagnostic, options) {
  const plain = text.replace(UNEVEN, standIn);
  const again = plain === text ? null : stripTypes(plain, options).diagnostic;
  return offsetOf(plain, again?.code === diagnostic.code ? again : diagnostic);
}

/**
 * @param {string} character
 * @returns {string} one that means as much to a parser and takes as many UTF-16 units
 */
function standIn(character) {
  if (LINE_SEPARATORS.includes(character)) return '\n';
  return /\s/.test(character) ? ' ' : 'x';
}

/**
 * @param {string} text
 * @param {import('./swc-engine.js').SwcDiagnostic} diagnostic
 * @returns {number}
 */
function offsetOf(text, { startLine = 1, startColumn = 0 }) {
  let lineStart = 0;
  for (let line = 1; line < startLine; line++) {
    const end = text.indexOf('\n', lineStart);
    if (end === -1) break;
    lineStart = end + 1;
  }
  const lineEnd = text.indexOf('\n', lineStart);
  return Math.min(lineStart + startColumn, lineEnd === -1 ? text.length : lineEnd);
}

module.exports = { locateDiagnostic };
