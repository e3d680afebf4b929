'use strict';
// Turns anything into text without ever throwing: callers may pass proxies, getters and objects of other realms.

/** @param {unknown} value */
function textOf(value) {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/**
 * @param {any} reason a string, or an error whose message says why
 * @returns {string} '' when there is nothing to say
 */
function reasonOf(reason) {
  if (reason === undefined || reason === null) return '';
  try {
    if (typeof reason === 'object' && typeof reason.message === 'string') return reason.message;
  } catch {
    return '';
  }
  return textOf(reason);
}

module.exports = { reasonOf, textOf };
