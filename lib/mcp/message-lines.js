'use strict';
// What a program writes, as messages, in time that is linear in it. The SDK's own buffer copies all that it has for every
// piece that comes: minutes for a message of 64 MiB.

const { loadTypes } = require('./sdk.js');

const LINE_FEED = 0x0a;

/** In the place of the `ReadBuffer` of the SDK's stdio transports. */
class MessageLines {
  #maxBytes;
  /** The beginning of a line whose end has not come yet. @type {Buffer[]} */
  #pieces = [];
  #bytes = 0;
  /** What has come behind it. @type {Buffer} */
  #rest = Buffer.alloc(0);

  /** @param {number} maxBytes of one message */
  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  /**
   * @param {Buffer} chunk when all messages before it were read
   * @throws {Error} when a message is too large
   */
  append(chunk) {
    this.#rest = chunk;
    if (this.#bytes + chunk.length <= this.#maxBytes) return;
    this.clear();
    throw new Error(`a message has more than ${this.#maxBytes} bytes`);
  }

  /**
   * @returns {import('@modelcontextprotocol/sdk/types.js').JSONRPCMessage | null} null when the next one is not whole yet
   * @throws {Error} for a line that is no message
   */
  readMessage() {
    const end = this.#rest.indexOf(LINE_FEED);
    if (end < 0) {
      this.#pieces.push(this.#rest);
      this.#bytes += this.#rest.length;
      this.#rest = Buffer.alloc(0);
      return null;
    }
    const line = Buffer.concat([...this.#pieces, this.#rest.subarray(0, end)]).toString();
    this.#pieces = [];
    this.#bytes = 0;
    this.#rest = this.#rest.subarray(end + 1);
    return loadTypes().JSONRPCMessageSchema.parse(JSON.parse(line));
  }

  clear() {
    this.#pieces = [];
    this.#bytes = 0;
    this.#rest = Buffer.alloc(0);
  }
}

module.exports = { MessageLines };
