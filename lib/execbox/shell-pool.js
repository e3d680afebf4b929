'use strict';
// Shells: workers or processes that run one execution at a time and are kept for the next one.

const { Slots } = require('./slots.js');

/**
 * A runner with a life of its own, ready for an execution.
 *
 * @typedef {object} Shell
 * @property {import('../../types/protocol.js').HostTransport} transport
 * @property {boolean} isAlive until it ends, or is told to
 * @property {(handler: () => void) => void} onExit
 * @property {() => Promise<boolean>} probe whether it is as good as new
 * @property {() => void} hold keeps this process alive, from its start on
 * @property {() => void} unhold
 * @property {() => Promise<void>} terminate resolves when it is gone
 */

class ShellPool {
  #create;
  #options;
  #slots;
  /** @type {Map<Shell, NodeJS.Timeout | undefined>} with the timer of its eviction; the last one is used first */
  #idle = new Map();
  /** @type {WeakMap<Shell, Promise<boolean>>} whether those that were not trusted can be */
  #probes = new WeakMap();
  /** @type {Set<Shell>} */
  #all = new Set();
  /** @type {Set<Promise<unknown>>} */
  #starting = new Set();
  /** @type {Set<{ isClaimed: boolean, shell: Promise<Shell> }>} those that start for nobody yet */
  #spares = new Set();
  #isDisposed = false;

  /**
   * @param {() => { shell: Shell, ready: Promise<void> }} create `ready` rejects when it cannot be used
   * @param {{ maxSize: number, minSize: number, idleTimeoutMs: number }} options
   */
  constructor(create, options) {
    this.#create = create;
    this.#options = { ...options, minSize: Math.min(options.minSize, options.maxSize) };
    this.#slots = new Slots(options.maxSize);
  }

  get size() {
    return this.#all.size;
  }

  /**
   * @param {AbortSignal} [signal]
   * @returns {Promise<Shell | undefined>} to be released; undefined after an abort and after the disposal
   */
  async acquire(signal) {
    if (!(await this.#slots.acquire(signal))) return undefined;
    try {
      const shell = (await this.#takeIdle()) ?? (await this.#claimSpare()) ?? (await this.#start());
      if (!signal?.aborted && !this.#isDisposed) return shell;
      this.release(shell, 'reuse');
      return undefined;
    } catch (error) {
      this.#slots.release();
      throw error;
    }
  }

  /**
   * @param {Shell} shell
   * @param {'reuse' | 'probe' | 'end'} fate `probe`: it is used again when it shows that nothing is left in it
   */
  release(shell, fate) {
    if (fate !== 'end' && shell.isAlive && !this.#isDisposed) {
      if (fate === 'probe') this.#probes.set(shell, this.#probe(shell));
      this.#keep(shell);
    } else {
      void shell.terminate();
    }
    this.#slots.release();
    this.#refill();
  }

  /** @param {Shell} shell */
  async #probe(shell) {
    const isFit = await shell.probe();
    if (!isFit) void shell.terminate();
    return isFit;
  }

  /** @param {number} count shells that are ready when it resolves, as far as there may be so many */
  async prewarm(count) {
    const wanted = Math.min(count, this.#options.maxSize);
    const missing = this.#isDisposed ? 0 : Math.max(0, wanted - this.#countAlive());
    const started = Array.from({ length: missing }, () => this.#startIdle());
    // One that does not start is the next execution's to report.
    await Promise.allSettled([...started, ...this.#starting]);
  }

  /** Ends every shell, whatever it does. */
  async dispose() {
    this.#isDisposed = true;
    this.#slots.close();
    await Promise.all([...this.#all].map((shell) => shell.terminate()));
  }

  /** @returns {Promise<Shell | undefined>} */
  async #takeIdle() {
    for (;;) {
      const [shell] = [...this.#idle.keys()].slice(-1);
      if (shell === undefined) return undefined;
      clearTimeout(this.#idle.get(shell));
      this.#idle.delete(shell);
      shell.hold();
      if ((await this.#probes.get(shell)) !== false && shell.isAlive) return shell;
    }
  }

  /** @param {Shell} shell */
  #keep(shell) {
    shell.unhold();
    this.#idle.set(shell, this.#evictLater(shell));
  }

  /** @param {Shell} shell */
  #evictLater(shell) {
    const { idleTimeoutMs, minSize } = this.#options;
    const timer = setTimeout(() => {
      if (this.#countAlive() > minSize) void shell.terminate();
    }, idleTimeoutMs);
    return timer.unref();
  }

  /** @returns {Promise<Shell>} a new one, taken */
  async #start() {
    const { shell, ready } = this.#create();
    this.#all.add(shell);
    shell.onExit(() => this.#forget(shell));
    this.#starting.add(ready);
    try {
      await ready;
      return shell;
    } finally {
      this.#starting.delete(ready);
    }
  }

  /** A new one for whoever comes. Failing to start is the next execution's to report. */
  async #startIdle() {
    const spare = { isClaimed: false, shell: this.#start() };
    this.#spares.add(spare);
    try {
      const shell = await spare.shell;
      if (spare.isClaimed) return;
      if (this.#isDisposed) {
        await shell.terminate();
      } else if (shell.isAlive) {
        this.#keep(shell);
      }
    } catch {
      // It is forgotten already.
    } finally {
      this.#spares.delete(spare);
    }
  }

  /** @returns {Promise<Shell | undefined>} one that was on its way, so that there are no more than there may be */
  async #claimSpare() {
    const [spare] = this.#spares;
    if (spare === undefined) return undefined;
    spare.isClaimed = true;
    this.#spares.delete(spare);
    return spare.shell;
  }

  /** @param {Shell} shell it has ended */
  #forget(shell) {
    clearTimeout(this.#idle.get(shell));
    const wasIdle = this.#idle.delete(shell);
    this.#all.delete(shell);
    if (wasIdle) this.#refill();
  }

  /** Replaces broken ones, down to whose number none are evicted. */
  #refill() {
    if (!this.#isDisposed && this.#countAlive() < this.#options.minSize) void this.#startIdle();
  }

  #countAlive() {
    return [...this.#all].filter((shell) => shell.isAlive).length;
  }
}

module.exports = { ShellPool };
