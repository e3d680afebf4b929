'use strict';
// From a package and a tool's name to what the tool came to: installs, prepares and runs.

const { randomUUID } = require('node:crypto');
const fs = require('node:fs');

const { IsolatePool } = require('../pool.js');
const { Failure } = require('./base/failures.js');
const { PackageStore } = require('./packages/store.js');
const { Preparation } = require('./prepare/prepare.js');
const { runInIsolate } = require('./run/isolate.js');
const { runInProcess } = require('./run/process.js');

/** @typedef {ReturnType<typeof import('./options.js').readOptions>} Options */
/**
 * @typedef {object} Metadata what a response says of how it came about
 * @property {string} packageName
 * @property {string} [version] the exact one
 * @property {boolean} [cached] whether it was installed before
 * @property {'isolate' | 'process'} [isolation] which way was taken
 * @property {string[]} [reasons] why it was not an isolate
 */
/** @typedef {{ text: string, value: any }} Answer */

class Engine {
  #options;
  #store;
  #preparation;
  #pool;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#pool = new IsolatePool(options.pool);
    this.#store = new PackageStore(options);
    this.#preparation = new Preparation({
      timeoutMs: options.installTimeoutMs,
      scratch: () => this.#store.scratch(),
    });
  }

  /**
   * @param {import('./serve/ask.js').ToolAsk} ask
   * @param {object} how
   * @param {import('./guest/driver.js').Ask['action']} how.action
   * @param {Metadata} how.metadata is filled as things become known
   * @param {AbortSignal} how.signal aborts with a Failure
   * @param {import('./run/isolate.js').Told} [how.told]
   * @returns {Promise<Answer>}
   */
  async run({ packageName, spec, isExact, name, params, env }, { action, metadata, signal, told }) {
    const held = await this.#store.hold(packageName, spec, isExact, signal);
    try {
      const { installed } = held;
      metadata.version = installed.version;
      metadata.cached = held.isCached;
      const prepared = await this.#preparation.prepare(installed);
      signal.throwIfAborted();
      metadata.isolation = prepared.way;
      const ask = { action, name, params, env, toolCallId: `exec_${randomUUID()}` };
      const how = { limits: this.#options, signal, told };
      if (prepared.way === 'isolate') {
        return await runInIsolate(this.#pool, prepared.code, ask, how);
      }
      metadata.reasons = prepared.reasons;
      return await this.#runInProcess(installed, ask, how);
    } finally {
      held.release();
    }
  }

  /**
   * @param {import('./packages/store.js').Installed} installed
   * @param {import('./guest/driver.js').Ask} ask
   * @param {Parameters<typeof runInProcess>[2]} how
   */
  async #runInProcess({ folder, name, version }, ask, how) {
    const { allow, isolateOnly } = this.#options;
    if (isolateOnly) {
      throw new Failure(
        'notImported',
        `${name}@${version} needs a process of its own, and this executor has isolates only`,
      );
    }
    const scratch = this.#store.scratch();
    try {
      return await runInProcess({ folder, scratch, allow }, ask, how);
    } finally {
      await fs.promises.rm(scratch, { recursive: true, force: true });
    }
  }

  close() {
    return this.#pool.dispose();
  }
}

module.exports = { Engine };
