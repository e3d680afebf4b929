'use strict';
// The lines around a place in somebody's code, with a mark at the column.

const LINES_BEFORE = 2;
const LINES_AFTER = 1;
const MAX_LINE_CHARS = 160;

/**
 * @param {string} source
 * @param {number} line counted from 1
 * @param {number} column counted from 1
 * @returns {string | undefined} undefined when the source has no such line
 */
function codeFrame(source, line, column) {
  const first = Math.max(1, line - LINES_BEFORE);
  const lines = linesOf(source, first, line + LINES_AFTER);
  if (lines.length <= line - first) return undefined;
  const width = String(first + lines.length - 1).length;
  // A long line is shown from a little before the column on.
  const skipped = column > MAX_LINE_CHARS ? column - MAX_LINE_CHARS / 2 : 0;
  return lines
    .flatMap((text, i) => {
      const number = String(first + i).padStart(width);
      const isMarked = first + i === line;
      const shown = text.slice(skipped, skipped + MAX_LINE_CHARS);
      const row = `${isMarked ? '>' : ' '} ${number} | ${shown}`.trimEnd();
      if (!isMarked) return [row];
      return [row, `  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1 - skipped))}^`];
    })
    .join('\n');
}

/**
 * @param {string} source
 * @param {number} first
 * @param {number} last
 * @returns {string[]} those of the lines that there are
 */
function linesOf(source, first, last) {
  const lines = [];
  let start = 0;
  for (let number = 1; number <= last; number++) {
    const end = lineEnd(source, start);
    if (number >= first) lines.push(source.slice(start, end));
    if (end === source.length) break;
    start = end + (source.startsWith('\r\n', end) ? 2 : 1);
  }
  return lines;
}

/**
 * A guest's source may have a million lines: a regular expression takes ten times as long.
 *
 * @param {string} source
 * @param {number} start
 * @returns {number} where the line ends
 */
function lineEnd(source, start) {
  for (let at = start; at < source.length; at++) {
    const unit = source.charCodeAt(at);
    if (unit === 10 || unit === 13 || unit === 0x2028 || unit === 0x2029) return at;
  }
  return source.length;
}

/**
 * V8 places a name that is not defined at the beginning of its statement.
 *
 * @param {string} source
 * @param {{ line: number, column: number }} at
 * @param {string} message
 * @returns {{ line: number, column: number }} where the name itself is, if it is on that line
 */
function placeOfName(source, at, message) {
  const name = /^([\w$]+) is not defined$/.exec(message)?.[1];
  const [text] = name === undefined ? [] : linesOf(source, at.line, at.line);
  if (text === undefined) return at;
  const word = new RegExp(`(?<![\\w$.])${name?.replaceAll('$', '\\$')}(?![\\w$])`, 'g');
  word.lastIndex = at.column - 1;
  const found = word.exec(text);
  return found === null ? at : { line: at.line, column: found.index + 1 };
}

module.exports = { codeFrame, placeOfName };
