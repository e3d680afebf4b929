'use strict';
// Which threads have changed, in this process and in others: looked for only while somebody wants to know. Others are seen
// within LOOK_MS, by the index of threads by when something happened in them.

const { keys, readTimed } = require('../store/keys.js');

const LOOK_MS = 250;
/** Clocks differ, and a transaction may be seen later than one that began after it. */
const OVERLAP_MICROS = 3e6;
const PAGE = 1000;

/**
 * @typedef {object} Told
 * @property {(id: string, isElsewhere: boolean) => void} changed
 * @property {(id: string, user: string | null) => void} deleted
 */

class Changes {
  #store;
  #told;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #isLooking = false;
  /** What has been told, by entry of the index, with its time. @type {Map<string, number>} */
  #known = new Map();
  #from = 0;

  /**
   * @param {import('../parts.js').Store} store
   * @param {Told} told
   */
  constructor(store, told) {
    this.#store = store;
    this.#told = told;
    store.follow(({ records }) => {
      if (this.#timer === undefined) return;
      for (const { key, value } of records) this.#tell(key, value, false);
    });
  }

  /** @param {boolean} isWanted */
  want(isWanted) {
    if (isWanted === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#known.clear();
    if (!isWanted) return;
    this.#from = this.#store.now();
    this.#timer = setInterval(() => void this.#start(), LOOK_MS).unref();
  }

  async #start() {
    // A store that is slow, or gone, is asked once at a time.
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.#look().catch(() => {});
    this.#isLooking = false;
  }

  async #look() {
    const now = this.#store.now();
    const since = this.#from - OVERLAP_MICROS;
    for (const kind of /** @type {const} */ (['touched', 'deleted'])) {
      let from = keys[kind](since, '');
      for (let isMore = true; isMore;) {
        const page = await this.#store.list(`${kind}/`, { from, limit: PAGE });
        if (this.#timer === undefined) return;
        for (const { key, value } of page) this.#tell(key, value, true);
        isMore = page.length === PAGE;
        if (isMore) from = `${page[PAGE - 1].key}\0`;
      }
    }
    this.#from = now;
    for (const [key, at] of this.#known) if (at < since) this.#known.delete(key);
  }

  /**
   * @param {string} key
   * @param {any} value
   * @param {boolean} isElsewhere
   */
  #tell(key, value, isElsewhere) {
    const isChange = key.startsWith('touched/');
    if (!(isChange || key.startsWith('deleted/')) || this.#known.has(key)) return;
    const { at, id } = readTimed(key);
    this.#known.set(key, at);
    if (isChange) this.#told.changed(id, isElsewhere);
    else this.#told.deleted(id, value.user_id);
  }
}

module.exports = { Changes };
