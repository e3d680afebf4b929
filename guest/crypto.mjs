// Random bytes of the system's, and digests.

import { DOMException } from 'part:errors';
import { makeHash } from 'part:hashes';

const MAX_RANDOM_BYTES = 65536;
const INTEGERS = new Set([
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'BigInt64Array',
  'BigUint64Array',
]);
const tagOf = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
).get;

const DIGESTS = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };

const bytesOf = (data) =>
  ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);

function getRandomValues(array) {
  if (!ArrayBuffer.isView(array) || !INTEGERS.has(tagOf.call(array))) {
    throw new DOMException('The argument must be a typed array of integers', 'TypeMismatchError');
  }
  if (array.byteLength > MAX_RANDOM_BYTES) {
    throw new DOMException(
      `${array.byteLength} bytes are more than ${MAX_RANDOM_BYTES}`,
      'QuotaExceededError',
    );
  }
  host.random(bytesOf(array));
  return array;
}

export function randomUUID() {
  const bytes = getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

async function digest(algorithm, data) {
  const name = String(algorithm?.name ?? algorithm).toUpperCase();
  const hash = Object.hasOwn(DIGESTS, name) ? DIGESTS[name] : undefined;
  if (hash === undefined) {
    throw new DOMException(
      `'${name}' is none of ${Object.keys(DIGESTS).join(', ')}`,
      'NotSupportedError',
    );
  }
  if (!ArrayBuffer.isView(data) && !(data instanceof ArrayBuffer)) {
    throw new TypeError('The data must be an ArrayBuffer or a view of one');
  }
  const result = makeHash(hash).update(bytesOf(data)).digest();
  return result.buffer.slice(result.byteOffset, result.byteOffset + result.byteLength);
}

export const crypto = Object.freeze({
  getRandomValues,
  randomUUID,
  subtle: Object.freeze({ digest }),
});
