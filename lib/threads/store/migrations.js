'use strict';
// The versions of the records in a store, and the way from each to the next. A store is brought to this version when it is
// opened, some records per transaction: a process that ends in the middle leaves the rest to the next one.

const { ThreadError } = require('../base/errors.js');
const { keys } = require('./keys.js');
const { listThread } = require('./thread-list.js');

/** Raised when records change their form. */
const SCHEMA_VERSION = 3;
const RECORDS_PER_STEP = 500;

/**
 * @typedef {object} Schema what `meta/schema` says
 * @property {number} version
 * @property {{ version: number, after: string }} [from] while records are still of that version: those up to the key `after` are done
 *
 * @typedef {object} Migration
 * @property {string} prefix of the records that change
 * @property {(record: any, batch: import('../parts.js').Batch) => void} upgrade writes the new form
 */

/** By the version that they lead away from. @type {Record<number, Migration>} */
const MIGRATIONS = {
  // Threads can be listed by when something happened in them.
  1: {
    prefix: 'thread/',
    upgrade: (thread, batch) => {
      const touched = thread.clock;
      batch.put(keys.thread(thread.id), { ...thread, touched });
      batch.put(keys.touched(touched, thread.id), 0);
    },
  },
  // Lists are read page by page.
  2: {
    prefix: 'thread/',
    upgrade: (given, batch) => {
      const thread = { ...given, listed: 0 };
      listThread(batch, thread);
      batch.put(keys.thread(thread.id), thread);
    },
  },
};

/**
 * Called once, before anything else.
 *
 * @param {import('../parts.js').Store} store
 */
async function bringUpToDate(store) {
  let schema = await store.transact([keys.schema], ([found], batch) => {
    /** @type {Schema} */
    const current = found ?? { version: SCHEMA_VERSION };
    if (current.version > SCHEMA_VERSION || !(current.version >= 1)) throw refuse(current.version);
    if (found !== undefined && current.version === SCHEMA_VERSION) return current;
    // An older isobox refuses the store from here on.
    const begun =
      found === undefined
        ? current
        : {
            version: SCHEMA_VERSION,
            from: current.from ?? { version: current.version, after: '' },
          };
    batch.put(keys.schema, begun);
    return begun;
  });
  while (schema.from !== undefined) schema = await migrateSome(store, schema.from);
}

/**
 * @param {import('../parts.js').Store} store
 * @param {{ version: number, after: string }} from
 * @returns {Promise<Schema>} what is left
 */
async function migrateSome(store, { version, after }) {
  const { prefix, upgrade } = MIGRATIONS[version];
  const range = { limit: RECORDS_PER_STEP, ...(after !== '' && { from: `${after}\0` }) };
  const found = (await store.list(prefix, range)).map(({ key }) => key);
  return store.transact([keys.schema, ...found], ([schema, ...records], batch) => {
    // Another process has done these meanwhile.
    if (schema.from?.version !== version || schema.from.after !== after) return schema;
    for (const record of records) if (record !== undefined) upgrade(record, batch);
    const isDone = found.length < RECORDS_PER_STEP;
    const next = isDone ? { version: version + 1, after: '' } : { version, after: found.at(-1) };
    const left = {
      version: SCHEMA_VERSION,
      ...(next.version < SCHEMA_VERSION && { from: next }),
    };
    batch.put(keys.schema, left);
    return left;
  });
}

/** @param {unknown} version */
function refuse(version) {
  return new ThreadError(
    'ERR_ISOBOX_THREAD_STORE',
    `The store has version ${version} of the records, and this isobox reads up to version ${SCHEMA_VERSION}. ` +
      'Use the isobox that wrote it, or a later one',
  );
}

module.exports = { SCHEMA_VERSION, bringUpToDate };
