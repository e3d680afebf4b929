'use strict';
// Whether a value can cross between host and runner: what JSON can say, and undefined.

// As deep as the native side reads.
const MAX_DEPTH = 500;

/**
 * @param {unknown} value
 * @returns {string | undefined} what cannot cross and where it is, undefined when all of it can
 */
function findUntransferable(value) {
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
      const refusal = refusePrimitive(part);
      return refusal && `${path} ${refusal}`;
    }
    if (open.has(part)) return `${path} is part of a cycle`;
    if (seen.has(part)) return undefined;
    if (open.size >= MAX_DEPTH) return `${path} is nested too deeply`;
    if (!Array.isArray(part) && !isPlain(part)) return `${path} is not a plain object or array`;
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
      return 'is a bigint, which cannot cross';
    case 'function':
      return 'is a function, which cannot cross';
    case 'symbol':
      return 'is a symbol, which cannot cross';
    case 'number':
      return Number.isFinite(value) ? undefined : 'is not a finite number';
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

module.exports = { findUntransferable };
