'use strict';
// What a guest must never change: the shape of the intrinsics and globals of its host's realm, as one text.

/** @type {Record<string, any>} */
const OBJECTS = {
  globalThis,
  process,
  'Object.prototype': Object.prototype,
  'Function.prototype': Function.prototype,
  'Array.prototype': Array.prototype,
  'Promise.prototype': Promise.prototype,
  'Error.prototype': Error.prototype,
  'String.prototype': String.prototype,
  'Map.prototype': Map.prototype,
  'Set.prototype': Set.prototype,
  'RegExp.prototype': RegExp.prototype,
  'Date.prototype': Date.prototype,
  'Uint8Array.prototype': Uint8Array.prototype,
  'ArrayBuffer.prototype': ArrayBuffer.prototype,
  'Symbol.prototype': Symbol.prototype,
  Object,
  Array,
  Promise,
  Error,
  JSON,
  Reflect,
};

// One number per function, so that one in the place of another shows.
/** @type {WeakMap<Function, number>} */
const numbers = new WeakMap();
let count = 0;

/** @param {unknown} value */
function nameOf(value) {
  if (typeof value !== 'function') return typeof value;
  if (!numbers.has(value)) numbers.set(value, ++count);
  return `function ${numbers.get(value)}`;
}

/** @returns {string} equal to an earlier one as long as nobody touched them */
function takeHostPrint() {
  const lines = [];
  for (const [name, object] of Object.entries(OBJECTS)) {
    for (const key of Reflect.ownKeys(object)) {
      const property = Reflect.getOwnPropertyDescriptor(object, key);
      const parts = property && [property.value, property.get, property.set].map(nameOf);
      lines.push(`${name}.${String(key)}: ${parts}`);
    }
  }
  return lines.join('\n');
}

// Looking at some of Node's globals for the first time makes it define others.
takeHostPrint();

module.exports = { takeHostPrint };
