'use strict';
// The embedded engine: LMDB in a directory. Several processes of one machine may have it open. A transaction is on disk
// when its promise resolves; those that are under way together share one flush.

const fs = require('node:fs');
const path = require('node:path');

const { ThreadError, messageOf } = require('../base/errors.js');
const { loadLmdb } = require('../base/peers.js');
const { encodeKey } = require('./keys.js');
const { checkFile } = require('./lmdb-file.js');
const { LmdbJournal, readPlace, writePlace } = require('./lmdb-journal.js');

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./engine.js').Operation} Operation */

/** Where the place of the journal's next entry lies. */
const PLACE = encodeKey('meta/journal');

/** @typedef {{ entry?: import('./lmdb-journal.js').Entry, flushed?: Promise<void> }} Note of a transaction in the journal */

/** @implements {Engine} */
class LmdbEngine {
  #db;
  #abort;
  #journal;
  /** Transactions that did not fit into the journal, and are not durable yet. */
  #unnoted = 0;

  /** @param {string} directory is made when it is not there */
  constructor(directory) {
    const { ABORT, open } = loadLmdb();
    this.#abort = ABORT;
    try {
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
      const file = path.join(directory, 'threads.mdb');
      checkFile(file);
      // Commits flush their pages before they resolve. The journal does the rest, at the same time.
      this.#db = open({
        path: file,
        encoding: 'binary',
        keyEncoding: 'binary',
        overlappingSync: false,
        noMetaSync: true,
        // With it, a commit that fails rejects a promise that nobody has, which ends the process.
        eventTurnBatching: false,
        noSubdir: true,
      });
      this.#journal = new LmdbJournal(path.join(directory, 'threads.wal'));
    } catch (error) {
      throw storeError(`The store ${directory} cannot be opened`, error);
    }
  }

  /** Does again what a crash of the machine has undone. */
  async open() {
    for (let isMore = true; isMore;) {
      await this.#write(() => {
        const place = readPlace(this.#db.get(PLACE));
        const entry = this.#journal.read(place);
        isMore = entry !== undefined;
        if (entry === undefined) return;
        for (const operation of entry.operations) this.#apply(operation);
        this.#putPlace({ ...place, sequence: place.sequence + 1n, offset: entry.next });
      });
    }
  }

  /** @param {Buffer} key */
  async get(key) {
    return /** @type {Buffer | undefined} */ (this.#db.get(key));
  }

  /** @param {Buffer[]} keys */
  async getMany(keys) {
    return keys.map((key) => /** @type {Buffer | undefined} */ (this.#db.get(key)));
  }

  /** @param {import('./engine.js').Range} range */
  async list({ start, end, limit, reverse = false }) {
    const bounds = reverse ? { start: end, end: start } : { start, end };
    const rows = this.#db.getRange({
      ...bounds,
      reverse,
      limit,
      // Reversed, the range includes `end` and leaves out `start`; both ends are turned back.
      ...(reverse && { exclusiveStart: true, inclusiveEnd: true }),
    });
    /** @type {[Buffer, Buffer][]} */
    const found = [];
    for (const { key, value } of rows) found.push([/** @type {Buffer} */ (key), value]);
    return found;
  }

  /** @param {import('./engine.js').Range} range nothing is locked here: one transaction runs at a time */
  listUnlocked(range) {
    return this.list(range);
  }

  /**
   * @template T
   * @param {Buffer[]} reads
   * @param {(values: (Buffer | undefined)[]) => { operations: Operation[], result: T }} decide
   * @returns {Promise<T>}
   */
  async transact(reads, decide) {
    /** @type {{ error: unknown } | undefined} */
    let refused;
    /** @type {T | undefined} */
    let decided;
    /** @type {Note | undefined} */
    let note;
    try {
      await this.#write(() => {
        try {
          const values = reads.map((key) => /** @type {Buffer | undefined} */ (this.#db.get(key)));
          const { operations, result } = decide(values);
          decided = result;
          for (const operation of operations) this.#apply(operation);
          if (operations.length > 0) note = this.#note(operations);
          return undefined;
        } catch (error) {
          refused = { error };
          return this.#abort;
        }
      });
    } catch (error) {
      if (note !== undefined) await this.#takeBack(note);
      throw error;
    }
    if (refused !== undefined) throw refused.error;
    if (note !== undefined) await this.#makeDurable(note);
    return /** @type {T} */ (decided);
  }

  /**
   * A child transaction: one that fails half way leaves nothing, and the others of its flush stand.
   *
   * @param {() => any} act
   */
  async #write(act) {
    try {
      await this.#db.childTransaction(act);
    } catch (error) {
      throw storeError('The store could not be written', await commitError(error));
    }
  }

  /**
   * @param {Operation[]} operations
   * @returns {Note}
   */
  #note(operations) {
    const place = readPlace(this.#db.get(PLACE));
    let entry;
    try {
      // Behind one that is missing, nobody could read on.
      entry = this.#unnoted === 0 ? this.#journal.append(place, operations) : undefined;
    } catch (error) {
      throw storeError('The store could not be written', error);
    }
    const offset = entry === undefined ? place.offset : entry.offset + entry.length;
    this.#putPlace({ ...place, sequence: place.sequence + 1n, offset });
    if (entry === undefined) {
      this.#unnoted += 1;
      return {};
    }
    const flushed = this.#journal.flush();
    flushed.catch(() => {});
    return { entry, flushed };
  }

  /** @param {import('./lmdb-journal.js').Place} place */
  #putPlace(place) {
    this.#db.putSync(PLACE, writePlace(place));
  }

  /** @param {Note} note */
  async #makeDurable({ entry, flushed }) {
    try {
      // The pages of a second commit are flushed behind the first one's.
      if (entry === undefined) {
        await this.#write(() => this.#putPlace(readPlace(this.#db.get(PLACE))));
      } else await flushed;
    } catch (error) {
      throw error instanceof ThreadError
        ? error
        : storeError('The store could not be flushed', error);
    } finally {
      if (entry === undefined) this.#unnoted -= 1;
      else this.#journal.settle(entry.length);
    }
  }

  /** The commit has failed: nobody may do it again. @param {Note} note */
  async #takeBack({ entry }) {
    if (entry === undefined) this.#unnoted -= 1;
    else {
      this.#journal.settle(entry.length);
      await this.#write(() => this.#journal.erase(entry))
        .then(() => this.#journal.flush())
        .catch(() => {});
    }
  }

  /** @param {Operation} operation */
  #apply(operation) {
    const db = this.#db;
    if (operation.type === 'put') {
      db.putSync(operation.key, operation.value);
    } else if (operation.type === 'delete') {
      db.removeSync(operation.key);
    } else if (operation.type === 'copy') {
      const value = db.get(operation.from);
      if (value !== undefined) db.putSync(operation.key, value);
    } else {
      for (const key of [...db.getKeys({ start: operation.start, end: operation.end })]) {
        db.removeSync(key);
      }
    }
  }

  /** Other processes look for themselves, at intervals. */
  notify() {}

  listen() {}

  async close() {
    await this.#db.close();
    await this.#journal.close();
  }
}

/**
 * @param {any} error
 * @returns {Promise<unknown>} the reason of a failed commit, which LMDB gives as a promise
 */
function commitError(error) {
  return Promise.resolve(error?.commitError).then(
    () => error,
    (reason) => reason,
  );
}

/**
 * @param {string} what
 * @param {unknown} error
 */
function storeError(what, error) {
  const advice = 'Look at the disk and the rights of its files; restore a copy if they are damaged';
  return new ThreadError('ERR_ISOBOX_THREAD_STORE', `${what}: ${messageOf(error)}. ${advice}`, {
    cause: error,
  });
}

module.exports = { LmdbEngine };
