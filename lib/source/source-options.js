'use strict';

/** What the public functions of this folder take, checked before anything is done. */

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 2000;

/**
 * @param {unknown} source
 * @returns {string}
 */
function readSource(source) {
  if (typeof source !== 'string') throw new TypeError('source must be a string');
  return source;
}

/**
 * @template {Record<string, unknown>} T
 * @param {unknown} options
 * @param {T} defaults every option there is, with its value when it is not given
 * @returns {T}
 */
function readOptions(options, defaults) {
  if (options === undefined) return defaults;
  if (options === null || typeof options !== 'object') {
    throw new TypeError('options must be an object');
  }
  const read = /** @type {Record<string, unknown>} */ ({ ...defaults });
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(defaults, name)) throw new TypeError(`Unknown option: ${name}`);
    if (value !== undefined) read[name] = value;
  }
  return /** @type {T} */ (read);
}

/**
 * @param {{ maxBytes: unknown, timeoutMs: unknown }} options
 * @returns {import('./prepare-source.js').Limits}
 */
function readLimits({ maxBytes, timeoutMs }) {
  return {
    maxBytes: readCount(maxBytes, 'maxBytes'),
    timeoutMs: readCount(timeoutMs, 'timeoutMs'),
  };
}

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {number}
 */
function readCount(value, name) {
  if (Number.isSafeInteger(value) && /** @type {number} */ (value) > 0) {
    return /** @type {number} */ (value);
  }
  throw new TypeError(`${name} must be a positive integer`);
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function readFilename(value) {
  if (typeof value === 'string') return value;
  throw new TypeError('filename must be a string');
}

module.exports = { readSource, readOptions, readLimits, readFilename, MAX_BYTES, TIMEOUT_MS };
