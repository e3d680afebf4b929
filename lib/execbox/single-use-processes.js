'use strict';
// Processes that serve one run each: pools of one process and one thread, disposed of behind their run.

const { IsolatePool } = require('../pool.js');

/** As much of a pool as an executor needs. */
class SingleUseProcesses {
  #options;
  #kept;
  /** @type {InstanceType<typeof IsolatePool>[]} */
  #unused = [];
  /** @type {Set<InstanceType<typeof IsolatePool>>} */
  #all = new Set();
  #isDisposed = false;

  /**
   * @param {Record<string, any>} place as a pool's options
   * @param {{ kept: number, idleMs: number }} options how many are kept ready, and for how long further ones are
   */
  constructor({ processes, ...place }, { kept, idleMs }) {
    if (processes !== undefined) {
      throw new TypeError(
        "options.processes has no use in mode 'ephemeral': options.pool.maxSize says how many there are at once",
      );
    }
    this.#options = { ...place, threads: 1, warm: { target: 1, idleMs } };
    this.#kept = kept;
    // Refuses what is wrong with the options before there is anything to run.
    this.#fill(Math.max(1, kept));
  }

  /** @param {import('../../types/index.js').RunRequest} request */
  run(request) {
    const pool = this.#unused.pop() ?? this.#open();
    let handle;
    try {
      handle = pool.run(request);
    } catch (error) {
      this.#unused.push(pool);
      throw error;
    }
    void handle.then(() => this.#end(pool));
    return handle;
  }

  /** @param {number} count */
  async prewarm(count) {
    this.#fill(count);
    await Promise.all(this.#unused.map((pool) => pool.prewarm(1)));
  }

  stats() {
    const threads = [...this.#all].map((pool) => pool.stats().threads);
    return { threads: threads.reduce((sum, one) => sum + one, 0) };
  }

  async dispose() {
    this.#isDisposed = true;
    await Promise.all([...this.#all].map((pool) => pool.dispose()));
  }

  #open() {
    const pool = new IsolatePool(this.#options);
    this.#all.add(pool);
    if (this.#isDisposed) void this.#end(pool);
    return pool;
  }

  /** @param {number} count */
  #fill(count) {
    while (!this.#isDisposed && this.#unused.length < count) this.#unused.push(this.#open());
  }

  /** @param {InstanceType<typeof IsolatePool>} pool */
  async #end(pool) {
    await pool.dispose();
    this.#all.delete(pool);
    this.#fill(this.#kept);
  }
}

module.exports = { SingleUseProcesses };
