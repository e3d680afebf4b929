'use strict';
// What thread states tell without waiting: a thread's record and its children, kept current while somebody holds them.

/** @typedef {import('../store/thread-record.js').ThreadRecord} ThreadRecord */

/** One thread as it was last seen. */
class Snapshot {
  /** @type {Map<string, any>} */
  children = new Map();

  /** @param {ThreadRecord} thread */
  constructor(thread) {
    this.thread = thread;
  }
}

class Snapshots {
  #store;
  /** @type {Map<string, WeakRef<Snapshot>>} */
  #held = new Map();
  #gone = new FinalizationRegistry((/** @type {string} */ id) => {
    if (this.#held.get(id)?.deref() === undefined) this.#held.delete(id);
  });

  /** @param {import('../parts.js').Store} store */
  constructor(store) {
    this.#store = store;
    store.follow(({ records }) => {
      for (const { key, value } of records) this.#apply(key, value);
    });
  }

  /**
   * @param {string} id
   * @returns {Promise<Snapshot | null>} null when there is no such thread
   */
  async load(id) {
    const thread = await this.#store.get(`thread/${id}`);
    if (thread === undefined) return null;
    const children = await this.#store.list(`child/${id}/`);
    let snapshot = this.#held.get(id)?.deref();
    if (snapshot === undefined) {
      snapshot = new Snapshot(thread);
      this.#held.set(id, new WeakRef(snapshot));
      this.#gone.register(snapshot, id);
    }
    if (thread.clock >= snapshot.thread.clock) snapshot.thread = thread;
    snapshot.children = new Map(children.map(({ value }) => [value.reference, value]));
    return snapshot;
  }

  /** Another process has changed the thread. @param {string} id */
  async refresh(id) {
    if (this.#held.get(id)?.deref() !== undefined) await this.load(id);
  }

  /**
   * @param {string} key
   * @param {any} value
   */
  #apply(key, value) {
    const [kind, id] = key.split('/');
    if (kind !== 'thread' && kind !== 'child') return;
    const snapshot = this.#held.get(id)?.deref();
    if (snapshot === undefined) return;
    if (kind === 'thread') snapshot.thread = value;
    else snapshot.children.set(value.reference, value);
  }
}

module.exports = { Snapshots };
