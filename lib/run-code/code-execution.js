'use strict';
// A run of code as its caller holds it: awaitable, stoppable, with its reports and logs as they come. It never rejects.

const { reasonOf } = require('./text-of.js');

/**
 * @typedef {import('./result.js').Ending} Ending
 * @typedef {object} ExecutionSide what the side that runs the code works with
 * @property {unknown[]} reports
 * @property {object[]} logs
 * @property {(ending: Ending) => void} settle only the first call counts
 */

class CodeExecution {
  /** @type {unknown[]} */
  #reports = [];
  /** @type {import('../../types/run-code.js').CodeExecutionLog[]} */
  #logs = [];
  #isRunning = true;
  #result;
  #stop;

  /** @param {(side: ExecutionSide) => (reason: string) => void} begin starts the run, and gives what stops it */
  constructor(begin) {
    const startedAt = performance.now();
    let resolve = (/** @type {any} */ _result) => {};
    this.#result = new Promise((fulfil) => (resolve = fulfil));
    this.#stop = begin({
      reports: this.#reports,
      logs: this.#logs,
      settle: (ending) => {
        if (!this.#isRunning) return;
        this.#isRunning = false;
        const durationMs = performance.now() - startedAt;
        resolve({ ...ending, reports: this.#reports, logs: this.#logs, durationMs });
      },
    });
  }

  get running() {
    return this.#isRunning;
  }

  get reports() {
    return this.#reports;
  }

  get logs() {
    return this.#logs;
  }

  /** @param {unknown} [reason] */
  terminate(reason) {
    if (this.#isRunning) this.#stop(reasonOf(reason));
  }

  /**
   * @param {any} [onFulfilled]
   * @param {any} [onRejected]
   */
  then(onFulfilled, onRejected) {
    return this.#result.then(onFulfilled, onRejected);
  }

  /** @param {any} [onRejected] */
  catch(onRejected) {
    return this.#result.catch(onRejected);
  }

  /** @param {any} [onFinally] */
  finally(onFinally) {
    return this.#result.finally(onFinally);
  }
}

module.exports = { CodeExecution };
