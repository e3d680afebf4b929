'use strict';
// One execution as tools and hooks see it: `state.execution`.

class Execution {
  /** @type {'a' | 'b'} */
  currentSide = 'a';
  stepCount = 0;
  sideAStepCount = 0;
  sideBStepCount = 0;
  stopped = false;
  /** @type {string | undefined} */
  stoppedBy = undefined;
  /** What the model was sent last. @type {any[]} */
  messageHistory = [];
  /** @type {string[]} */
  promptPath = [];
  /** The call that is being answered: the same after a crash, so it can serve as an idempotency key. @type {string | null} */
  toolCallId = null;
  /** In memory, for one execution. @type {Record<string, unknown>} */
  context = {};
  #controller = new AbortController();
  /** @type {'a' | 'b' | null} */
  #forced = null;
  /** @type {{ result?: string, notifyParent?: boolean, status?: string } | null} */
  #sessionEnd = null;

  /** @param {string} flowId */
  constructor(flowId) {
    this.flowId = flowId;
  }

  get abortSignal() {
    return this.#controller.signal;
  }

  /** Ends the execution after the current operation. */
  stop() {
    this.stopped = true;
    this.stoppedBy ??= 'code';
  }

  /** @param {'a' | 'b'} side plays next, whatever the stop conditions say */
  forceTurn(side) {
    if (side !== 'a' && side !== 'b') throw new TypeError("forceTurn takes 'a' or 'b'");
    this.#forced = side;
  }

  /** The forced turn, once. */
  takeForcedTurn() {
    const side = this.#forced;
    this.#forced = null;
    return side;
  }

  /** @param {{ result?: string, notifyParent?: boolean, status?: string }} end */
  endSession(end) {
    this.#sessionEnd = end;
  }

  takeSessionEnd() {
    const end = this.#sessionEnd;
    this.#sessionEnd = null;
    return end;
  }

  /** @param {string} reason */
  abort(reason) {
    this.stopped = true;
    this.stoppedBy ??= reason;
    this.#controller.abort(new DOMException(`The execution was ended: ${reason}`, 'AbortError'));
  }
}

module.exports = { Execution };
