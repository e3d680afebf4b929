// Of node:crypto: hashes, HMACs and random values.

import { Buffer } from 'part:node-buffer';
import { crypto as webcrypto, randomUUID } from 'part:crypto';
import { HASHES, makeHash, makeHmac } from 'part:hashes';

const MAX_AT_ONCE = 65536;
const toBytes = (data, encoding) =>
  typeof data === 'string'
    ? Buffer.from(data, encoding)
    : new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
const nameOf = (algorithm) =>
  String(algorithm)
    .toLowerCase()
    .replace(/^rsa-/, '')
    .replace(/^sha-(?=\d)/, 'sha');

function unknown(algorithm) {
  const known = Object.keys(HASHES).join(', ');
  return Object.assign(new Error(`Digest method '${algorithm}' is none of ${known}`), {
    code: 'ERR_CRYPTO_INVALID_DIGEST',
  });
}

class Hash {
  #state;
  #isDone = false;

  constructor(state) {
    this.#state = state;
  }

  update(data, encoding) {
    if (this.#isDone) throw new Error('Digest already called');
    if (typeof data !== 'string' && !ArrayBuffer.isView(data)) {
      throw new TypeError('The data must be a string or a view of an ArrayBuffer');
    }
    this.#state.update(toBytes(data, encoding));
    return this;
  }

  digest(encoding) {
    if (this.#isDone) throw new Error('Digest already called');
    this.#isDone = true;
    const bytes = Buffer.from(this.#state.digest());
    return encoding === undefined || encoding === 'buffer' ? bytes : encode(bytes, encoding);
  }

  copy() {
    return new Hash(this.#state.clone());
  }
}

function encode(bytes, encoding) {
  if (encoding !== 'base64url') return bytes.toString(encoding);
  return bytes.toString('base64').replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function createHash(algorithm) {
  const state = makeHash(nameOf(algorithm));
  if (state === undefined) throw unknown(algorithm);
  return new Hash(state);
}

function createHmac(algorithm, key) {
  const state = makeHmac(nameOf(algorithm), toBytes(key));
  if (state === undefined) throw unknown(algorithm);
  return new Hash(state);
}

function randomFillSync(view, offset = 0, size = view.byteLength - offset) {
  const bytes = new Uint8Array(view.buffer ?? view, (view.byteOffset ?? 0) + offset, size);
  for (let at = 0; at < size; at += MAX_AT_ONCE) host.random(bytes.subarray(at, at + MAX_AT_ONCE));
  return view;
}

function randomBytes(size, callback) {
  const bytes = randomFillSync(Buffer.alloc(size));
  if (callback === undefined) return bytes;
  Promise.resolve().then(() => callback(null, bytes));
  return undefined;
}

function randomInt(min, max) {
  const [low, high] = max === undefined ? [0, min] : [min, max];
  const range = high - low;
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || range <= 0 || range > 2 ** 48) {
    throw new RangeError('The bounds must be whole numbers, the first below the second');
  }
  const bound = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    const value = randomBytes(6).readUIntBE(0, 6);
    if (value < bound) return low + (value % range);
  }
}

function timingSafeEqual(one, other) {
  const [first, second] = [toBytes(one), toBytes(other)];
  if (first.length !== second.length) throw new RangeError('Both must have the same length');
  let difference = 0;
  for (let i = 0; i < first.length; i++) difference |= first[i] ^ second[i];
  return difference === 0;
}

export default {
  createHash,
  createHmac,
  getHashes: () => Object.keys(HASHES),
  getRandomValues: webcrypto.getRandomValues,
  hash: (algorithm, data, encoding = 'hex') => createHash(algorithm).update(data).digest(encoding),
  randomBytes,
  randomFillSync,
  randomInt,
  randomUUID,
  subtle: webcrypto.subtle,
  timingSafeEqual,
  webcrypto,
};
