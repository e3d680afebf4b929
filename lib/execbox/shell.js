'use strict';
// What workers and processes have in common as shells: a transport, a ready sign, one end.

// Said beside the protocol. A shell is ready once a guest could start, and says it again when it is asked and still so.
const READY = 'isobox:ready';
const PROBE = 'isobox:probe';

const PROBE_MS = 250;

/**
 * How a kind of shell does what all of them do.
 *
 * @typedef {object} ShellActions
 * @property {(message: object) => unknown} send
 * @property {() => void} hold
 * @property {() => void} unhold
 * @property {() => void} kill
 */

class Shell {
  #actions;
  /** @type {Set<(message: any) => void>} */
  #onMessage = new Set();
  /** @type {Set<(reason: import('../../types/protocol.js').TransportCloseReason) => void>} */
  #onClose = new Set();
  /** @type {import('../../types/protocol.js').TransportCloseReason | undefined} */
  #closeReason;
  #isEnding = false;
  #announceReady = () => {};
  #announceExit = () => {};
  #failReady = (/** @type {Error} */ _error) => {};
  #exit = new Promise((/** @type {(value: void) => void} */ resolve) => {
    this.#announceExit = resolve;
  });

  /** @param {ShellActions} actions */
  constructor(actions) {
    this.#actions = actions;
    this.ready = new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
      this.#announceReady = resolve;
      this.#failReady = reject;
    });
    this.transport = {
      send: actions.send,
      onMessage: (/** @type {(message: any) => void} */ handler) => {
        this.#onMessage.add(handler);
        return () => {
          this.#onMessage.delete(handler);
        };
      },
      onClose: (
        /** @type {(reason?: import('../../types/protocol.js').TransportCloseReason) => void} */ handler,
      ) => {
        // A shell that has ended already says so to whoever comes.
        if (this.#closeReason !== undefined) handler(this.#closeReason);
        this.#onClose.add(handler);
        return () => {
          this.#onClose.delete(handler);
        };
      },
      terminate: () => this.terminate(),
    };
  }

  /** @returns {Promise<boolean>} whether nothing of past executions is left in it */
  probe() {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), PROBE_MS).unref();
      void this.#exit.then(() => resolve(false));
      this.#announceReady = () => {
        clearTimeout(timer);
        resolve(true);
      };
      Promise.resolve(this.#actions.send({ type: PROBE })).catch(() => resolve(false));
    });
  }

  get isAlive() {
    return this.#closeReason === undefined && !this.#isEnding;
  }

  /** @param {any} message from the shell */
  receive(message) {
    if (message?.type === READY) {
      this.#announceReady();
      return;
    }
    for (const handler of [...this.#onMessage]) handler(message);
  }

  /** @param {import('../../types/protocol.js').TransportCloseReason} reason why no message will come any more */
  end(reason) {
    if (this.#closeReason !== undefined) return;
    this.#closeReason = reason;
    this.#failReady(new Error(reason.message));
    for (const handler of [...this.#onClose]) handler(reason);
    this.#announceExit();
  }

  /** @param {() => void} handler */
  onExit(handler) {
    void this.#exit.then(handler);
  }

  hold() {
    this.#actions.hold();
  }

  unhold() {
    this.#actions.unhold();
  }

  async terminate() {
    if (this.#closeReason !== undefined) return;
    this.#isEnding = true;
    // Waiting for the end is reason enough to live.
    this.#actions.hold();
    this.#actions.kill();
    await this.#exit;
  }
}

module.exports = { PROBE, READY, Shell };
