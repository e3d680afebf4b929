'use strict';
// The log of a thread: one row per model request, and rows for what else happened.

const { randomUUID } = require('node:crypto');

const { keys } = require('../store/keys.js');

/** @typedef {import('../../../types/threads.js').LogRow} LogRow */
/** @typedef {import('../store/store.js').Change} Change */

/**
 * @param {Change} change
 * @param {Partial<LogRow>} fields
 * @returns {LogRow}
 */
function addLog({ thread, batch, tick }, fields) {
  const row = /** @type {LogRow} */ ({
    id: randomUUID(),
    kind: null,
    error: null,
    is_complete: true,
    ...fields,
    created_at: tick(),
  });
  batch.put(keys.log(thread.id, row.created_at), row);
  batch.put(keys.logId(thread.id, row.id), row.created_at);
  return row;
}

/**
 * @param {Change} change
 * @param {LogRow} row
 */
function putLog({ thread, batch }, row) {
  batch.put(keys.log(thread.id, row.created_at), row);
}

/**
 * @param {import('../parts.js').Store} store
 * @param {string} id
 * @param {Partial<LogRow>} fields
 */
async function noteError(store, id, fields) {
  await store.change(id, (change) => void addLog(change, { kind: 'error', ...fields }), {
    terminated: true,
  });
}

module.exports = { addLog, noteError, putLog };
