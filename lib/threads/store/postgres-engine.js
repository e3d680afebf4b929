'use strict';
// The engine for several machines: one table in PostgreSQL. Notifications only wake; what counts is in the table.

const { Buffer } = require('node:buffer');

const { ThreadError, messageOf } = require('../base/errors.js');
const { loadPg } = require('../base/peers.js');

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./engine.js').Operation} Operation */

const TABLE = 'isobox_threads';
const CHANNEL = 'isobox_threads';
const CONNECTIONS = 10;
const RETRIES = 8;
const RECONNECT_MS = 1000;
/** Another transaction was in the way; nothing of this one has happened. */
const CONFLICTS = new Set(['40001', '40P01']);

// Bytes sort the same everywhere; text would follow the database's collation.
const SCHEMA = `CREATE TABLE IF NOT EXISTS ${TABLE} (key bytea PRIMARY KEY, value bytea NOT NULL)`;

/** @implements {Engine} */
class PostgresEngine {
  #pool;
  /** The last transaction on each first key, so that those of one thread are in the order of calls. @type {Map<string, Promise<unknown>>} */
  #last = new Map();
  #address;
  #isClosed = false;
  /** @type {import('pg').Client | undefined} */
  #listener;

  /** @param {string} address */
  constructor(address) {
    const { Pool } = loadPg();
    this.#address = address;
    this.#pool = new Pool({ connectionString: address, max: CONNECTIONS });
    // A connection that breaks while nobody uses it; the next one who asks gets a new one, or the error.
    this.#pool.on('error', () => {});
    // One that breaks between two queries of a transaction: the second query tells.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  async open() {
    try {
      await this.#pool.query(SCHEMA);
    } catch (error) {
      // Two who create it at once: one of them fails, and finds it there.
      await this.#query(SCHEMA, []).catch(() => {
        throw storeError('The database cannot be used', error);
      });
    }
  }

  /** @param {Buffer} key */
  async get(key) {
    const { rows } = await this.#query(`SELECT value FROM ${TABLE} WHERE key = $1`, [key]);
    return /** @type {Buffer | undefined} */ (rows[0]?.value);
  }

  /** @param {Buffer[]} keys */
  async getMany(keys) {
    const text = `SELECT key, value FROM ${TABLE} WHERE key = ANY($1::bytea[])`;
    return inOrder(keys, (await this.#query(text, [keys])).rows);
  }

  /** @param {import('./engine.js').Range} range */
  list(range) {
    return this.#range(range, '');
  }

  /** @param {import('./engine.js').Range} range */
  listUnlocked(range) {
    return this.#range(range, 'FOR UPDATE SKIP LOCKED');
  }

  /**
   * @param {import('./engine.js').Range} range
   * @param {string} lock
   */
  async #range({ start, end, limit, reverse = false }, lock) {
    const text =
      `SELECT key, value FROM ${TABLE} WHERE key >= $1 AND key < $2 ` +
      `ORDER BY key ${reverse ? 'DESC' : 'ASC'} LIMIT $3 ${lock}`;
    const { rows } = await this.#query(text, [start, end, limit ?? null]);
    return rows.map(({ key, value }) => /** @type {[Buffer, Buffer]} */ ([key, value]));
  }

  /**
   * @template T
   * @param {Buffer[]} reads
   * @param {(values: (Buffer | undefined)[]) => { operations: Operation[], result: T }} decide
   * @returns {Promise<T>}
   */
  transact(reads, decide) {
    const first = reads[0]?.toString('latin1');
    if (first === undefined) return this.#transact(reads, decide);
    const before = this.#last.get(first) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(() => this.#transact(reads, decide));
    this.#last.set(first, mine);
    const forget = () => {
      if (this.#last.get(first) === mine) this.#last.delete(first);
    };
    mine.then(forget, forget);
    return mine;
  }

  /**
   * @template T
   * @param {Buffer[]} reads
   * @param {(values: (Buffer | undefined)[]) => { operations: Operation[], result: T }} decide
   * @returns {Promise<T>}
   */
  async #transact(reads, decide) {
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.#connect();
      try {
        await client.query('BEGIN');
        const values = await this.#lock(client, reads);
        const { operations, result } = decide(values);
        await apply(client, operations);
        await client.query('COMMIT');
        client.release();
        return result;
      } catch (error) {
        const isBroken = await client.query('ROLLBACK').then(
          () => false,
          () => true,
        );
        client.release(isBroken);
        if (error instanceof ThreadError || !isDatabaseError(error)) throw error;
        const code = String(/** @type {any} */ (error).code);
        if (!CONFLICTS.has(code) || attempt > RETRIES) {
          throw storeError('The store could not be written', error);
        }
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
      }
    }
  }

  /**
   * @param {import('pg').PoolClient} client
   * @param {Buffer[]} reads
   * @returns {Promise<(Buffer | undefined)[]>} nobody changes them until the transaction ends
   */
  async #lock(client, reads) {
    if (reads.length === 0) return [];
    // In the order of keys: two that want the same rows do not wait for each other.
    const text = `SELECT key, value FROM ${TABLE} WHERE key = ANY($1::bytea[]) ORDER BY key FOR UPDATE`;
    return inOrder(reads, (await client.query(text, [reads])).rows);
  }

  async #connect() {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw storeError('The database cannot be reached', error);
    }
  }

  /**
   * @param {string} text
   * @param {unknown[]} values
   */
  async #query(text, values) {
    try {
      return await this.#pool.query(text, values);
    } catch (error) {
      throw storeError('The database cannot be read', error);
    }
  }

  /** @param {string} threadId */
  notify(threadId) {
    // Only a wake: whoever misses it looks for work at intervals.
    this.#pool.query('SELECT pg_notify($1, $2)', [CHANNEL, threadId]).catch(() => {});
  }

  /** @param {(threadId: string) => void} heard */
  listen(heard) {
    const { Client } = loadPg();
    const begin = async () => {
      if (this.#isClosed) return;
      const client = new Client({ connectionString: this.#address });
      this.#listener = client;
      const again = () => {
        client.removeAllListeners();
        client.on('error', () => {});
        client.end().catch(() => {});
        if (!this.#isClosed) setTimeout(begin, RECONNECT_MS).unref();
      };
      client.on('notification', ({ payload }) => heard(payload ?? ''));
      client.once('error', again);
      try {
        await client.connect();
        await client.query(`LISTEN ${CHANNEL}`);
      } catch {
        again();
      }
    };
    void begin();
  }

  async close() {
    this.#isClosed = true;
    await Promise.allSettled([this.#listener?.end(), this.#pool.end()]);
  }
}

/**
 * @param {Buffer[]} keys
 * @param {{ key: Buffer, value: Buffer }[]} rows
 * @returns {(Buffer | undefined)[]} values in the order of keys
 */
function inOrder(keys, rows) {
  const found = new Map(rows.map(({ key, value }) => [key.toString('latin1'), value]));
  return keys.map((key) => found.get(key.toString('latin1')));
}

/**
 * @param {import('pg').PoolClient} client
 * @param {Operation[]} operations
 */
async function apply(client, operations) {
  /** What is to be put, or deleted, by key: the last word counts. @type {Map<string, Buffer | null>} */
  let pending = new Map();
  const flush = async () => {
    if (pending.size === 0) return;
    const puts = [...pending].filter(([, value]) => value !== null);
    const gone = [...pending].filter(([, value]) => value === null);
    pending = new Map();
    const bytes = (/** @type {[string, Buffer | null][]} */ rows) =>
      rows.map(([key]) => Buffer.from(key, 'latin1'));
    // No key is in both.
    await client.query(
      `WITH gone AS (DELETE FROM ${TABLE} WHERE key = ANY($3::bytea[])) ` +
        `INSERT INTO ${TABLE} (key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[]) ` +
        'ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      [bytes(puts), puts.map(([, value]) => value), bytes(gone)],
    );
  };
  for (const operation of operations) {
    if (operation.type === 'put') pending.set(operation.key.toString('latin1'), operation.value);
    else if (operation.type === 'delete') pending.set(operation.key.toString('latin1'), null);
    else {
      await flush();
      if (operation.type === 'copy') {
        await client.query(
          `INSERT INTO ${TABLE} (key, value) SELECT $2::bytea, value FROM ${TABLE} WHERE key = $1 ` +
            'ON CONFLICT (key) DO UPDATE SET value = excluded.value',
          [operation.from, operation.key],
        );
      } else {
        const range = [operation.start, operation.end];
        await client.query(`DELETE FROM ${TABLE} WHERE key >= $1 AND key < $2`, range);
      }
    }
  }
  await flush();
}

/** @param {unknown} error the server's have a code of five characters, those of the connection one of the system */
function isDatabaseError(error) {
  const { code, message } = /** @type {any} */ (error ?? {});
  return typeof code === 'string' || /connection|terminat|timeout/i.test(String(message));
}

/**
 * @param {string} what
 * @param {unknown} error
 */
function storeError(what, error) {
  return new ThreadError(
    'ERR_ISOBOX_THREAD_STORE',
    `${what}: ${messageOf(error)}. Look at the database and its address`,
    { cause: error },
  );
}

module.exports = { PostgresEngine };
