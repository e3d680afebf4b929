'use strict';
// When JSON Schema calls two values equal: whatever the order of their keys, and 1 is 1.0.

const { randomInt } = require('node:crypto');

/** @typedef {InstanceType<typeof import('./meter.js').Meter>} Meter */

// Unknown to guests, who could make up values with the same hash otherwise.
const SEED = randomInt(2 ** 32);
const FACTOR = randomInt(2 ** 31) * 2 + 1;

const CHUNK_CHARS = 4096;
const FIRST_CAPACITY = 16;

const number = new Float64Array(1);
const words = new Int32Array(number.buffer);

/**
 * @param {number} hash
 * @param {number} word
 */
function mix(hash, word) {
  const product = Math.imul(hash ^ word, FACTOR);
  return Math.imul(product ^ (product >>> 15), 0x2c1b3c6d) ^ (product >>> 12);
}

/**
 * @param {string} text
 * @param {Meter} meter
 * @returns {Generator<undefined, number>}
 */
function* hashText(text, meter) {
  let hash = mix(SEED, text.length);
  for (let start = 0; start < text.length; start += CHUNK_CHARS) {
    const end = Math.min(start + CHUNK_CHARS, text.length);
    for (let i = start; i < end; i++) {
      hash = Math.imul(hash ^ text.charCodeAt(i), FACTOR);
      hash ^= hash >>> 15;
    }
    meter.spend((end - start) >> 3);
    if (meter.isDue) yield;
  }
  return hash;
}

/**
 * @param {any} value
 * @param {Meter} meter
 * @returns {number | Generator<undefined, number>} equal values have the same
 */
function hashOf(value, meter) {
  meter.spend(2);
  switch (typeof value) {
    case 'number':
      number[0] = value + 0; // there is no negative zero in JSON
      return mix(mix(SEED, words[0]), words[1]);
    case 'string':
      return hashText(value, meter);
    case 'object':
      return value === null ? mix(SEED, 1) : hashMembers(value, meter);
    default:
      return mix(SEED, value === true ? 2 : 3);
  }
}

/**
 * @param {Record<string, unknown> | unknown[]} root
 * @param {Meter} meter
 * @returns {Generator<undefined, number>}
 */
function* hashMembers(root, meter) {
  meter.spend(10);
  const open = [frameOf(root)];
  for (;;) {
    const frame = open[open.length - 1];
    if (meter.isDue) yield;
    if (frame.at < frame.length) {
      const key = frame.keys === undefined ? frame.at : frame.keys[frame.at];
      const keyHash = hashOf(key, meter);
      frame.keyHash = typeof keyHash === 'number' ? keyHash : yield* keyHash;
      const member = frame.value[key];
      frame.at++;
      if (typeof member === 'object' && member !== null) {
        meter.spend(10);
        open.push(frameOf(member));
        continue;
      }
      const hash = hashOf(member, meter);
      frame.hash += mix(frame.keyHash, typeof hash === 'number' ? hash : yield* hash);
      continue;
    }
    open.pop();
    const hash = mix(frame.hash | 0, frame.length);
    const outer = open.at(-1);
    if (outer === undefined) return hash;
    outer.hash += mix(outer.keyHash, hash);
  }
}

/** @param {any} value an object or array; the sum over its members does not depend on their order */
function frameOf(value) {
  const keys = Array.isArray(value) ? undefined : keysOf(value);
  const length = keys === undefined ? value.length : keys.length;
  return { value, keys, length, at: 0, keyHash: 0, hash: keys === undefined ? 1 : 2 };
}

/** Finds equal values of an array in a time that grows with their size and no faster. */
class ItemTable {
  #items;
  #count = 0;
  #hashes = new Int32Array(FIRST_CAPACITY);
  /** Indices of items plus one, at the place of their hash or after it; 0 is empty. */
  #places = new Int32Array(2 * FIRST_CAPACITY);

  /** @param {unknown[]} items */
  constructor(items) {
    this.#items = items;
  }

  /**
   * @param {number} index of the item that is next
   * @param {Meter} meter
   * @returns {Generator<undefined, number | undefined>} the index of an equal one before it
   */
  *add(index, meter) {
    meter.spend(5);
    const item = this.#items[index];
    const hashing = hashOf(item, meter);
    const hash = typeof hashing === 'number' ? hashing : yield* hashing;
    if (this.#count === this.#hashes.length) yield* this.#grow(meter);
    let place = this.#placeOf(hash);
    for (; this.#places[place] !== 0; place = this.#next(place)) {
      const other = this.#places[place] - 1;
      meter.spend(1);
      if (this.#hashes[other] === hash && (yield* areEqual(this.#items[other], item, meter))) {
        return other;
      }
      if (meter.isDue) yield;
    }
    this.#places[place] = index + 1;
    this.#hashes[index] = hash;
    this.#count++;
    return undefined;
  }

  /** @param {number} hash */
  #placeOf(hash) {
    return (hash >>> 0) % this.#places.length;
  }

  /** @param {number} place */
  #next(place) {
    return place + 1 === this.#places.length ? 0 : place + 1;
  }

  /** @param {Meter} meter */
  *#grow(meter) {
    const hashes = new Int32Array(2 * this.#hashes.length);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    this.#places = new Int32Array(2 * hashes.length);
    for (let index = 0; index < this.#count; index++) {
      let place = this.#placeOf(hashes[index]);
      while (this.#places[place] !== 0) place = this.#next(place);
      this.#places[place] = index + 1;
      meter.spend(1);
      if (meter.isDue) yield;
    }
  }
}

/**
 * @param {any} first
 * @param {any} second
 * @param {Meter} meter
 * @returns {Generator<undefined, boolean>}
 */
function* areEqual(first, second, meter) {
  const open = [];
  for (let [a, b] = [first, second]; ;) {
    meter.spend(1);
    if (meter.isDue) yield;
    if (a !== b) {
      meter.spend(8);
      const frame = frameOfPair(a, b);
      if (frame === undefined) return false;
      open.push(frame);
    }
    while (open.length > 0 && open[open.length - 1].at >= open[open.length - 1].length) open.pop();
    const frame = open.at(-1);
    if (frame === undefined) return true;
    const key = frame.keys === undefined ? frame.at : frame.keys[frame.at];
    if (!Object.hasOwn(frame.b, key)) return false;
    frame.at++;
    a = frame.value[key];
    b = frame.b[key];
  }
}

/**
 * @param {any} a
 * @param {any} b
 * @returns {{ value: any, b: any, keys: string[] | undefined, length: number, at: number } | undefined} undefined when
 *   they differ
 */
function frameOfPair(a, b) {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return undefined;
  if (Array.isArray(a) !== Array.isArray(b)) return undefined;
  const { value, keys, length } = frameOf(a);
  return length === frameOf(b).length ? { value, b, keys, length, at: 0 } : undefined;
}

/**
 * @param {Record<string, unknown>} value
 * @returns {string[]} the members it has in JSON, which knows no undefined
 */
function keysOf(value) {
  const keys = Object.keys(value);
  const isMember = (/** @type {string} */ key) => value[key] !== undefined;
  return keys.every(isMember) ? keys : keys.filter(isMember);
}

module.exports = { ItemTable, areEqual, keysOf };
