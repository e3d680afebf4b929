'use strict';
// A runner's input, byte by byte, as messages. The native reader splits it into lines within a bound and lets through
// what is a message; V8 makes values of those alone.

const { native } = require('../native.js');
const { isDispatcherMessage } = require('../protocol/messages.js');

/** Why a line is no message, for people. */
const REASONS = Object.freeze({
  too_long: 'it is longer than --max-line allows',
  too_deep: 'it is nested too deeply',
  not_utf8: 'it is not UTF-8',
  not_json: 'it is not JSON',
  no_message: 'it is no message of the protocol',
  out_of_memory: 'there is no memory for it',
});

/** @typedef {import('../../types/protocol.js').DispatcherMessage} DispatcherMessage */

class MessageLines {
  #reader;
  #onMessage;
  #onRefusal;

  /**
   * @param {object} options
   * @param {number} options.maxLineBytes
   * @param {(message: DispatcherMessage) => void} options.onMessage
   * @param {(line: number, reason: string) => void} options.onRefusal
   */
  constructor({ maxLineBytes, onMessage, onRefusal }) {
    this.#reader = new native.LineReader(maxLineBytes);
    this.#onMessage = onMessage;
    this.#onRefusal = onRefusal;
  }

  /** @param {Uint8Array} bytes */
  push(bytes) {
    this.#read(this.#reader.push(bytes));
  }

  /** The input is over; a last line needs no line feed. */
  end() {
    this.#read(this.#reader.end());
  }

  /** @param {import('../../types/internal/native.js').NativeLine[]} lines */
  #read(lines) {
    for (const { line, ...rest } of lines) {
      if (rest.refusal !== undefined) {
        const detail = rest.detail === '' ? '' : ` (${rest.detail})`;
        this.#onRefusal(line, REASONS[rest.refusal] + detail);
        continue;
      }
      const value = /** @type {DispatcherMessage | undefined} */ (parse(rest.text));
      if (value === undefined) this.#onRefusal(line, REASONS.not_json);
      else if (rest.isMessage || isDispatcherMessage(value)) this.#onMessage(value);
      else this.#onRefusal(line, REASONS.no_message);
    }
  }
}

/**
 * @param {string} text
 * @returns {unknown} undefined for what is not JSON
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

module.exports = { MessageLines };
