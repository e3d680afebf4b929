'use strict';
// Which names guest code can write.

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

/** Words that are no identifiers in any module. */
const KEYWORDS = new Set(
  (
    'await break case catch class const continue debugger default delete do else enum export extends false finally ' +
    'for function if import in instanceof new null return super switch this throw true try typeof var void while ' +
    'with yield'
  ).split(' '),
);

/** Properties of every global object that nothing can change. */
const FIXED_GLOBALS = new Set(['undefined', 'NaN', 'Infinity']);

/** Identifiers that strict code, which modules are, cannot bind. */
const STRICT_WORDS = new Set(
  'arguments eval implements interface let package private protected public static'.split(' '),
);

/**
 * @param {string} name
 * @returns {boolean} whether guests can refer to the name as a constant
 */
function isBindableName(name) {
  return (
    IDENTIFIER.test(name) &&
    !KEYWORDS.has(name) &&
    !STRICT_WORDS.has(name) &&
    !FIXED_GLOBALS.has(name)
  );
}

module.exports = { FIXED_GLOBALS, KEYWORDS, isBindableName };
