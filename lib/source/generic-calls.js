'use strict';

const { eachNode } = require('./parse-javascript.js');

/** How far behind a `<` its `>` is looked for; the bound keeps the search linear. */
const MAX_TYPE_ARGUMENT_CHARS = 2000;
const TOKENS = /'[^'\n]*'|"[^"\n]*"|`[^`]*`|=>|&&|\|\||\?\?|[()[\]{}<>;=+%!^~@]/g;

/**
 * Whether a program that parses as JavaScript may mean something else in TypeScript:
 * `parse<Row>(text)` is a generic call there and two comparisons here. Every `<` is looked at: if
 * what stands between it and its `>` could be a list of types, the program is for the type eraser
 * to read. Saying yes too often costs time and nothing else.
 *
 * @param {import('./parse-javascript.js').Program} program
 * @param {string} text
 * @returns {boolean}
 */
function hasGenericCalls({ statements, offset }, text) {
  if (!text.includes('<') || !text.includes('>')) return false;
  for (const { node } of eachNode(statements)) {
    if (node.type !== 'BinaryExpression' || node.operator !== '<') continue;
    const start = text.indexOf('<', node.left.end - offset) + 1;
    if (startsWithTypes(text.slice(start, start + MAX_TYPE_ARGUMENT_CHARS))) return true;
  }
  return false;
}

/**
 * @param {string} text what follows a `<`
 * @returns {boolean} whether it may begin with types and the `>` that ends them
 */
function startsWithTypes(text) {
  let depth = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if ('([{<'.includes(token)) depth++;
    else if (token === '>' && depth === 0) return true;
    else if (')]}>'.includes(token)) depth--;
    else if (token === '=>' ? depth === 0 : !/^['"`]/.test(token)) return false;
    if (depth < 0) return false;
  }
  return text.length === MAX_TYPE_ARGUMENT_CHARS;
}

module.exports = { hasGenericCalls };
