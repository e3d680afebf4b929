'use strict';
// Values of the key-value store: what JSON says and gives back the same. Anything else is refused with its path.

const { ThreadError } = require('../base/errors.js');

const MAX_DEPTH = 1000;

/**
 * @param {unknown} value
 * @returns {string} its JSON text
 * @throws {ThreadError} that names the path of what JSON cannot say
 */
function toJson(value) {
  check(value, '$', []);
  return JSON.stringify(value);
}

/**
 * @param {any} value
 * @param {string} path
 * @param {object[]} above the objects it is in
 */
function check(value, path, above) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(value)) refuse(path, String(value));
      return;
    case 'object':
      if (value !== null) checkObject(value, path, above);
      return;
    default:
      refuse(path, typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  }
}

/**
 * @param {any} value
 * @param {string} path
 * @param {object[]} above
 */
function checkObject(value, path, above) {
  if (above.includes(value)) refuse(path, 'a cycle');
  if (above.length >= MAX_DEPTH) refuse(path, `nested more than ${MAX_DEPTH} deep`);
  above.push(value);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const place = `${path}[${index}]`;
      if (!Object.hasOwn(value, index)) refuse(place, 'a hole of an array');
      check(value[index], place, above);
    }
    const named = Object.keys(value).find((key) => !/^(?:0|[1-9]\d*)$/.test(key));
    if (named !== undefined) refuse(memberPath(path, named), 'a named property of an array');
  } else {
    checkPlain(value, path);
    for (const key of Object.keys(value)) check(value[key], memberPath(path, key), above);
  }
  above.pop();
}

/**
 * @param {object} value
 * @param {string} path
 */
function checkPlain(value, path) {
  const prototype = Object.getPrototypeOf(value);
  // Objects of another realm, such as those of a vm context, have another Object.prototype.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain || Object.prototype.toString.call(value) !== '[object Object]') {
    refuse(path, `an instance of ${value.constructor?.name || 'a class'}`);
  }
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(path, 'an object with symbol keys');
  if (typeof (/** @type {any} */ (value).toJSON) === 'function') {
    refuse(memberPath(path, 'toJSON'), 'a function');
  }
}

/**
 * @param {string} path
 * @param {string} key
 */
function memberPath(path, key) {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)
    ? `${path}.${key}`
    : `${path}[${JSON.stringify(key)}]`;
}

/**
 * @param {string} path
 * @param {string} what
 * @returns {never}
 */
function refuse(path, what) {
  throw new ThreadError(
    'ERR_ISOBOX_THREAD_VALUE',
    `A value must be one that JSON has: ${path} is ${what}`,
  );
}

module.exports = { toJson };
