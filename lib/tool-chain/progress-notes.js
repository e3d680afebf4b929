'use strict';
// What a client that asked for it hears of a request under way.

/** @typedef {import('../../types/tool-chain.js').ToolChainProgress} ToolChainProgress */

/** Calls that follow each other closely are told together. */
const PAUSE_MS = 100;
/** Clients give up on a request they hear nothing of, after a minute as a rule. */
const HEARTBEAT_MS = 5000;

class ProgressNotes {
  #send;
  #token;
  #timer;
  /** @type {ToolChainProgress} */
  #progress = { callsDone: 0 };
  #lastSent = -Infinity;
  #repeated = 0;

  /** @param {any} extra what the SDK knows of the request */
  constructor({ _meta, sendNotification }) {
    this.#send = sendNotification;
    this.#token = _meta?.progressToken;
    if (this.#token === undefined) return;
    this.#timer = setInterval(() => this.#tell(), HEARTBEAT_MS).unref();
  }

  /** @param {ToolChainProgress} progress */
  note(progress) {
    if (progress.callsDone > this.#progress.callsDone) this.#repeated = 0;
    this.#progress = progress;
    const isSoon = performance.now() - this.#lastSent < PAUSE_MS;
    if (this.#token === undefined || (isSoon && progress.waitingFor === undefined)) return;
    this.#tell();
  }

  end() {
    clearInterval(this.#timer);
  }

  #tell() {
    this.#lastSent = performance.now();
    const params = {
      progressToken: this.#token,
      progress: this.#number(),
      message: messageOf(this.#progress),
    };
    // Whether anybody hears it is no affair of the run's.
    this.#send({ method: 'notifications/progress', params }).catch(() => {});
  }

  /** MCP wants a larger number each time: between two calls it comes closer to the next. */
  #number() {
    const number = this.#progress.callsDone + 1 - 1 / (this.#repeated + 1);
    this.#repeated++;
    return number;
  }
}

/** @param {ToolChainProgress} progress */
function messageOf({ callsDone, lastCall, waitingFor }) {
  const last = lastCall === undefined ? '' : `, last ${lastCall}`;
  const waiting = waitingFor === undefined ? '' : `; waiting for consent to ${waitingFor}`;
  return `${callsDone} calls${last}${waiting}`;
}

module.exports = { ProgressNotes };
