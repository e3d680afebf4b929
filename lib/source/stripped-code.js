'use strict';

/** What has to be checked and mended in code whose types the engine replaced by blanks. */

const IRREGULAR = /\p{Surrogate}|[\u2028\u2029]/gu;
/** What begins a statement, and continues the one before if that has no semicolon. */
const CONTINUATION = '([`+-/';
const BLANKS = /(?:\s+|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)*/y;

/**
 * Puts back what the engine's trip through UTF-8 and its idea of line breaks lost: lone surrogates,
 * and the two rare line separators inside of erased text.
 *
 * @param {string} source
 * @param {string} code of the same length
 * @returns {string}
 */
function restoreCharacters(source, code) {
  const pieces = [];
  let done = 0;
  for (const { index, 0: character } of source.matchAll(IRREGULAR)) {
    if (code[index] === character || !' \uFFFD'.includes(code[index])) continue;
    pieces.push(code.slice(done, index), character);
    done = index + 1;
  }
  return pieces.join('') + code.slice(done);
}

/**
 * Lone surrogates as escapes, which survive UTF-8: they can only stand in literals and comments.
 *
 * @param {string} source
 * @returns {string}
 */
function escapeLoneSurrogates(source) {
  return source.replace(/\p{Surrogate}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}

/**
 * Whether an erased declaration took along the semicolon that kept two statements apart, as in
 *
 *     const rows = load()
 *     type Row = { id: number }
 *     ;[1, 2].forEach(show)
 *
 * The engine guards against this, but not where the next statement follows on the semicolon's line.
 *
 * @param {string} source
 * @param {string} code of the same length
 * @returns {boolean}
 */
function isBlankingUnsafe(source, code) {
  for (let at = source.indexOf(';'); at !== -1;) {
    let next = at + 1;
    if (code[at] !== ';') {
      next = skipBlanks(code, at);
      if (next < code.length && CONTINUATION.includes(code[next]) && !isEnded(code, at)) {
        return true;
      }
    }
    at = source.indexOf(';', next);
  }
  return false;
}

/**
 * @param {string} code
 * @param {number} offset
 * @returns {number} where the next token begins
 */
function skipBlanks(code, offset) {
  BLANKS.lastIndex = offset;
  BLANKS.exec(code);
  return BLANKS.lastIndex;
}

/**
 * @param {string} code
 * @param {number} offset
 * @returns {boolean} whether the statement before has surely ended
 */
function isEnded(code, offset) {
  let last = offset - 1;
  while (last >= 0 && /\s/.test(code[last])) last--;
  return last < 0 || ';{'.includes(code[last]);
}

module.exports = { escapeLoneSurrogates, restoreCharacters, isBlankingUnsafe };
