'use strict';
// Opens the store that an address names.

const { LmdbEngine } = require('./lmdb-engine.js');
const { bringUpToDate } = require('./migrations.js');
const { PostgresEngine } = require('./postgres-engine.js');
const { Store } = require('./store.js');

/** @param {string} address */
const isDatabase = (address) => /^postgres(?:ql)?:\/\//.test(address);

/**
 * @param {string} address a directory, or that of a PostgreSQL database
 * @returns {Promise<import('../parts.js').Store>}
 */
async function openStore(address) {
  const engine = isDatabase(address) ? new PostgresEngine(address) : new LmdbEngine(address);
  const store = new Store(engine);
  try {
    await engine.open();
    await bringUpToDate(store);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return store;
}

module.exports = { isDatabase, openStore };
