// Hashes by the names that node:crypto gives them.

import { hmac } from '@noble/hashes/hmac.js';
import { md5, ripemd160, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from '@noble/hashes/sha2.js';
import { sha3_224, sha3_256, sha3_384, sha3_512 } from '@noble/hashes/sha3.js';

export const HASHES = {
  __proto__: null,
  md5,
  ripemd160,
  sha1,
  sha224,
  sha256,
  sha384,
  sha512,
  'sha512-224': sha512_224,
  'sha512-256': sha512_256,
  'sha3-224': sha3_224,
  'sha3-256': sha3_256,
  'sha3-384': sha3_384,
  'sha3-512': sha3_512,
};

/** @returns what has `update`, `digest` and `clone`; undefined for an unknown name */
export const makeHash = (name) => HASHES[name]?.create();
export const makeHmac = (name, key) => HASHES[name] && hmac.create(HASHES[name], key);
