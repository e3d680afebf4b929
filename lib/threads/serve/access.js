'use strict';
// Who may do what: bearer tokens, and the users they stand for.

const { createHash } = require('node:crypto');

const { isRecord } = require('../../checks/options.js');
const { HttpError } = require('./request.js');

/** @typedef {{ user: string | null }} Caller without a user: all threads */

/** @param {string} token compared as digests: how long that takes tells nothing */
const digest = (token) => createHash('sha256').update(token).digest('hex');

class Access {
  /** @type {Map<string, Caller>} */
  #callers = new Map();

  /** @param {unknown} tokens texts, or an object of `{ user }` by token */
  constructor(tokens) {
    const entries = Array.isArray(tokens)
      ? tokens.map((token) => [token, {}])
      : isRecord(tokens)
        ? Object.entries(tokens)
        : [];
    if (entries.length === 0) {
      throw new TypeError(
        "tokens must be a list of tokens, or an object such as { token: { user: 'ada' } }",
      );
    }
    for (const [token, about] of entries) {
      if (typeof token !== 'string' || token === '') throw new TypeError('A token must be a text');
      const user = isRecord(about) ? about.user : undefined;
      if (user !== undefined && typeof user !== 'string') {
        throw new TypeError('user must be a string');
      }
      this.#callers.set(digest(token), { user: user ?? null });
    }
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {URLSearchParams} query browsers cannot give a WebSocket a header
   * @returns {Caller}
   */
  check(request, query) {
    const [, given] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const token = given ?? query.get('token');
    const caller = token === null ? undefined : this.#callers.get(digest(token));
    if (caller === undefined) {
      throw new HttpError(401, 'Give a valid token: Authorization: Bearer <token>');
    }
    return caller;
  }
}

/**
 * @param {Caller} caller
 * @param {{ user_id: string | null }} thread
 */
function checkOwner(caller, thread) {
  if (caller.user !== null && caller.user !== thread.user_id) {
    throw new HttpError(403, 'The thread belongs to somebody else');
  }
}

module.exports = { Access, checkOwner };
