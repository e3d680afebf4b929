'use strict';
// One transaction as bytes: what it wrote, which store it belongs to, and its place in the order. A checksum tells an entry that
// is there wholly from one that a crash has cut.

const { Buffer } = require('node:buffer');
const { createHash } = require('node:crypto');

/** @typedef {import('./engine.js').Operation} Operation */

const ID_BYTES = 16;
const HASH_BYTES = 20;
const AT_SEQUENCE = ID_BYTES;
const AT_LENGTH = AT_SEQUENCE + 8;
const AT_HASH = AT_LENGTH + 4;
const HEAD_BYTES = AT_HASH + HASH_BYTES;

/** What an operation has in bytes, by its type; the place in the list is its code. @type {[Operation['type'], string[]][]} */
const TYPES = [
  ['put', ['key', 'value']],
  ['delete', ['key']],
  ['deleteRange', ['start', 'end']],
  ['copy', ['from', 'key']],
];

/**
 * @param {Buffer} head without its checksum
 * @param {Buffer} body
 */
const hashOf = (head, body) => createHash('sha1').update(head).update(body).digest();

/**
 * @param {Buffer} id of the store
 * @param {bigint} sequence
 * @param {Operation[]} operations
 */
function encodeEntry(id, sequence, operations) {
  const parts = operations.flatMap((operation) => {
    const code = TYPES.findIndex(([type]) => type === operation.type);
    const fields = TYPES[code][1].map((name) => /** @type {any} */ (operation)[name]);
    return [Buffer.of(code), ...fields.flatMap((bytes) => [lengthOf(bytes), bytes])];
  });
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(HEAD_BYTES);
  id.copy(head);
  head.writeBigUInt64LE(sequence, AT_SEQUENCE);
  head.writeUInt32LE(body.length, AT_LENGTH);
  hashOf(head.subarray(0, AT_HASH), body).copy(head, AT_HASH);
  return Buffer.concat([head, body]);
}

/** @param {Buffer} bytes */
function lengthOf(bytes) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return length;
}

/**
 * @param {Buffer} bytes that begin with an entry, perhaps
 * @param {Buffer} id
 * @param {bigint} sequence
 * @returns {{ length: number, operations: Operation[] } | undefined} undefined unless it is that entry, wholly
 */
function decodeEntry(bytes, id, sequence) {
  if (bytes.length < HEAD_BYTES || !bytes.subarray(0, ID_BYTES).equals(id)) return undefined;
  if (bytes.readBigUInt64LE(AT_SEQUENCE) !== sequence) return undefined;
  const length = HEAD_BYTES + bytes.readUInt32LE(AT_LENGTH);
  if (length > bytes.length) return undefined;
  const body = bytes.subarray(HEAD_BYTES, length);
  const hash = bytes.subarray(AT_HASH, HEAD_BYTES);
  if (!hashOf(bytes.subarray(0, AT_HASH), body).equals(hash)) return undefined;
  return { length, operations: readOperations(body) };
}

/** @param {Buffer} body */
function readOperations(body) {
  /** @type {Operation[]} */
  const operations = [];
  for (let at = 0; at < body.length;) {
    const [type, names] = TYPES[body[at]];
    at += 1;
    /** @type {any} */
    const operation = { type };
    for (const name of names) {
      const end = at + 4 + body.readUInt32LE(at);
      operation[name] = Buffer.from(body.subarray(at + 4, end));
      at = end;
    }
    operations.push(operation);
  }
  return operations;
}

module.exports = { HEAD_BYTES, ID_BYTES, decodeEntry, encodeEntry };
