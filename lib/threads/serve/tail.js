'use strict';
// The newest rows of a thread that another process may be writing: which of them are new, or not what they were.

const { createHash } = require('node:crypto');

/** How many rows are compared; older ones do not change while a thread executes. */
const KEPT = { message: 100, log: 20 };

/** @param {unknown} value */
const digest = (value) => createHash('sha1').update(JSON.stringify(value)).digest('base64');

class Tail {
  #store;
  #id;
  /** Digests by key, in the order of keys. @type {Record<'message' | 'log', Map<string, string>>} */
  #seen = { message: new Map(), log: new Map() };
  /** Looks at the thread run one after the other. @type {Promise<unknown>} */
  #last;

  /**
   * @param {import('../parts.js').Store} store
   * @param {string} id the thread's
   */
  constructor(store, id) {
    this.#store = store;
    this.#id = id;
    this.#last = this.#look(true).catch(() => {});
  }

  /**
   * What this process has written itself.
   *
   * @param {'message' | 'log'} kind
   * @param {string} key
   * @param {unknown} value
   */
  note(kind, key, value) {
    const seen = this.#seen[kind];
    seen.set(key, digest(value));
    if (seen.size > KEPT[kind]) seen.delete(/** @type {string} */ (seen.keys().next().value));
  }

  /** @returns {Promise<{ kind: 'message' | 'log', value: any }[]>} rows that are new or changed since the last time */
  changes() {
    const next = this.#last.then(() => this.#look(false));
    this.#last = next.catch(() => {});
    return next;
  }

  /** @param {boolean} isFirst */
  async #look(isFirst) {
    const changed = [];
    for (const kind of /** @type {const} */ (['message', 'log'])) {
      const [oldest] = this.#seen[kind].keys();
      const prefix = `${kind}/${this.#id}/`;
      const rows = isFirst
        ? (await this.#store.list(prefix, { limit: KEPT[kind], reverse: true })).reverse()
        : await this.#store.list(prefix, { ...(oldest !== undefined && { from: oldest }) });
      for (const { key, value } of rows) {
        if (this.#seen[kind].get(key) === digest(value)) continue;
        changed.push({ kind, value });
        this.note(kind, key, value);
      }
    }
    return changed;
  }
}

module.exports = { Tail };
