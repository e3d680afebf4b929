'use strict';
// Where a text stops being JSON. V8 says so in words, and not in every version.

const TOKEN =
  /[\t\n\r ]*(?:(?<open>[[{])|(?<close>[\]}])|(?<comma>,)|(?<colon>:)|(?<string>"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?<value>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/**
 * @param {string} text that JSON.parse refuses
 * @returns {{ line: number, column: number }} counted from 1
 */
function locateJsonError(text) {
  return positionAt(text, failureOffset(text));
}

/** @param {string} text */
function failureOffset(text) {
  /** @type {string[]} the closing brackets that are due */
  const due = [];
  let expected = 'value';
  let offset = 0;
  while (true) {
    TOKEN.lastIndex = offset;
    const match = TOKEN.exec(text);
    const start = offset + leadingSpace(text, offset);
    if (match === null) return start;
    const next = step(expected, match, due);
    if (next === null) return start;
    expected = next;
    offset = TOKEN.lastIndex;
  }
}

/**
 * @param {string} expected
 * @param {RegExpExecArray} match
 * @param {string[]} due
 * @returns {string | null} what is expected next, null when this is not what was
 */
function step(expected, match, due) {
  const { open, close, comma, colon, string, value } = match.groups ?? {};
  const takesValue = expected === 'value' || expected === 'value or ]';
  const takesKey = expected === 'key' || expected === 'key or }';
  if (open !== undefined) {
    if (!takesValue) return null;
    due.push(open === '{' ? '}' : ']');
    return open === '{' ? 'key or }' : 'value or ]';
  }
  if (close !== undefined) {
    const mayClose = expected === 'comma' || expected.endsWith(` or ${close}`);
    return mayClose && due.pop() === close ? afterValue(due) : null;
  }
  if (comma !== undefined) {
    if (expected !== 'comma') return null;
    return due.at(-1) === '}' ? 'key' : 'value';
  }
  if (colon !== undefined) return expected === 'colon' ? 'value' : null;
  if (string !== undefined && takesKey) return 'colon';
  return (string ?? value) !== undefined && takesValue ? afterValue(due) : null;
}

/** @param {string[]} due */
function afterValue(due) {
  return due.length === 0 ? 'nothing' : 'comma';
}

/**
 * @param {string} text
 * @param {number} offset
 */
function leadingSpace(text, offset) {
  const space = /[\t\n\r ]*/y;
  space.lastIndex = offset;
  return space.exec(text)?.[0].length ?? 0;
}

/**
 * @param {string} text
 * @param {number} offset
 */
function positionAt(text, offset) {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: /** @type {string} */ (lines.at(-1)).length + 1 };
}

module.exports = { locateJsonError };
