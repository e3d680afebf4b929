'use strict';
// At most so many at once, first come first served.

class Semaphore {
  #free;
  /** @type {Set<(isGranted: boolean) => void>} in the order they came */
  #waiting = new Set();
  #isClosed = false;

  /** @param {number} count */
  constructor(count) {
    this.#free = count;
  }

  /**
   * @param {AbortSignal} [signal] gives up waiting
   * @returns {Promise<boolean>} whether there is a place, which must be released; false after an abort or the close
   */
  async acquire(signal) {
    if (this.#isClosed || signal?.aborted) return false;
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    return new Promise((resolve) => {
      /** @type {() => void} */
      let giveUp = () => {};
      const grant = (/** @type {boolean} */ isGranted) => {
        this.#waiting.delete(grant);
        signal?.removeEventListener('abort', giveUp);
        resolve(isGranted);
      };
      giveUp = () => grant(false);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(grant);
    });
  }

  release() {
    const [next] = this.#waiting;
    if (next !== undefined) {
      next(true);
    } else {
      this.#free++;
    }
  }

  /** Nobody waits any longer, and nobody gets in. */
  close() {
    this.#isClosed = true;
    for (const grant of [...this.#waiting]) grant(false);
  }
}

module.exports = { Semaphore };
