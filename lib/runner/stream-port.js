'use strict';
// The runner's end of a connection over two streams: messages as lines of JSON.

const { finished } = require('node:stream/promises');

const { MessageLines } = require('./message-lines.js');

/** @typedef {import('../../types/protocol.js').RunnerMessage} RunnerMessage */
/** @typedef {import('../../types/protocol.js').DispatcherMessage} DispatcherMessage */

/**
 * Input waits while output does, so that a host that sends and does not read costs no memory: what a guest may have
 * under way has bounds of its own.
 */
class StreamPort {
  #input;
  #output;
  #lines;
  #isClosed = false;
  /** @type {Set<string>} */
  #executions = new Set();
  #onIdle = () => {};
  /** @type {(message: DispatcherMessage) => void} */
  #onMessage = () => {};
  #onClose = () => {};

  /**
   * @param {import('node:stream').Readable} input
   * @param {import('node:stream').Writable} output
   * @param {{ maxLineBytes: number, onRefusal: (line: number, reason: string) => void }} options
   */
  constructor(input, output, { maxLineBytes, onRefusal }) {
    this.#input = input;
    this.#output = output;
    this.#lines = new MessageLines({
      maxLineBytes,
      onRefusal,
      onMessage: (message) => this.#receive(message),
    });
    output.on('drain', () => input.resume());
  }

  /**
   * Reads until one side is gone.
   *
   * @returns {Promise<'input' | 'output'>} which
   */
  async serve() {
    const inputGone = new Promise((resolve) => {
      this.#input.on('data', (chunk) => this.#lines.push(chunk));
      this.#input.once('end', () => {
        this.#lines.end();
        resolve(undefined);
      });
      this.#input.once('error', resolve);
    });
    const outputGone = finished(this.#output).catch(() => {});
    return Promise.race([
      inputGone.then(() => /** @type {const} */ ('input')),
      outputGone.then(() => /** @type {const} */ ('output')),
    ]);
  }

  /** @param {DispatcherMessage} message */
  #receive(message) {
    if (this.#isClosed) return;
    if (message.type === 'execute') this.#executions.add(message.id);
    this.#onMessage(message);
  }

  /** @param {(message: DispatcherMessage) => void} handler */
  onMessage(handler) {
    this.#onMessage = handler;
  }

  /** @param {() => void} handler */
  onClose(handler) {
    this.#onClose = handler;
  }

  /** @param {RunnerMessage} message */
  send(message) {
    const hasRoom = this.#output.write(`${JSON.stringify(message)}\n`);
    if (!hasRoom) this.#input.pause();
    if (message.type !== 'done') return;
    this.#executions.delete(message.id);
    if (this.#executions.size === 0) this.#onIdle();
  }

  /**
   * The host is gone: cancels what runs.
   *
   * @returns {Promise<void>} resolves when every execution has had its `done` and the host has taken it
   */
  async close() {
    this.#isClosed = true;
    this.#input.pause();
    this.#onClose();
    if (this.#executions.size > 0) {
      await new Promise((resolve) => {
        this.#onIdle = () => resolve(undefined);
      });
    }
    await new Promise((resolve) => {
      this.#output.write('', resolve);
    });
  }
}

module.exports = { StreamPort };
