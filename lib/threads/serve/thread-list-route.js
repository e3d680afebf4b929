'use strict';
// GET /threads: a page of the threads that a caller may see.

const { readThreads } = require('../store/thread-list.js');
const { HttpError, isTrue, readNumber } = require('./request.js');
const { toRow } = require('./thread-row.js');

/** @type {Record<string, { order: 'activity' | 'created', isOldestFirst: boolean }>} */
const SORTS = {
  activity: { order: 'activity', isOldestFirst: false },
  created: { order: 'created', isOldestFirst: false },
  oldest: { order: 'created', isOldestFirst: true },
};

/** @type {import('./thread-routes.js').Route} */
async function listThreads({ parts, query, caller, response }) {
  const limit = readNumber(query, 'limit', { fallback: 50, max: 1000 });
  const offset = readNumber(query, 'offset', { fallback: 0, max: 1e9 });
  const sort = query.get('sort') ?? 'activity';
  if (!Object.hasOwn(SORTS, sort)) {
    throw new HttpError(400, `sort must be one of ${Object.keys(SORTS).join(', ')}`);
  }
  const user = query.get('user');
  const after = query.get('after') || undefined;
  if (after !== undefined && !/^\d{16}\/[\w-]+$/.test(after)) {
    throw new HttpError(400, 'after must be what an earlier answer has as next');
  }
  const isWanted = readFilter(query);
  const threads = [];
  let last = '';
  let passed = 0;
  let hasMore = false;
  const isForbidden = caller.user !== null && user !== null && user !== caller.user;
  const wanted = {
    ...SORTS[sort],
    user: caller.user ?? user,
    withChildren: isTrue(query.get('include_children')),
    after,
  };
  for await (const { place, thread } of isForbidden ? [] : readThreads(parts.store, wanted)) {
    // Nobody waits for the answer any more.
    if (response.destroyed) return undefined;
    const row = toRow(parts, thread);
    if (!isWanted(row)) continue;
    passed += 1;
    if (passed <= offset) continue;
    hasMore = threads.length === limit;
    if (hasMore) break;
    threads.push(row);
    last = place;
  }
  return {
    body: {
      threads,
      hasMore,
      // Counting the others would be reading them.
      ...(hasMore ? { next: last } : after === undefined && { total: passed }),
    },
  };
}

/**
 * @param {URLSearchParams} query
 * @returns {(row: ReturnType<typeof toRow>) => boolean}
 */
function readFilter(query) {
  const [agent, search, terminated, executing] = ['agent', 'search', 'terminated', 'executing'].map(
    (name) => query.get(name),
  );
  return (row) =>
    (agent === null || row.agent_name === agent) &&
    (terminated === null || (row.terminated !== null) === isTrue(terminated)) &&
    (executing === null || row.executing === isTrue(executing)) &&
    (search === null || `${row.id} ${row.last_message_preview} ${row.tags}`.includes(search));
}

module.exports = { listThreads };
