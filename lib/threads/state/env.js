'use strict';
// The variables of a thread, encrypted at rest, and where a name is looked up.

const { Buffer } = require('node:buffer');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { ThreadError } = require('../base/errors.js');
const { keys } = require('../store/keys.js');

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @typedef {{ values: Record<string, string>, types: Record<string, 'text' | 'secret'> }} ThreadEnv */

/** @param {string} text */
const refuse = (text) => new ThreadError('ERR_ISOBOX_THREAD_ENV', text);

/** The key of all variables of a store. */
class EnvCipher {
  #key;

  /** @param {Buffer} key of 32 bytes */
  constructor(key) {
    this.#key = key;
  }

  /** @param {ThreadEnv} env */
  seal(env) {
    const iv = crypto.randomBytes(IV_BYTES);
    const cipher = crypto.createCipheriv(ALGORITHM, this.#key, iv);
    const text = Buffer.concat([cipher.update(JSON.stringify(env), 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
  }

  /**
   * @param {string | undefined} sealed
   * @returns {ThreadEnv}
   */
  open(sealed) {
    if (sealed === undefined) return { values: {}, types: {} };
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const decipher = crypto.createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const text = Buffer.concat([
        decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)),
        decipher.final(),
      ]);
      return JSON.parse(text.toString('utf8'));
    } catch (error) {
      throw new ThreadError(
        'ERR_ISOBOX_THREAD_ENV',
        'The variables of the thread cannot be read: they were encrypted with another key. ' +
          'Give the key of this store as encryptionKey',
        { cause: error },
      );
    }
  }
}

/**
 * @param {unknown} given 32 bytes, or their base64 or hexadecimal text
 * @returns {Buffer}
 */
function readKey(given) {
  const bytes =
    typeof given === 'string'
      ? Buffer.from(given, /^[0-9a-f]{64}$/i.test(given) ? 'hex' : 'base64')
      : given instanceof Uint8Array && Buffer.from(given);
  if (!bytes || bytes.length !== 32) {
    throw new TypeError('encryptionKey must be 32 bytes, or their base64 or hexadecimal text');
  }
  return bytes;
}

/**
 * The key that a store directory keeps beside its records. Of two processes that make one, the first wins.
 *
 * @param {string} directory
 */
function keyBeside(directory) {
  const file = path.join(directory, 'env.key');
  const own = path.join(directory, `env.key.${process.pid}.${crypto.randomUUID()}`);
  if (!fs.existsSync(file)) {
    fs.writeFileSync(own, crypto.randomBytes(32).toString('base64'), { mode: 0o600, flush: true });
    try {
      fs.linkSync(own, file);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    } finally {
      fs.unlinkSync(own);
    }
  }
  return readKey(fs.readFileSync(file, 'utf8').trim());
}

/**
 * @param {unknown} values
 * @param {unknown} types
 * @returns {ThreadEnv}
 */
function checkEnv(values = {}, types = {}) {
  for (const [name, value] of Object.entries(/** @type {object} */ (values))) {
    if (typeof value !== 'string') throw refuse(`env.${name} must be a string`);
  }
  for (const [name, type] of Object.entries(/** @type {object} */ (types))) {
    if (type !== 'text' && type !== 'secret') {
      throw refuse(`envTypes.${name} must be 'text' or 'secret'`);
    }
  }
  return /** @type {ThreadEnv} */ ({
    values: { .../** @type {object} */ (values) },
    types: { .../** @type {object} */ (types) },
  });
}

/**
 * @param {import('../parts.js').Store} store
 * @param {EnvCipher} cipher
 * @param {string} id
 */
async function readEnv(store, cipher, id) {
  return cipher.open((await store.get(keys.env(id)))?.sealed);
}

/** @param {string | undefined} value of a flag such as `optional` names */
const isOn = (value) => ['true', '1', 'yes'].includes((value ?? '').trim().toLowerCase());

module.exports = { EnvCipher, checkEnv, isOn, keyBeside, readEnv, readKey, refuse };
