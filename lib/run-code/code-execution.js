'use strict';
// A run of code as its caller holds it: a promise of its result, stoppable, with its reports and logs as they come. It never rejects.

const { reasonOf } = require('./result.js');

/**
 * @typedef {import('./result.js').Ending} Ending
 * @typedef {object} ExecutionSide what the side that runs the code works with
 * @property {unknown[]} reports
 * @property {object[]} logs
 * @property {(ending: Ending) => void} settle only the first call counts
 */

/** @extends {Promise<any>} */
class CodeExecution extends Promise {
  /** @type {unknown[]} */
  #reports = [];
  /** @type {import('../../types/run-code.js').CodeExecutionLog[]} */
  #logs = [];
  #isRunning = true;
  #stop;

  /** What comes of `then` is a promise like any other. @override */
  static get [Symbol.species]() {
    return Promise;
  }

  /** @param {(side: ExecutionSide) => (reason: string) => void} begin starts the run, and gives what stops it */
  constructor(begin) {
    const startedAt = performance.now();
    let resolve = (/** @type {any} */ _result) => {};
    super((fulfil) => (resolve = fulfil));
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
}

module.exports = { CodeExecution };
