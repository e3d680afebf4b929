'use strict';

const crypto = require('node:crypto');

/**
 * A cache bounded by the bytes it holds, least recently used first out. Keys are content hashes, so
 * that a source kept alive elsewhere as a slice of a larger string is never kept alive by the
 * cache.
 *
 * @template T
 */
class ByteLru {
  /** @type {Map<string, { value: T, bytes: number }>} */
  #entries = new Map();
  #bytes = 0;
  #maxBytes;

  /** @param {number} maxBytes */
  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  get bytes() {
    return this.#bytes;
  }

  get size() {
    return this.#entries.size;
  }

  /**
   * @param {string} key
   * @returns {T | undefined}
   */
  get(key) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /**
   * @param {string} key
   * @param {T} value
   * @param {number} bytes what the value weighs; a value heavier than the whole cache is not kept
   */
  set(key, value, bytes) {
    this.#remove(key);
    if (bytes > this.#maxBytes) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest);
    }
  }

  clear() {
    this.#entries.clear();
    this.#bytes = 0;
  }

  /** @param {string} key */
  #remove(key) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

/**
 * @param {string} label what was done with the content, and with which options
 * @param {string} content
 * @returns {string}
 */
function contentKey(label, content) {
  // UTF-8 would give two different lone surrogates the same bytes.
  const encoding = content.isWellFormed() ? 'utf8' : 'utf16le';
  return crypto
    .createHash('sha256')
    .update(`${encoding} ${label}\0`)
    .update(content, encoding)
    .digest('base64');
}

module.exports = { ByteLru, contentKey };
