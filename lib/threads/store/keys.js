'use strict';
// Where everything lies in the store: one ordered space of keys. What belongs to a thread has the thread's id as the
// second part of its key, so that it can be read in order and be deleted with the thread.

const { Buffer } = require('node:buffer');

/** Microseconds as text that sorts as numbers do, until the year 2286. @param {number} micros */
const stamp = (micros) => String(micros).padStart(16, '0');

/** The kinds of records that belong to one thread and go with it. */
const OF_THREAD = [
  'blob',
  'child',
  'effect',
  'env',
  'file',
  'flow',
  'kv',
  'log',
  'logid',
  'message',
  'messageid',
  'outcome',
  'queue',
  'request',
];

const keys = {
  schema: 'meta/schema',
  thread: (/** @type {string} */ id) => `thread/${id}`,
  /** The children of a thread, by registry entry. */
  child: (/** @type {string} */ id, /** @type {string} */ child) => `child/${id}/${child}`,
  env: (/** @type {string} */ id) => `env/${id}/`,
  flow: (/** @type {string} */ id) => `flow/${id}/`,
  message: (/** @type {string} */ id, /** @type {number} */ at) => `message/${id}/${stamp(at)}`,
  messageId: (/** @type {string} */ id, /** @type {string} */ messageId) =>
    `messageid/${id}/${messageId}`,
  queue: (/** @type {string} */ id, /** @type {number} */ at) => `queue/${id}/${stamp(at)}`,
  log: (/** @type {string} */ id, /** @type {number} */ at) => `log/${id}/${stamp(at)}`,
  logId: (/** @type {string} */ id, /** @type {string} */ logId) => `logid/${id}/${logId}`,
  value: (/** @type {string} */ id, /** @type {string} */ key) => `kv/${id}/${key}`,
  /** Paths begin with a slash. */
  file: (/** @type {string} */ id, /** @type {string} */ path) => `file/${id}${path}`,
  blob: (/** @type {string} */ id, /** @type {string} */ path) => `blob/${id}${path}`,
  effect: (/** @type {string} */ id, /** @type {string} */ effect) => `effect/${id}/${effect}`,
  /** How a session that a parent waits for came out. */
  outcome: (/** @type {string} */ id, /** @type {string} */ call) => `outcome/${id}/${call}`,
  /** A subagent that waits for variables. */
  request: (/** @type {string} */ id, /** @type {string} */ request) => `request/${id}/${request}`,
  /** Threads by when something happened in them; of each one entry. */
  touched: (/** @type {number} */ at, /** @type {string} */ id) => `touched/${stamp(at)}/${id}`,
  /** Threads that were deleted a short while ago. */
  deleted: (/** @type {number} */ at, /** @type {string} */ id) => `deleted/${stamp(at)}/${id}`,
  /** What a thread has to do, by time: a thread without one of these is at rest. */
  due: (/** @type {number} */ at, /** @type {string} */ id, /** @type {string} */ item) =>
    `due/${stamp(at)}/${id}/${item}`,
};

/**
 * @param {string} key of `keys.due`, `keys.touched` or `keys.deleted`
 * @returns {{ at: number, id: string, item: string }}
 */
function readTimed(key) {
  const [, at, id, item] = key.split('/');
  return { at: Number(at), id, item };
}

/**
 * @param {string} key
 * @returns {Buffer}
 */
const encodeKey = (key) => Buffer.from(key, 'utf8');

/** Everything that begins with the prefix: from it, up to what follows its last byte. @param {string} prefix */
function rangeOf(prefix) {
  const start = encodeKey(prefix);
  const end = Buffer.from(start);
  end[end.length - 1] += 1; // prefixes end in a slash
  return { start, end };
}

module.exports = { OF_THREAD, encodeKey, keys, rangeOf, readTimed, stamp };
