'use strict';
// One request under way: its time, its place, what it may ask, and what it has done.

const { Deadline } = require('../execution/deadline.js');
const { sharedAbortController } = require('../shared-abort.js');
const { ToolCallError } = require('./backend-errors.js');
const { MAX_CONTENT_BYTES } = require('./fit-content.js');

/** @typedef {InstanceType<typeof import('../semaphore.js').Semaphore>} Semaphore */
/** @typedef {import('../../types/tool-chain.js').ToolChainContext} ToolChainContext */
/** @typedef {import('./render-result.js').ContentBlock} ContentBlock */

/** Nobody waits for a run any more when it aborts for this. */
const ENDED = new ToolCallError('The call has ended');

class ChainRun {
  #controller = sharedAbortController();
  #deadline;
  #semaphore;
  #hasEntered = false;
  #isHeld = false;
  #asking = 0;
  #forget = () => {};
  #contentBytes = 0;
  #contentLeftOut = 0;
  callsDone = 0;
  /** @type {string | undefined} */
  #lastCall;
  /** What its calls gave beside their values. @type {ContentBlock[]} */
  content = [];

  /**
   * @param {object} options
   * @param {number} options.timeoutMs
   * @param {Semaphore} options.semaphore
   * @param {ToolChainContext} options.context
   */
  constructor({ timeoutMs, semaphore, context }) {
    this.timeoutMs = timeoutMs;
    this.context = context;
    this.#semaphore = semaphore;
    this.#deadline = new Deadline(timeoutMs, () =>
      this.#controller.abort(new ToolCallError(`The call timed out after ${timeoutMs} ms`)),
    );
    this.#deadline.resume();
    const { signal } = context;
    if (signal === undefined) return;
    const cancel = () => this.#controller.abort(new ToolCallError('The call was cancelled'));
    signal.addEventListener('abort', cancel, { once: true });
    this.#forget = () => signal.removeEventListener('abort', cancel);
    if (signal.aborted) cancel();
  }

  /** Aborts when its time is over, it was cancelled, or it has ended. Its reason is the answer. */
  get signal() {
    return this.#controller.signal;
  }

  /** Milliseconds to its deadline. */
  get timeLeft() {
    return this.#deadline.left;
  }

  /** @throws {ToolCallError} when the wait for a place outlasts the time */
  async enter() {
    this.#hasEntered = true;
    this.#isHeld = await this.#semaphore.acquire(this.signal);
    if (this.#isHeld) return;
    if (this.context.signal?.aborted) throw this.signal.reason;
    throw new ToolCallError(
      'sandbox concurrency limit reached. All V8 isolates are busy. ' +
        'Try again shortly or increase max_concurrent_sandboxes in config.',
    );
  }

  /**
   * The deadline stands still, and the place is free for others.
   *
   * @template T
   * @param {string} tool for whose call somebody is asked
   * @param {() => Promise<T>} ask
   * @returns {Promise<T>}
   */
  async whileAsking(tool, ask) {
    if (this.#asking++ === 0) {
      this.#deadline.pause();
      this.#leave();
    }
    this.#tellProgress({ waitingFor: tool });
    try {
      return await ask();
    } finally {
      if (--this.#asking === 0) await this.#goOn();
      this.#tellProgress({});
    }
  }

  /** @param {string} tool */
  noteCall(tool) {
    this.callsDone++;
    this.#lastCall = tool;
    this.#tellProgress({});
  }

  /** @param {ContentBlock[]} blocks of which as many are kept as an answer holds */
  addContent(blocks) {
    for (const block of blocks) {
      this.#contentBytes += JSON.stringify(block).length;
      if (this.#contentBytes <= MAX_CONTENT_BYTES) this.content.push(block);
      else this.#contentLeftOut++;
    }
    if (this.#contentLeftOut === 0) return;
    const text = `[${this.#contentLeftOut} blocks of content beside results were left out]`;
    this.content = [...this.content.filter(({ type }) => type !== 'text'), { type: 'text', text }];
  }

  end() {
    this.#deadline.end();
    this.#forget();
    this.#leave();
    this.#controller.abort(ENDED);
  }

  /** @param {{ waitingFor?: string }} what */
  #tellProgress(what) {
    this.context.onProgress?.({
      callsDone: this.callsDone,
      ...(this.#lastCall !== undefined && { lastCall: this.#lastCall }),
      ...what,
    });
  }

  #leave() {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#semaphore.release();
  }

  async #goOn() {
    this.#deadline.resume();
    if (!this.#hasEntered) return;
    const isGranted = await this.#semaphore.acquire(this.signal);
    // Meanwhile another call may have begun to ask, or one that asked before may have got a place.
    if (isGranted && (this.#asking > 0 || this.#isHeld)) this.#semaphore.release();
    else if (isGranted) this.#isHeld = true;
    if (this.#asking > 0) this.#deadline.pause();
  }
}

module.exports = { ChainRun };
