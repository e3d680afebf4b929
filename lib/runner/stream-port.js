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

  /** @param {RunnerMessage} message */
  send(message) {
    const hasRoom = this.#output.write(`${toLine(message)}\n`);
    if (!hasRoom) this.#input.pause();
    if (message.type !== 'done') return;
    this.#executions.delete(message.id);
    if (this.#executions.size === 0) this.#onIdle();
  }

  /**
   * Takes no more messages, and cancels what runs: the host has stopped writing, but may still read.
   *
   * @returns {Promise<void>} resolves when every execution has had its `done` and the host has taken it
   */
  async close() {
    this.#isClosed = true;
    this.#input.pause();
    for (const id of this.#executions) this.#onMessage({ type: 'cancel', id });
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

/**
 * @param {RunnerMessage} message
 * @returns {string} one line for every reader: also for those that end lines at U+0085, U+2028 and U+2029, which JSON
 *   leaves as they are
 */
function toLine(message) {
  return JSON.stringify(message).replace(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

module.exports = { StreamPort };
