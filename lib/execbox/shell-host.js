'use strict';
// Executions in shells: each in a worker or process of its own while it runs, over the protocol.

const { runHostSession } = require('../protocol/host-session.js');
const { TIMEOUT_MESSAGE, failureResult } = require('./failures.js');
const { ShellPool } = require('./shell-pool.js');
const { unlessAborted } = require('./unless-aborted.js');

/** @typedef {import('./isolate-executor.js').Execution} Execution */

class ShellHost {
  #shells;
  #isEphemeral;
  #cancelGraceMs;

  /**
   * @param {ConstructorParameters<typeof ShellPool>[0]} createShell
   * @param {import('./isolate-executor.js').HostOptions} options
   */
  constructor(createShell, { maxSize, minSize, idleTimeoutMs, isEphemeral, cancelGraceMs }) {
    this.#isEphemeral = isEphemeral;
    this.#cancelGraceMs = cancelGraceMs;
    this.#shells = new ShellPool(createShell, {
      maxSize: /** @type {number} */ (maxSize),
      minSize,
      idleTimeoutMs,
    });
  }

  /** @param {Execution} execution */
  async execute({ code, providers, options, signal }) {
    const start = performance.now();
    let shell;
    try {
      shell = await unlessAborted(this.#shells.acquire(signal), signal);
    } catch (error) {
      return failureResult('internal_error', /** @type {Error} */ (error).message, {
        durationMs: performance.now() - start,
      });
    }
    if (shell === undefined) {
      return signal?.aborted
        ? failureResult('timeout', TIMEOUT_MESSAGE, { durationMs: performance.now() - start })
        : failureResult('internal_error', 'The executor is disposed of');
    }
    const result = await runHostSession({
      transport: shell.transport,
      code,
      providers,
      limits: options,
      signal,
      cancelGraceMs: this.#cancelGraceMs,
    });
    this.#shells.release(shell, this.#fateAfter(result));
    return result;
  }

  /** @param {import('../../types/execbox.js').ExecuteResult} result */
  #fateAfter(result) {
    const code = result.ok ? undefined : result.error.code;
    if (this.#isEphemeral || code === 'internal_error') return 'end';
    // A guest that was stopped may still hold the shell's thread.
    return code === 'timeout' ? 'probe' : 'reuse';
  }

  /** @param {number} count */
  prewarm(count) {
    return this.#shells.prewarm(count);
  }

  dispose() {
    return this.#shells.dispose();
  }
}

module.exports = { ShellHost };
