'use strict';
// Calls of host functions whose promise was used as if it were the value. They are found by looking at the text: that is
// enough for a hint, and for nothing else.

const MAX_CHARS = 20_000;
const MAX_CALL_CHARS = 2000;
// Awaited, returned, or gathered for Promise.all and the like.
const HANDLED_BEFORE = /(?:\bawait|\breturn|=>|[[,]|\bPromise\.\w+\s*\()\s*$/;
const HANDLED_AFTER = /^\s*\??\.\s*(?:then|catch|finally)\b/;
const USED_AFTER = /^\s*\??(?:\.|\[)/;
const DECLARED_BEFORE = /(?:const|let|var)\s+([\w$]+|\{[^{}]*\}|\[[^[\]]*\])\s*=\s*$/;

/** @typedef {{ call: string, name: string | undefined }} ForgottenAwait the variable gets the promise, or a part of it */

/**
 * @param {string} source
 * @param {ReadonlyMap<string, readonly string[]>} namespaces
 * @returns {ForgottenAwait | undefined} the first call without `await`
 */
function findForgottenAwait(source, namespaces) {
  const spaces = [...namespaces.keys()].filter((name) => /^[\w$]+$/.test(name));
  if (spaces.length === 0 || source.length > MAX_CHARS) return undefined;
  const names = spaces.map((name) => name.replaceAll('$', '\\$')).join('|');
  const call = new RegExp(`(?<![\\w$.])((?:${names})\\.[\\w$]+)\\s*\\(`, 'g');
  for (const match of source.matchAll(call)) {
    const before = source.slice(Math.max(0, match.index - 200), match.index);
    const after = textAfterCall(source, match.index);
    if (HANDLED_AFTER.test(after)) continue;
    if (HANDLED_BEFORE.test(before) && !USED_AFTER.test(after)) continue;
    return { call: match[1], name: DECLARED_BEFORE.exec(before)?.[1] };
  }
  return undefined;
}

/**
 * @param {string} source
 * @param {number} start of a call
 * @returns {string} a little of what follows its closing bracket
 */
function textAfterCall(source, start) {
  const end = Math.min(source.length, start + MAX_CALL_CHARS);
  let depth = 0;
  for (let i = start; i < end; i++) {
    if (source[i] === '(') depth++;
    else if (source[i] === ')' && --depth === 0) return source.slice(i + 1, i + 100);
  }
  return '';
}

module.exports = { findForgottenAwait };
