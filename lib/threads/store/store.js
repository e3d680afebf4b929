'use strict';
// The store of all threads: records as JSON over an engine, and the one way to change a thread.

const { setImmediate } = require('node:timers/promises');

const { ThreadError, terminatedThread, unknownThread } = require('../base/errors.js');
const { Batch } = require('./batch.js');
const { encodeKey, keys, rangeOf } = require('./keys.js');
const { listThread } = require('./thread-list.js');

/** @typedef {import('./thread-record.js').ThreadRecord} ThreadRecord */

/** Records that are read at once: those of a log may be large. */
const PAGE = 50;

/**
 * One change of a thread, while its transaction is open.
 *
 * @typedef {object} Change
 * @property {ThreadRecord} thread may be changed; is stored with the rest
 * @property {any[]} values what lies under the `reads`
 * @property {import('../parts.js').Batch} batch
 * @property {() => number} tick the thread's clock: microseconds, later than anything the thread has
 *
 * @typedef {object} ChangeOptions
 * @property {string[]} [reads] further keys
 * @property {number} [token] the lease under which this is written; without one anybody may
 * @property {boolean} [terminated] also allowed when the thread is terminated
 * @property {boolean} [quiet] nobody who follows threads needs to know
 */

class Store {
  #engine;
  #now;
  /** @type {((batch: import('../parts.js').Batch) => void)[]} */
  #followers = [];

  /**
   * @param {import('./engine.js').Engine} engine
   * @param {() => number} now milliseconds
   */
  constructor(engine, now = Date.now) {
    this.#engine = engine;
    this.#now = now;
  }

  /** Microseconds. */
  now() {
    return this.#now() * 1000;
  }

  /**
   * @param {string} key
   * @returns {Promise<any>} undefined when there is none
   */
  async get(key) {
    return parse(key, await this.#engine.get(encodeKey(key)));
  }

  /**
   * @param {string[]} places
   * @returns {Promise<any[]>} undefined where there is none
   */
  async getMany(places) {
    const found = await this.#engine.getMany(places.map(encodeKey));
    return found.map((bytes, index) => parse(places[index], bytes));
  }

  /** @param {string} key */
  getBytes(key) {
    return this.#engine.get(encodeKey(key));
  }

  /**
   * @param {string} prefix ends in a slash
   * @param {{ limit?: number, reverse?: boolean, from?: string, before?: string, unlocked?: boolean }} [options] `from` and
   *   `before` are keys
   * @returns {Promise<{ key: string, value: any }[]>}
   */
  async list(prefix, { limit, reverse, from, before, unlocked = false } = {}) {
    /** @type {{ start: Buffer, end: Buffer }} */
    const range = rangeOf(prefix);
    if (from !== undefined) range.start = encodeKey(from);
    if (before !== undefined) range.end = encodeKey(before);
    const read = { ...range, limit, reverse };
    const rows = await (unlocked ? this.#engine.listUnlocked(read) : this.#engine.list(read));
    return rows.map(([bytes, value]) => {
      const key = bytes.toString('utf8');
      return { key, value: parse(key, value) };
    });
  }

  /**
   * @param {string} prefix ends in a slash
   * @returns {AsyncGenerator<any>} the values, in the order of keys; others get their turn between pages
   */
  async *readAll(prefix) {
    for (let from = prefix, isMore = true; isMore;) {
      const page = await this.list(prefix, { from, limit: PAGE });
      for (const { value } of page) yield value;
      isMore = page.length === PAGE;
      from = `${page.at(-1)?.key}\0`;
      await setImmediate();
    }
  }

  /**
   * @template T
   * @param {string[]} reads
   * @param {(values: any[], batch: import('../parts.js').Batch) => T} decide may be called more than once; when it throws, nothing is written
   * @returns {Promise<T>} when what it wrote is durable
   */
  async transact(reads, decide) {
    let batch = new Batch();
    const result = await this.#engine.transact(reads.map(encodeKey), (values) => {
      batch = new Batch();
      const parsed = values.map((value, index) => parse(reads[index], value));
      return { result: decide(parsed, batch), operations: batch.operations };
    });
    this.#followers.forEach((follow) => follow(batch));
    for (const id of batch.wakes) this.#engine.notify(id);
    return result;
  }

  /** @param {string} id */
  async thread(id) {
    const record = await this.get(keys.thread(id));
    if (record === undefined) throw unknownThread(id);
    return /** @type {ThreadRecord} */ (record);
  }

  /**
   * Changes one thread: everything that adds to a thread goes through here, so that it is in one order, and is refused
   * when the thread is gone, terminated, or has passed to another owner.
   *
   * @template T
   * @param {string} id
   * @param {(change: Change) => T} decide
   * @param {ChangeOptions} [options]
   * @returns {Promise<T>}
   */
  change(id, decide, { reads = [], token, terminated = false, quiet = false } = {}) {
    return this.transact([keys.thread(id), ...reads], ([thread, ...values], batch) => {
      if (thread === undefined) throw unknownThread(id);
      if (token !== undefined) checkToken(thread, token);
      if (thread.terminated !== null && !terminated) throw terminatedThread(id);
      const result = decide({ thread, values, batch, tick: () => this.tick(thread) });
      if (quiet) batch.put(keys.thread(id), thread);
      else this.putThread(batch, thread);
      return result;
    });
  }

  /**
   * Stores a thread's record, and where the thread lies among all: in lists, and by when something happened in them.
   *
   * @param {import('../parts.js').Batch} batch
   * @param {ThreadRecord} thread
   */
  putThread(batch, thread) {
    if (thread.touched > 0) batch.delete(keys.touched(thread.touched, thread.id));
    thread.touched = Math.max(this.now(), thread.touched + 1);
    batch.put(keys.touched(thread.touched, thread.id), 0);
    listThread(batch, thread);
    batch.put(keys.thread(thread.id), thread);
  }

  /** @param {ThreadRecord} thread */
  tick(thread) {
    thread.clock = Math.max(this.now(), thread.clock + 1);
    return thread.clock;
  }

  /** @param {(batch: import('../parts.js').Batch) => void} follow is told of everything this process writes, once it is durable */
  follow(follow) {
    this.#followers.push(follow);
  }

  /** @param {(threadId: string) => void} heard */
  listen(heard) {
    this.#engine.listen(heard);
  }

  close() {
    return this.#engine.close();
  }
}

/**
 * @param {ThreadRecord} thread
 * @param {number} token
 */
function checkToken(thread, token) {
  if (thread.lease?.token === token) return;
  throw new ThreadError(
    'ERR_ISOBOX_THREAD_FENCED',
    `Thread ${thread.id} has passed to another process; this one writes nothing more to it`,
  );
}

/**
 * @param {string} key
 * @param {Buffer | undefined} bytes
 */
function parse(key, bytes) {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new ThreadError(
      'ERR_ISOBOX_THREAD_STORE',
      `The record ${key} of the store is damaged. Restore the store from a copy`,
      { cause: error },
    );
  }
}

module.exports = { Store };
