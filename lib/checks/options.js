'use strict';
// Checks what callers pass in: unknown names, wrong types and values out of range are TypeErrors and RangeErrors that
// name the option.

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * @param {unknown} value
 * @param {string} where how the value is called in messages
 * @param {readonly string[]} known the names it may have
 * @returns {Record<string, any>} the value, or an empty object for undefined
 */
function checkRecord(value, where, known) {
  if (value === undefined) return {};
  if (!isRecord(value)) throw new TypeError(`${where} must be an object`);
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw new TypeError(`Unknown option '${key}' in ${where}. Known: ${known.join(', ')}`);
    }
  }
  return value;
}

/**
 * @param {unknown} value
 * @param {string} where
 * @param {{ min: number, max: number, integer?: boolean, unlimited?: boolean }} range
 * @returns {number}
 */
function checkNumber(value, where, { min, max, integer = true, unlimited = false }) {
  if (typeof value !== 'number' || Number.isNaN(value)) {
    throw new TypeError(`${where} must be a number`);
  }
  if (unlimited && value === Infinity) return value;
  if (integer && !Number.isInteger(value)) throw new RangeError(`${where} must be a whole number`);
  if (value < min || value > max) {
    throw new RangeError(`${where} must be between ${min} and ${max}, not ${value}`);
  }
  return value;
}

/**
 * @template {string} T
 * @param {unknown} value
 * @param {string} where
 * @param {readonly T[]} choices
 * @returns {T}
 */
function checkChoice(value, where, choices) {
  const choice = /** @type {T} */ (value);
  if (!choices.includes(choice)) {
    throw new TypeError(`${where} must be one of ${choices.map((one) => `'${one}'`).join(', ')}`);
  }
  return choice;
}

/**
 * @param {unknown} value
 * @param {string} where
 * @returns {boolean}
 */
function checkBoolean(value, where) {
  if (typeof value !== 'boolean') throw new TypeError(`${where} must be true or false`);
  return value;
}

/**
 * @param {unknown} value
 * @param {string} where
 * @returns {string}
 */
function checkString(value, where) {
  if (typeof value !== 'string') throw new TypeError(`${where} must be a string`);
  return value;
}

/**
 * @param {unknown} value
 * @param {string} where
 * @returns {Function}
 */
function checkFunction(value, where) {
  if (typeof value !== 'function') throw new TypeError(`${where} must be a function`);
  return value;
}

/**
 * @param {any} value
 * @param {string} where
 * @returns {AbortSignal | undefined}
 */
function checkSignal(value, where) {
  // Of any realm: it is known by what it can do.
  if (value !== undefined && typeof value?.addEventListener !== 'function') {
    throw new TypeError(`${where} must be an AbortSignal`);
  }
  return value;
}

module.exports = {
  checkBoolean,
  checkChoice,
  checkFunction,
  checkNumber,
  checkRecord,
  checkSignal,
  checkString,
  isRecord,
};
