'use strict';
// Outputs of which something was left out, whole, for as long as there is room.

const { randomUUID } = require('node:crypto');

const { ToolCallError } = require('./backend-errors.js');

const MAX_BYTES = 64 * 2 ** 20;
const MAX_RESULTS = 256;

class ResultsStore {
  /** @type {Map<string, Buffer>} the oldest first */
  #results = new Map();
  #bytes = 0;

  /**
   * @param {Buffer} output which nobody changes any more
   * @returns {string} its id
   */
  keep(output) {
    const id = randomUUID().slice(0, 8);
    this.#results.set(id, output);
    this.#bytes += output.length;
    for (const [oldest, { length }] of this.#results) {
      if (this.#bytes <= MAX_BYTES && this.#results.size <= MAX_RESULTS) break;
      this.#results.delete(oldest);
      this.#bytes -= length;
    }
    return id;
  }

  /** @returns {{ id: string, bytes: number }[]} */
  list() {
    return [...this.#results].map(([id, { length }]) => ({ id, bytes: length }));
  }

  /**
   * @param {string} id
   * @returns {Buffer}
   * @throws {ToolCallError}
   */
  get(id) {
    const output = this.#results.get(id);
    if (output === undefined) {
      throw new ToolCallError(`There is no result '${id}' any more: run the code again`);
    }
    return output;
  }
}

module.exports = { ResultsStore };
