'use strict';
// Threads in the order in which lists show them: entries beside the records, so that a page of a list costs a page. Those
// with a parent are apart, and those of a user are listed once more by user.

const { createHash } = require('node:crypto');
const { setImmediate } = require('node:timers/promises');

const { keys, stamp } = require('./keys.js');

/** @typedef {import('./thread-record.js').ThreadRecord} ThreadRecord */

const PAGE = 200;

/** Users have names of any length; keys do not. @param {string} user */
const nameOf = (user) => createHash('sha256').update(user).digest('base64url').slice(0, 22);

/**
 * @param {string} kind
 * @param {string | null} user null for those of all users
 * @param {'activity' | 'created'} order
 */
const prefixOf = (kind, user, order) =>
  `list/${kind}${user === null ? '' : `:${nameOf(user)}`}/${order}/`;

/**
 * @param {ThreadRecord} thread
 * @param {'activity' | 'created'} order
 * @param {number} at microseconds
 * @returns {string[]}
 */
function placesOf({ id, parent, user_id }, order, at) {
  const kind = parent === null ? 'top' : 'child';
  const users = user_id === null ? [null] : [null, user_id];
  return users.map((user) => `${prefixOf(kind, user, order)}${stamp(at)}/${id}`);
}

/**
 * Has lists show a thread where its last activity puts it.
 *
 * @param {import('../parts.js').Batch} batch
 * @param {ThreadRecord} thread is stored by the caller
 */
function listThread(batch, thread) {
  const { listed, last_activity_at: at, created_at: created } = thread;
  if (listed === at) return;
  if (listed === 0) for (const place of placesOf(thread, 'created', created)) batch.put(place, 0);
  else for (const place of placesOf(thread, 'activity', listed)) batch.delete(place);
  for (const place of placesOf(thread, 'activity', at)) batch.put(place, 0);
  thread.listed = at;
}

/**
 * @param {import('../parts.js').Batch} batch
 * @param {ThreadRecord} thread
 */
function unlistThread(batch, thread) {
  const { listed, created_at: created } = thread;
  for (const place of placesOf(thread, 'activity', listed)) batch.delete(place);
  for (const place of placesOf(thread, 'created', created)) batch.delete(place);
}

/**
 * @typedef {object} Wanted
 * @property {string | null} user null for those of all users
 * @property {'activity' | 'created'} order
 * @property {boolean} isOldestFirst
 * @property {boolean} withChildren
 * @property {string} [after] the place of the last one that is known
 */

/**
 * @param {import('../parts.js').Store} store
 * @param {Wanted} wanted
 * @returns {AsyncGenerator<{ place: string, thread: ThreadRecord }>} in order; others get their turn between pages
 */
async function* readThreads(store, wanted) {
  const kinds = wanted.withChildren ? ['top', 'child'] : ['top'];
  let { after } = wanted;
  for (let isMore = true; isMore;) {
    const pages = await Promise.all(kinds.map((kind) => readPlaces(store, kind, wanted, after)));
    // What stands behind the first PAGE of all kinds is read again with the next page.
    const sorted = pages.flat().sort();
    if (!wanted.isOldestFirst) sorted.reverse();
    const places = sorted.slice(0, PAGE);
    const ids = places.map((place) => place.slice(place.indexOf('/') + 1));
    const records = await store.getMany(ids.map((id) => keys.thread(id)));
    for (const [index, thread] of records.entries()) {
      // One that is undefined was deleted meanwhile.
      if (thread !== undefined) yield { place: places[index], thread };
    }
    isMore = places.length === PAGE;
    after = places.at(-1);
    await setImmediate();
  }
}

/**
 * @param {import('../parts.js').Store} store
 * @param {string} kind
 * @param {Wanted} wanted
 * @param {string | undefined} after
 * @returns {Promise<string[]>} time and id
 */
async function readPlaces(store, kind, { user, order, isOldestFirst }, after) {
  const prefix = prefixOf(kind, user, order);
  const from = after !== undefined && isOldestFirst ? { from: `${prefix}${after}\0` } : {};
  const before = after !== undefined && !isOldestFirst ? { before: prefix + after } : {};
  const page = { limit: PAGE, reverse: !isOldestFirst, ...from, ...before };
  return (await store.list(prefix, page)).map(({ key }) => key.slice(prefix.length));
}

module.exports = { listThread, readThreads, unlistThread };
