'use strict';
// The messages of a thread: its history, and what is queued for it. Roles name the author: `assistant` is side A, `user`
// side B.

const { randomUUID } = require('node:crypto');

const { keys } = require('../store/keys.js');

/** @typedef {import('../../../types/threads.js').Message} Message */
/** @typedef {import('../parts.js').Store} Store */
/** @typedef {import('../store/store.js').Change} Change */

const PREVIEW_CHARS = 200;

/**
 * A row without its place in time, which `addMessage` gives it.
 *
 * @param {Partial<Message> & Pick<Message, 'role'>} given
 * @returns {Message}
 */
function newMessage(given) {
  return {
    id: randomUUID(),
    content: null,
    parent_id: null,
    depth: 0,
    silent: false,
    metadata: null,
    status: 'completed',
    ...given,
    created_at: 0,
  };
}

/**
 * @param {Change} change
 * @param {Message} message
 * @returns {Message} as it is stored
 */
function addMessage({ thread, batch, tick }, message) {
  const row = { ...message, created_at: tick() };
  batch.put(keys.message(thread.id, row.created_at), row);
  batch.put(keys.messageId(thread.id, row.id), row.created_at);
  if (row.depth === 0 && !row.silent && row.status !== 'pending') noteActivity(thread, row);
  return row;
}

/**
 * @param {Change} change
 * @param {Message} row
 */
function putMessage({ thread, batch }, row) {
  batch.put(keys.message(thread.id, row.created_at), row);
  if (row.depth === 0 && !row.silent) noteActivity(thread, row);
}

/**
 * @param {Change} change
 * @param {Message} row
 */
function removeMessage({ thread, batch }, row) {
  batch.delete(keys.message(thread.id, row.created_at));
  batch.delete(keys.messageId(thread.id, row.id));
}

/**
 * @param {import('../store/thread-record.js').ThreadRecord} thread
 * @param {Message} row
 */
function noteActivity(thread, row) {
  thread.last_activity_at = row.created_at;
  if (row.content) thread.last_message_preview = row.content.slice(0, PREVIEW_CHARS);
}

/**
 * @param {Store} store
 * @param {string} id the thread's
 * @returns {Promise<Message[]>} all of its history, oldest first
 */
async function readHistory(store, id) {
  return (await store.list(`message/${id}/`)).map(({ value }) => value);
}

/**
 * @param {Store} store
 * @param {string} id
 * @param {string} messageId
 * @returns {Promise<Message | null>} also a queued one
 */
async function readMessage(store, id, messageId) {
  const at = await store.get(keys.messageId(id, messageId));
  if (at !== undefined) return (await store.get(keys.message(id, at))) ?? null;
  const queued = await readQueue(store, id);
  const row = queued.find(({ item }) => item.kind === 'message' && item.message.id === messageId);
  return row === undefined ? null : queuedMessage(row.at, row.item);
}

/**
 * @param {Store} store
 * @param {string} id
 * @returns {Promise<{ key: string, at: number, item: any }[]>} first come first
 */
async function readQueue(store, id) {
  const rows = await store.list(`queue/${id}/`);
  return rows.map(({ key, value }) => ({ key, at: value.at, item: value }));
}

/**
 * A queued message as lists show it.
 *
 * @param {number} at
 * @param {any} item
 * @returns {Message}
 */
function queuedMessage(at, item) {
  return {
    ...item.message,
    created_at: at,
    status: 'pending',
    metadata: {
      ...item.message.metadata,
      queued: true,
      queue_status: 'queued',
      queue_source: item.source,
    },
  };
}

/**
 * @param {Store} store
 * @param {string} id
 * @param {{ limit?: number, offset?: number, order?: 'asc' | 'desc', includeSilent?: boolean, maxDepth?: number }} [options]
 */
async function listMessages(store, id, options = {}) {
  const { limit = 100, offset = 0, order = 'asc', includeSilent = false, maxDepth = 0 } = options;
  const queued = (await readQueue(store, id))
    .filter(({ item }) => item.kind === 'message')
    .map(({ at, item }) => queuedMessage(at, item));
  const rows = [...(await readHistory(store, id)), ...queued].filter(
    (row) => (includeSilent || !row.silent) && (row.depth ?? 0) <= maxDepth,
  );
  const total = rows.length;
  const newest = rows.reverse().slice(offset, offset + limit);
  return {
    messages: order === 'desc' ? newest : newest.reverse(),
    total,
    hasMore: offset + newest.length < total,
  };
}

module.exports = {
  addMessage,
  listMessages,
  newMessage,
  putMessage,
  readHistory,
  readMessage,
  readQueue,
  removeMessage,
};
