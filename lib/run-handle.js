'use strict';
// A run as its caller holds it: awaitable, stoppable, with its logs as they come.

class RunHandle {
  #outcome;
  #terminate;
  #isRunning = true;

  /**
   * @param {Promise<any>} outcome never rejects
   * @param {(reason: string) => void} terminate
   * @param {object[]} logs filled live when the request asked for it
   */
  constructor(outcome, terminate, logs) {
    this.#terminate = terminate;
    this.#outcome = outcome.then((result) => {
      this.#isRunning = false;
      return result;
    });
    this.logs = logs;
  }

  get running() {
    return this.#isRunning;
  }

  /** @param {string} [reason] */
  terminate(reason = '') {
    if (typeof reason !== 'string') throw new TypeError('terminate takes a reason as a string');
    this.#terminate(reason);
  }

  /**
   * @param {any} [onFulfilled]
   * @param {any} [onRejected]
   */
  then(onFulfilled, onRejected) {
    return this.#outcome.then(onFulfilled, onRejected);
  }

  /** @param {any} [onRejected] */
  catch(onRejected) {
    return this.#outcome.catch(onRejected);
  }

  /** @param {any} [onFinally] */
  finally(onFinally) {
    return this.#outcome.finally(onFinally);
  }
}

module.exports = { RunHandle };
