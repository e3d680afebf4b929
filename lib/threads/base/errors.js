'use strict';
// The errors of the thread runtime: each has a code, and words that say what to do.

/**
 * Closed: docs/errors.md has a row for each.
 *
 * @typedef {'ERR_ISOBOX_THREAD_DEFINITION' | 'ERR_ISOBOX_THREAD_UNKNOWN' | 'ERR_ISOBOX_THREAD_TERMINATED' |
 *   'ERR_ISOBOX_THREAD_VALUE' | 'ERR_ISOBOX_THREAD_KEY' | 'ERR_ISOBOX_THREAD_KEY_LENGTH' |
 *   'ERR_ISOBOX_THREAD_VALUE_SIZE' | 'ERR_ISOBOX_THREAD_KEY_COUNT' | 'ERR_ISOBOX_THREAD_FILE' |
 *   'ERR_ISOBOX_THREAD_ENV' | 'ERR_ISOBOX_THREAD_STORE' | 'ERR_ISOBOX_THREAD_CLOSED' | 'ERR_ISOBOX_THREAD_FENCED' |
 *   'ERR_ISOBOX_THREAD_REQUEST'} ThreadErrorCode
 */

class ThreadError extends Error {
  /**
   * @param {ThreadErrorCode} code
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = 'ThreadError';
    this.code = code;
  }
}

/** @param {string} id */
function unknownThread(id) {
  return new ThreadError('ERR_ISOBOX_THREAD_UNKNOWN', `There is no thread ${id}`);
}

/** @param {string} id */
function terminatedThread(id) {
  return new ThreadError(
    'ERR_ISOBOX_THREAD_TERMINATED',
    `Thread ${id} is terminated: it can be read, but takes no messages, tools or values any more`,
  );
}

/** @param {unknown} error the store, or the lease, is gone: nothing can be written any more */
function isFatal(error) {
  return (
    error instanceof ThreadError &&
    ['ERR_ISOBOX_THREAD_FENCED', 'ERR_ISOBOX_THREAD_STORE'].includes(error.code)
  );
}

/** @param {unknown} error */
function messageOf(error) {
  if (error instanceof Error) return error.message || error.name;
  try {
    return String(error);
  } catch {
    return 'an error that has no text';
  }
}

module.exports = { ThreadError, isFatal, messageOf, terminatedThread, unknownThread };
