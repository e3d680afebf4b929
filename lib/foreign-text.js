'use strict';
// Text of values that others made: reading it may run their getters, traps and conversions, and never throws.

/**
 * @template T
 * @param {() => T} read
 * @returns {T | undefined} undefined when reading throws
 */
function safely(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * @param {() => unknown} read
 * @returns {string} '' for anything but a string, and when reading throws
 */
function readText(read) {
  const text = safely(read);
  return typeof text === 'string' ? text : '';
}

/** @param {unknown} value */
function textOf(value) {
  return safely(() => String(value)) ?? `[${typeof value}]`;
}

/**
 * @param {any} thrown an error, or whatever else was thrown
 * @returns {string} its message; the value as text when it has none
 */
function messageOf(thrown) {
  const message = safely(() => thrown.message);
  return typeof message === 'string' ? message : textOf(thrown);
}

module.exports = { messageOf, readText, safely, textOf };
