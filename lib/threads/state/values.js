'use strict';
// The durable key-value store of a thread (section 14).

const { Buffer } = require('node:buffer');

const { ThreadError } = require('../base/errors.js');
const { keys } = require('../store/keys.js');
const { toJson } = require('./json-value.js');

/** What a thread may keep. */
const VALUE_LIMITS = Object.freeze({
  keyBytes: 1024,
  valueBytes: 2 ** 20,
  keysPerThread: 10_000,
});

/**
 * @param {unknown} key
 * @returns {string}
 */
function checkKey(key) {
  if (typeof key !== 'string' || key === '' || /\p{Cs}/u.test(key)) {
    const what = typeof key === 'string' ? JSON.stringify(key) : `a ${typeof key}`;
    throw new ThreadError(
      'ERR_ISOBOX_THREAD_KEY',
      `A key must be a string of at least one character, well-formed, not ${what}`,
    );
  }
  const bytes = Buffer.byteLength(key);
  if (bytes > VALUE_LIMITS.keyBytes) {
    throw new ThreadError(
      'ERR_ISOBOX_THREAD_KEY_LENGTH',
      `A key may have ${VALUE_LIMITS.keyBytes} bytes of UTF-8; this one has ${bytes}`,
    );
  }
  return key;
}

/** @param {unknown} value */
function encodeValue(value) {
  const bytes = Buffer.from(toJson(value), 'utf8');
  if (bytes.length > VALUE_LIMITS.valueBytes) {
    throw new ThreadError(
      'ERR_ISOBOX_THREAD_VALUE_SIZE',
      `A value may have ${VALUE_LIMITS.valueBytes} bytes as JSON; this one has ${bytes.length}`,
    );
  }
  return bytes;
}

/**
 * @param {import('../parts.js').Store} store
 * @param {string} id the thread's
 * @param {unknown} key
 * @returns {Promise<any>} null when there is none
 */
async function getValue(store, id, key) {
  return (await store.get(keys.value(id, checkKey(key)))) ?? null;
}

/**
 * @param {import('../parts.js').Store} store
 * @param {string} id
 * @param {unknown} key
 * @param {unknown} value null and undefined delete the key
 * @param {number} [token]
 * @returns {Promise<boolean>} whether anything changed, once it is durable
 */
async function setValue(store, id, key, value, token) {
  const place = keys.value(id, checkKey(key));
  // Read at once: what the caller does to the value afterwards changes nothing.
  const bytes = value === null || value === undefined ? undefined : encodeValue(value);
  return store.change(
    id,
    ({ thread, values: [old], batch }) => {
      const had = old !== undefined;
      if (bytes === undefined) {
        if (!had) return false;
        thread.values -= 1;
        batch.delete(place);
        return true;
      }
      if (!had) {
        if (thread.values >= VALUE_LIMITS.keysPerThread) {
          throw new ThreadError(
            'ERR_ISOBOX_THREAD_KEY_COUNT',
            `A thread may have ${VALUE_LIMITS.keysPerThread} keys; delete some with setValue(key, null)`,
          );
        }
        thread.values += 1;
      }
      batch.putBytes(place, bytes);
      return true;
    },
    { reads: [place], token, quiet: true },
  );
}

module.exports = { getValue, setValue };
