'use strict';
// A transport inside one process: two ends, between which only copies of messages pass.

/** @typedef {import('../../types/protocol.js').RunnerPort} RunnerPort */
/** @typedef {import('../../types/protocol.js').HostTransport} HostTransport */

/** What happens at one end, heard by those who subscribed. */
class End {
  /** @type {Set<(message: any) => void>} */
  #onMessage = new Set();
  /** @type {Set<() => void>} */
  #onClose = new Set();
  isClosed = false;

  /** @param {unknown} message */
  deliver(message) {
    if (this.isClosed) return;
    const copy = structuredClone(message);
    queueMicrotask(() => {
      if (this.isClosed) return;
      for (const handler of [...this.#onMessage]) handler(copy);
    });
  }

  close() {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const handler of [...this.#onClose]) handler();
  }

  /** @param {(message: any) => void} handler */
  onMessage(handler) {
    this.#onMessage.add(handler);
    return () => {
      this.#onMessage.delete(handler);
    };
  }

  /** @param {(reason?: import('../../types/protocol.js').TransportCloseReason) => void} handler */
  onClose(handler) {
    const tell = () => handler({ message: 'The port pair is closed' });
    if (this.isClosed) queueMicrotask(tell);
    this.#onClose.add(tell);
    return () => {
      this.#onClose.delete(tell);
    };
  }
}

/** @returns {import('../../types/protocol.js').PortPair} */
function createPortPair() {
  const host = new End();
  const runner = new End();
  const close = () => {
    host.close();
    runner.close();
  };
  return {
    transport: {
      send: (message) => runner.deliver(message),
      onMessage: (handler) => host.onMessage(handler),
      onClose: (handler) => host.onClose(handler),
      onError: () => () => {},
      terminate: close,
      dispose: () => {},
    },
    port: {
      send: (message) => host.deliver(message),
      onMessage: (handler) => runner.onMessage(handler),
      onClose: (handler) => runner.onClose(handler),
    },
    close,
  };
}

module.exports = { createPortPair };
