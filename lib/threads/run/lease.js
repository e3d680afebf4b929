'use strict';
// Who may run a thread: one process at a time, by a lease with a token that grows with every owner.

const { isGone } = require('./process-identity.js');

/**
 * @param {import('../parts.js').Parts} parts
 * @param {import('../store/thread-record.js').ThreadRecord} thread is changed; to be stored by the caller
 * @returns {number | null} the token; null when another process has the lease
 */
function takeLease({ store, owner, limits }, thread) {
  const { lease } = thread;
  const isFree =
    lease === null || lease.owner === owner || lease.expires <= store.now() || isGone(lease.owner);
  if (!isFree) return null;
  thread.tokens += 1;
  thread.lease = { owner, token: thread.tokens, expires: leaseEnd({ store, limits }) };
  return thread.tokens;
}

/**
 * Others find out by looking at intervals: the time until they do belongs to the lease.
 *
 * @param {Pick<import('../parts.js').Parts, 'store' | 'limits'>} parts
 * @returns {number} microseconds
 */
function leaseEnd({ store, limits: { leaseMs, pollMs } }) {
  return store.now() + Math.max(leaseMs / 2, leaseMs - pollMs) * 1000;
}

module.exports = { leaseEnd, takeLease };
