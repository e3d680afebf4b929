'use strict';
// A run as its caller holds it: a promise of the outcome, stoppable, with its logs as they come.

/** @extends {Promise<any>} */
class RunHandle extends Promise {
  #terminate;
  #isRunning = true;

  /** What comes of `then` is a promise like any other. @override */
  static get [Symbol.species]() {
    return Promise;
  }

  /**
   * @param {Promise<any>} outcome never rejects
   * @param {(reason: string) => void} terminate
   * @param {import('../types/index.js').LogEntry[]} logs filled live when the request asked for it
   */
  constructor(outcome, terminate, logs) {
    let settle = (/** @type {any} */ _outcome) => {};
    super((resolve) => (settle = resolve));
    this.#terminate = terminate;
    this.logs = logs;
    outcome.then((result) => {
      this.#isRunning = false;
      settle(result);
    });
  }

  get running() {
    return this.#isRunning;
  }

  /** @param {string} [reason] */
  terminate(reason = '') {
    if (typeof reason !== 'string') throw new TypeError('terminate takes a reason as a string');
    this.#terminate(reason);
  }
}

module.exports = { RunHandle };
