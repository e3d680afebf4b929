'use strict';

/**
 * Lines and columns of a text as V8 counts them: from 1, in UTF-16 units, with every ECMAScript
 * line terminator ending a line and CR LF as one.
 */

const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;
const NOT_LINE_ENDS = /[^\n\r\u2028\u2029]+/g;

/**
 * @param {string} text
 * @param {number} offset
 * @returns {{ line: number, column: number }}
 */
function positionAt(text, offset) {
  let line = 1;
  let lineStart = 0;
  LINE_END.lastIndex = 0;
  for (
    let end = LINE_END.exec(text);
    end !== null && LINE_END.lastIndex <= offset;
    end = LINE_END.exec(text)
  ) {
    line++;
    lineStart = LINE_END.lastIndex;
  }
  return { line, column: offset - lineStart + 1 };
}

/**
 * As many characters as the given text has, all blanks but for its line breaks: whatever follows
 * keeps its position.
 *
 * @param {string} text
 * @returns {string}
 */
function blanksFor(text) {
  return text.replace(NOT_LINE_ENDS, (run) => ' '.repeat(run.length));
}

/**
 * @param {string} text
 * @param {{ start: number, end: number, fill?: (text: string) => string }[]} ranges in order, not
 *   overlapping; `fill` gives what replaces the range, by default blanks
 * @returns {string}
 */
function blankRanges(text, ranges) {
  const pieces = [];
  let done = 0;
  for (const { start, end, fill = blanksFor } of ranges) {
    pieces.push(text.slice(done, start), fill(text.slice(start, end)));
    done = end;
  }
  return pieces.join('') + text.slice(done);
}

module.exports = { positionAt, blanksFor, blankRanges };
