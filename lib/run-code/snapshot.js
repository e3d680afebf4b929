'use strict';
// A copy of values that start their way to a guest later: what their owner changes in the meantime must not show.

const { types } = require('node:util');

/** The name of a typed array's kind, whatever it says of itself. */
const kindOf = /** @type {(view: object) => string} */ (
  Function.prototype.call.bind(
    /** @type {any} */ (
      Object.getOwnPropertyDescriptor(
        Object.getPrototypeOf(Uint8Array.prototype),
        Symbol.toStringTag,
      )
    ).get,
  )
);

/**
 * Copies what the pool would copy. Functions and promises stay what they are, and so does what cannot be sent: the pool
 * says so when it is handed over.
 *
 * @template T
 * @param {T} root
 * @returns {T}
 */
function snapshot(root) {
  /** @type {Map<unknown, unknown>} */
  const copies = new Map();
  const copy = (/** @type {any} */ value) => {
    if (typeof value !== 'object' || value === null || types.isProxy(value)) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const empty = emptyLike(value);
    copies.set(value, empty);
    if (empty !== value) fill(empty, value, copy);
    return empty;
  };
  return copy(root);
}

/**
 * @param {any} value
 * @returns {any} a new object of the same kind, or the value itself where nothing can be copied
 */
function emptyLike(value) {
  if (Array.isArray(value)) return new Array(value.length);
  if (types.isMap(value)) return new Map();
  if (types.isSet(value)) return new Set();
  if (types.isDate(value)) return new Date(Date.prototype.getTime.call(value));
  if (types.isArrayBuffer(value)) return value.slice(0);
  if (ArrayBuffer.isView(value)) return copyView(value);
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain ? Object.create(prototype) : value;
}

/**
 * Only the bytes in view cross, so only they are copied.
 *
 * @param {any} view
 */
function copyView(view) {
  const { buffer, byteOffset, byteLength } = view;
  if (!types.isArrayBuffer(buffer)) return view;
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength);
  // A host's own kind of bytes, such as Buffer, crosses as the typed array it is.
  const Kind = types.isDataView(view) ? DataView : /** @type {any} */ (globalThis)[kindOf(view)];
  return new Kind(bytes);
}

/**
 * @param {any} target
 * @param {any} source
 * @param {(value: unknown) => unknown} copy
 */
function fill(target, source, copy) {
  if (types.isMap(source)) {
    for (const [key, value] of source) target.set(copy(key), copy(value));
  } else if (types.isSet(source)) {
    for (const member of source) target.add(copy(member));
  } else if (!types.isDate(source) && !types.isArrayBuffer(source) && !ArrayBuffer.isView(source)) {
    for (const key of Object.keys(source)) {
      const shape = {
        value: copy(source[key]),
        writable: true,
        enumerable: true,
        configurable: true,
      };
      Object.defineProperty(target, key, shape);
    }
  }
}

module.exports = { snapshot };
