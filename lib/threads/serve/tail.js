'use strict';
// The newest rows of a thread, which this process or another one may be writing: each is told when it is new, or not what it was.

const { createHash } = require('node:crypto');

/** How many rows are compared; older ones do not change while a thread executes. */
const KEPT = { message: 100, log: 20 };

/** @param {unknown} value */
const digest = (value) => createHash('sha1').update(JSON.stringify(value)).digest('base64');

/** @typedef {(kind: 'message' | 'log', value: any) => void} Tell */

class Tail {
  #store;
  #id;
  #tell;
  /** Digests by key, in the order of keys. @type {Record<'message' | 'log', Map<string, string>>} */
  #seen = { message: new Map(), log: new Map() };
  /** Looks at the thread run one after the other. @type {Promise<unknown>} */
  #last;
  /** Keys that this process has written since the last look began: what that look reads of them may be older. */
  #written = new Set();

  /**
   * @param {import('../parts.js').Store} store
   * @param {string} id the thread's
   * @param {Tell} tell
   */
  constructor(store, id, tell) {
    this.#store = store;
    this.#id = id;
    this.#tell = tell;
    this.#last = this.#look(true).catch(() => {});
  }

  /**
   * What this process has written itself.
   *
   * @param {'message' | 'log'} kind
   * @param {string} key
   * @param {any} value
   */
  note(kind, key, value) {
    this.#written.add(key);
    if (this.#see(kind, key, value)) this.#tell(kind, value);
  }

  /** Looks for what other processes have written. */
  look() {
    // A store that is gone for the moment is asked again at the next change.
    this.#last = this.#last.then(() => this.#look(false)).catch(() => {});
    return this.#last;
  }

  /**
   * @param {'message' | 'log'} kind
   * @param {string} key
   * @param {any} value
   * @returns {boolean} whether it is new, or not what it was
   */
  #see(kind, key, value) {
    const seen = this.#seen[kind];
    const now = digest(value);
    if (seen.get(key) === now) return false;
    seen.set(key, now);
    if (seen.size > KEPT[kind]) seen.delete(/** @type {string} */ (seen.keys().next().value));
    return true;
  }

  /** @param {boolean} isFirst */
  async #look(isFirst) {
    for (const kind of /** @type {const} */ (['message', 'log'])) {
      const [oldest] = this.#seen[kind].keys();
      const prefix = `${kind}/${this.#id}/`;
      this.#written.clear();
      const rows = isFirst
        ? (await this.#store.list(prefix, { limit: KEPT[kind], reverse: true })).reverse()
        : await this.#store.list(prefix, { ...(oldest !== undefined && { from: oldest }) });
      for (const { key, value } of rows) {
        if (this.#written.has(key)) continue;
        if (this.#see(kind, key, value) && !isFirst) this.#tell(kind, value);
      }
    }
  }
}

module.exports = { Tail };
