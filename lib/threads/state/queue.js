'use strict';
// What is queued for a thread: messages, tools, and the wish to go on. Durable, first come first served.

const { keys } = require('../store/keys.js');
const { newMessage } = require('./messages.js');

/** @typedef {import('../store/store.js').Change} Change */

/**
 * @param {Change} change
 * @param {{ kind: 'message' | 'tool' | 'continue', [field: string]: any }} item
 * @returns {number} its place in the queue
 */
function enqueue({ thread, batch, tick }, item) {
  const at = tick();
  thread.work += 1;
  batch.put(keys.queue(thread.id, at), { at, ...item });
  // While a user has stopped the thread, what others queue waits for the user.
  if (!thread.stopped) batch.put(keys.due(at, thread.id, 'queue'), 0);
  batch.wakes.add(thread.id);
  return at;
}

/**
 * A message of a user, or the wish to go on, ends a user's stop: what waited in the queue goes with it.
 *
 * @param {Change} change
 */
function clearStop({ thread }) {
  thread.stopped = false;
}

/**
 * @param {Change} change
 * @param {{ role: 'user' | 'assistant' | 'system', content: string | null, attachments?: any[], silent?: boolean, metadata?: any, id?: string, source: string }} given
 */
function enqueueMessage(change, { source, ...given }) {
  const message = newMessage(given);
  enqueue(change, { kind: 'message', source, message });
  return message;
}

/**
 * @param {Change} change
 * @param {{ at: number, key: string }} row
 */
function dequeue({ thread, batch }, { at, key }) {
  batch.delete(key);
  batch.delete(keys.due(at, thread.id, 'queue'));
}

module.exports = { clearStop, dequeue, enqueue, enqueueMessage };
