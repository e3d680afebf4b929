'use strict';
// Whether a value can cross between host and runner: plain data as JSON has it, and undefined.

// As deep as the native side reads.
const MAX_DEPTH = 500;

/**
 * @param {unknown} value
 * @param {(primitive: unknown) => string | undefined} [refuse] what is wrong with a primitive, if anything is
 * @returns {string | undefined} what cannot be sent and where it is, undefined when all of it can
 */
function findUntransferable(value, refuse = refusePrimitive) {
  /** @type {Set<object>} */
  const open = new Set();
  /** @type {Set<object>} */
  const seen = new Set();

  /**
   * @param {any} part
   * @param {string} path
   * @returns {string | undefined}
   */
  function inspect(part, path) {
    if (typeof part !== 'object' || part === null) {
      const refusal = refuse(part);
      return refusal && `${path} ${refusal}`;
    }
    if (open.has(part)) return `${path} is part of a cycle`;
    if (seen.has(part)) return undefined;
    if (open.size >= MAX_DEPTH) return `${path} is nested too deeply`;
    if (!Array.isArray(part) && !isPlain(part)) {
      return `${path} is not a plain object or array: copy its fields into one, as in { ...object }`;
    }
    open.add(part);
    for (const [key, member] of Object.entries(part)) {
      const found = inspect(member, Array.isArray(part) ? `${path}[${key}]` : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    open.delete(part);
    seen.add(part);
    return undefined;
  }

  return inspect(value, 'value');
}

/** @param {unknown} value */
function refusePrimitive(value) {
  switch (typeof value) {
    case 'bigint':
      return 'is a bigint: convert it with String() or Number()';
    case 'function':
      return 'is a function: call it, and use what it returns';
    case 'symbol':
      return 'is a symbol: use a string instead';
    case 'number':
      return Number.isFinite(value)
        ? undefined
        : 'is not a finite number: use null or a string for NaN and Infinity';
    default:
      return undefined;
  }
}

/** @param {object} value plain objects of other realms are plain too */
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/**
 * @param {unknown} value
 * @returns {boolean} whether JSON says all of it: nothing in it is left out, and it is not undefined itself
 */
function isJsonSerializable(value) {
  const refuse = (/** @type {unknown} */ primitive) =>
    primitive === undefined ? 'is undefined' : refusePrimitive(primitive);
  return findUntransferable(value, refuse) === undefined;
}

module.exports = { findUntransferable, isJsonSerializable };
