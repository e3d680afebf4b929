'use strict';
// Makes a transaction of LMDB durable with one flush where LMDB needs two, one after the other: of its pages, and then of the page
// that says which of them count. The second one is left out (`noMetaSync`), so that a crash of the machine may undo the last
// commit. Instead every transaction is also in this journal, which is flushed while LMDB flushes its pages. What a crash has
// undone is done again when the store is opened.
//
// `append` and `read` are called under LMDB's lock for writers, which holds among processes. LMDB keeps the place of the next
// entry, so that the journal has the order of the transactions. The next commit makes the one before it durable by itself:
// entries are needed no longer than that, and the journal begins again at its start when it is full.

const { Buffer } = require('node:buffer');
const { randomBytes } = require('node:crypto');
const fs = require('node:fs');

const { HEAD_BYTES, ID_BYTES, decodeEntry, encodeEntry } = require('./journal-entry.js');

const FILE_BYTES = 4 * 2 ** 20;
/** Larger transactions are flushed twice instead. */
const ENTRY_BYTES = 128 * 2 ** 10;
/** What may be on its way at once, so that nothing is written over that is still needed. */
const PENDING_BYTES = FILE_BYTES / 4;

/**
 * @typedef {object} Place of the next entry
 * @property {Buffer} id of the store: a journal that was left by another one is not read
 * @property {bigint} sequence of the last transaction
 * @property {number} offset
 *
 * @typedef {{ offset: number, length: number, head: Buffer }} Entry that was appended
 */

class LmdbJournal {
  #file;
  #isClosed = false;
  #pending = 0;
  /** @type {Promise<void> | undefined} that has not begun */
  #next;
  /** @type {Promise<void>} */
  #running = Promise.resolve();

  /** @param {string} file is made when it is not there */
  constructor(file) {
    this.#file = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    // Its bytes are there from the beginning: a flush need not write how long the file is.
    const { size } = fs.fstatSync(this.#file);
    if (size >= FILE_BYTES) return;
    fs.writeSync(this.#file, Buffer.alloc(FILE_BYTES - size), 0, FILE_BYTES - size, size);
    fs.fsyncSync(this.#file);
  }

  /**
   * @param {Place} place
   * @param {import('./engine.js').Operation[]} operations
   * @returns {Entry | undefined} undefined when it does not fit
   */
  append({ id, sequence, offset }, operations) {
    const size = operations.reduce((sum, one) => sum + ('value' in one ? one.value.length : 0), 0);
    if (size > ENTRY_BYTES) return undefined;
    const entry = encodeEntry(id, sequence + 1n, operations);
    const { length } = entry;
    if (length > ENTRY_BYTES || this.#pending + length > PENDING_BYTES) return undefined;
    const at = offset + length > FILE_BYTES ? 0 : offset;
    fs.writeSync(this.#file, entry, 0, length, at);
    this.#pending += length;
    return { offset: at, length, head: entry.subarray(0, HEAD_BYTES) };
  }

  /** @param {number} length of an entry whose transaction is over */
  settle(length) {
    this.#pending -= length;
  }

  /** The transaction did not happen. @param {Entry} entry which others may have written over already */
  erase({ offset, head }) {
    const found = Buffer.alloc(HEAD_BYTES);
    fs.readSync(this.#file, found, 0, HEAD_BYTES, offset);
    if (found.equals(head)) fs.writeSync(this.#file, Buffer.alloc(ID_BYTES), 0, ID_BYTES, offset);
  }

  /**
   * @param {Place} place
   * @returns {{ operations: import('./engine.js').Operation[], next: number } | undefined} the entry behind the last transaction
   */
  read({ id, sequence, offset }) {
    for (const at of new Set([offset, 0])) {
      const bytes = Buffer.alloc(Math.min(ENTRY_BYTES, FILE_BYTES - at));
      fs.readSync(this.#file, bytes, 0, bytes.length, at);
      const entry = decodeEntry(bytes, id, sequence + 1n);
      if (entry !== undefined) return { operations: entry.operations, next: at + entry.length };
    }
    return undefined;
  }

  /** @returns {Promise<void>} resolved when everything that was appended until now is on disk */
  flush() {
    // One that has begun may have missed what was appended since. Those of one turn share one.
    this.#next ??= new Promise((resolve) => setImmediate(resolve))
      .then(() => this.#running.catch(() => {}))
      .then(() => {
        this.#next = undefined;
        this.#running = new Promise((resolve, reject) => {
          fs.fdatasync(this.#file, (error) => (error ? reject(error) : resolve()));
        });
        return this.#running;
      });
    return this.#next;
  }

  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#next?.catch(() => {});
    await this.#running.catch(() => {});
    fs.closeSync(this.#file);
  }
}

/** @param {Buffer | undefined} bytes @returns {Place} */
function readPlace(bytes) {
  if (bytes === undefined) return { id: randomBytes(ID_BYTES), sequence: 0n, offset: 0 };
  return {
    id: Buffer.from(bytes.subarray(0, ID_BYTES)),
    sequence: bytes.readBigUInt64LE(ID_BYTES),
    offset: bytes.readUInt32LE(ID_BYTES + 8),
  };
}

/** @param {Place} place */
function writePlace({ id, sequence, offset }) {
  const bytes = Buffer.alloc(ID_BYTES + 12);
  id.copy(bytes);
  bytes.writeBigUInt64LE(sequence, ID_BYTES);
  bytes.writeUInt32LE(offset, ID_BYTES + 8);
  return bytes;
}

module.exports = { LmdbJournal, readPlace, writePlace };
