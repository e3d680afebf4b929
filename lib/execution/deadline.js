'use strict';
// A deadline that can stand still. It begins with the first `resume`.

class Deadline {
  #left;
  #onOver;
  #startedAt = 0;
  #isEnded = false;
  #waiting = 0;
  isOver = false;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {number} ms
   * @param {() => void} onOver
   */
  constructor(ms, onOver) {
    this.#left = ms;
    this.#onOver = () => {
      this.isOver = true;
      onOver();
    };
  }

  pause() {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= performance.now() - this.#startedAt;
  }

  resume() {
    if (this.#timer !== undefined || this.#isEnded) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#onOver, Math.max(0, this.#left));
  }

  /**
   * Stands still while anything that was begun with this goes on.
   *
   * @template T
   * @param {() => Promise<T>} wait
   * @returns {Promise<T>}
   */
  async whileStill(wait) {
    if (this.#waiting++ === 0) this.pause();
    try {
      return await wait();
    } finally {
      if (--this.#waiting === 0) this.resume();
    }
  }

  /** Milliseconds that are left of it. */
  get left() {
    const running = this.#timer === undefined ? 0 : performance.now() - this.#startedAt;
    return Math.max(0, this.#left - running);
  }

  end() {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }
}

module.exports = { Deadline };
