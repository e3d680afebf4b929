'use strict';
// Turns anything into text without ever throwing: callers may pass proxies, getters and objects of other realms.

/**
 * @template T
 * @param {() => T} read runs the caller's own getters, traps and conversions
 * @returns {T | undefined} undefined when they throw
 */
function safely(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** @param {unknown} value */
function textOf(value) {
  return safely(() => String(value)) ?? `[${typeof value}]`;
}

/**
 * @param {any} reason a string, or an error whose message says why
 * @returns {string} '' when there is nothing to say
 */
function reasonOf(reason) {
  if (reason === undefined || reason === null) return '';
  const message = safely(() => reason.message);
  return typeof message === 'string' ? message : textOf(reason);
}

module.exports = { reasonOf, safely, textOf };
