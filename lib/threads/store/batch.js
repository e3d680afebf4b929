'use strict';
// What one transaction is to write, in JSON and bytes.

const { Buffer } = require('node:buffer');

const { encodeKey, rangeOf } = require('./keys.js');

class Batch {
  /** @type {import('./engine.js').Operation[]} */
  operations = [];
  /** What is put as JSON, for those who follow the store. @type {{ key: string, value: any }[]} */
  records = [];
  /** Threads that other processes should look at afterwards. @type {Set<string>} */
  wakes = new Set();

  /**
   * @param {string} key
   * @param {unknown} value a JSON value
   */
  put(key, value) {
    this.records.push({ key, value });
    this.putBytes(key, Buffer.from(JSON.stringify(value), 'utf8'));
  }

  /**
   * @param {string} key
   * @param {Buffer} value
   */
  putBytes(key, value) {
    this.operations.push({ type: 'put', key: encodeKey(key), value });
  }

  /** @param {string} key */
  delete(key) {
    this.operations.push({ type: 'delete', key: encodeKey(key) });
  }

  /** @param {string} prefix ends in a slash */
  deleteAll(prefix) {
    this.operations.push({ type: 'deleteRange', ...rangeOf(prefix) });
  }

  /**
   * @param {string} prefix ends in a slash
   * @param {string} key with that prefix: what lies before it goes
   */
  deleteBefore(prefix, key) {
    const range = { start: rangeOf(prefix).start, end: encodeKey(key) };
    this.operations.push({ type: 'deleteRange', ...range });
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  copy(from, to) {
    this.operations.push({ type: 'copy', from: encodeKey(from), key: encodeKey(to) });
  }
}

module.exports = { Batch };
