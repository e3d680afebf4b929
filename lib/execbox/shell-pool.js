'use strict';
// Shells: workers or processes that run one execution at a time and are kept for the next one.

const { ExecuteFailure, TIMEOUT_MESSAGE } = require('../execution/failures.js');
const { Semaphore } = require('../semaphore.js');

// For a shell that nobody waits for to get ready.
const SPARE_READY_MS = 30_000;

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
 *
 * @typedef {{ shell: Shell, ready: Promise<void> }} StartedShell
 */

class ShellPool {
  #create;
  #options;
  #semaphore;
  /** @type {Map<Shell, NodeJS.Timeout | undefined>} with the timer of its eviction; the last one is used first */
  #idle = new Map();
  /** @type {WeakMap<Shell, Promise<boolean>>} whether those that were not trusted can be */
  #probes = new WeakMap();
  /** @type {Set<Shell>} */
  #all = new Set();
  /** @type {Set<Promise<unknown>>} */
  #starting = new Set();
  /** @type {Set<StartedShell>} those that start for nobody yet */
  #spares = new Set();
  #isDisposed = false;

  /**
   * @param {() => StartedShell} create `ready` rejects when it cannot be used
   * @param {{ maxSize: number, minSize: number, idleTimeoutMs: number }} options
   */
  constructor(create, options) {
    this.#create = create;
    this.#options = { ...options, minSize: Math.min(options.minSize, options.maxSize) };
    this.#semaphore = new Semaphore(options.maxSize);
  }

  get size() {
    return this.#all.size;
  }

  /**
   * @param {AbortSignal | undefined} signal
   * @param {number} readyMs for a new shell to get ready, once there is a place for it
   * @returns {Promise<Shell | undefined>} to be released; undefined after an abort and after the disposal
   */
  async acquire(signal, readyMs) {
    if (!(await this.#semaphore.acquire(signal))) return undefined;
    try {
      const shell =
        (await this.#takeIdle()) ??
        (await this.#whenReady(this.#claimSpare() ?? this.#start(), readyMs));
      if (!signal?.aborted && !this.#isDisposed) return shell;
      this.release(shell, 'reuse');
      return undefined;
    } catch (error) {
      this.#semaphore.release();
      this.#refill();
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
    this.#semaphore.release();
    this.#refill();
  }

  /** @param {Shell} shell */
  async #probe(shell) {
    const isFit = await shell.probe();
    if (!isFit) void shell.terminate();
    return isFit;
  }

  /** @param {number} count shells that are ready when it resolves, as far as there may be so many; rejects when one fails */
  async prewarm(count) {
    const wanted = Math.min(count, this.#options.maxSize);
    const missing = this.#isDisposed ? 0 : Math.max(0, wanted - this.#countAlive());
    const started = Array.from({ length: missing }, () => this.#startIdle());
    const results = await Promise.allSettled([...started, ...this.#starting]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** Ends every shell, whatever it does. */
  async dispose() {
    this.#isDisposed = true;
    this.#semaphore.close();
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

  /** @returns {StartedShell} */
  #start() {
    const started = this.#create();
    const { shell, ready } = started;
    this.#all.add(shell);
    shell.onExit(() => this.#forget(shell));
    this.#starting.add(ready);
    const end = () => this.#starting.delete(ready);
    ready.then(end, end);
    return started;
  }

  /**
   * @param {StartedShell} started
   * @param {number} readyMs after which it is ended
   * @returns {Promise<Shell>}
   */
  async #whenReady({ shell, ready }, readyMs) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => {
        void shell.terminate();
        reject(new ExecuteFailure('timeout', TIMEOUT_MESSAGE));
      }, readyMs);
    });
    try {
      await Promise.race([ready, late]);
      return shell;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A new one for whoever comes. */
  async #startIdle() {
    /** @type {StartedShell | undefined} */
    let spare;
    try {
      spare = this.#start();
      this.#spares.add(spare);
      await this.#whenReady(spare, SPARE_READY_MS);
    } finally {
      // Nobody has claimed it meanwhile.
      if (spare !== undefined && this.#spares.delete(spare) && spare.shell.isAlive) {
        if (this.#isDisposed) await spare.shell.terminate();
        else this.#keep(spare.shell);
      }
    }
  }

  /** @returns {StartedShell | undefined} one that was on its way, so that there are no more than there may be */
  #claimSpare() {
    const [spare] = this.#spares;
    if (spare !== undefined) this.#spares.delete(spare);
    return spare;
  }

  /** @param {Shell} shell it has ended */
  #forget(shell) {
    clearTimeout(this.#idle.get(shell));
    const wasIdle = this.#idle.delete(shell);
    this.#all.delete(shell);
    if (wasIdle) this.#refill();
  }

  /** Starts another one while there are fewer than minSize. */
  #refill() {
    if (this.#isDisposed || this.#countAlive() >= this.#options.minSize) return;
    // Failing to start is the next execution's to report.
    this.#startIdle().catch(() => {});
  }

  #countAlive() {
    return [...this.#all].filter((shell) => shell.isAlive).length;
  }
}

module.exports = { ShellPool };
