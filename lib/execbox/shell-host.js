'use strict';
// Executions in shells: each in a worker or process of its own while it runs, over the protocol.

const { ExecuteFailure, failureResult, timeoutResult } = require('../execution/failures.js');
const { tellLines } = require('../execution/logs.js');
const { MAX_TIMEOUT_MS } = require('../execution/runtime-options.js');
const { unlessAborted } = require('../execution/unless-aborted.js');
const { messageOf } = require('../foreign-text.js');
const { runHostTransportSession } = require('../protocol/host-session.js');
const { ShellPool } = require('./shell-pool.js');

/** @typedef {import('./isolate-executor.js').Execution} Execution */

// A worker or process may take this long to get ready, however short the time that its guest has.
const MIN_READY_MS = 500;

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
  async execute({ code, providers, options, signal, onLog }) {
    const start = performance.now();
    let shell;
    try {
      const acquired = this.#shells.acquire(signal, this.#readyMs(options.timeoutMs));
      shell = await unlessAborted(acquired, signal);
    } catch (error) {
      const isLate = error instanceof ExecuteFailure;
      return failureResult(isLate ? error.code : 'internal_error', messageOf(error), {
        durationMs: performance.now() - start,
      });
    }
    if (shell === undefined) {
      return signal?.aborted
        ? timeoutResult('aborted', { durationMs: performance.now() - start })
        : failureResult('internal_error', 'The executor is disposed of');
    }
    const result = await runHostTransportSession({
      transport: shell.transport,
      code,
      providers,
      runtimeOptions: options,
      signal,
      cancelGraceMs: this.#cancelGraceMs,
    });
    this.#shells.release(shell, this.#fateAfter(result));
    // The protocol has logs in its last message only.
    if (onLog !== undefined) tellLines(onLog, result.logs);
    return result;
  }

  /** @param {number} timeoutMs of an execution, which is answered within it and the grace */
  #readyMs(timeoutMs) {
    return Math.min(Math.max(timeoutMs, MIN_READY_MS) + this.#cancelGraceMs, MAX_TIMEOUT_MS);
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
