'use strict';
// Executions on a pool, wherever its guests run.

const os = require('node:os');

const { Deadline } = require('../execution/deadline.js');
const { ExecuteFailure, failureResult, timeoutResult } = require('../execution/failures.js');
const { runGuest } = require('../execution/run-guest.js');
const { dispatchToolCall, mayAsk } = require('../execution/tool-dispatch.js');
const { IsolatePool } = require('../pool.js');
const { sharedAbortController } = require('../shared-abort.js');
const { Semaphore } = require('../semaphore.js');
const { SingleUseProcesses } = require('./single-use-processes.js');

/** @typedef {import('./isolate-executor.js').Execution} Execution */
/** @typedef {import('../execution/tool-dispatch.js').ToolTable} ToolTable */

/** What is kept ready for as long as the executor lives. */
const FOR_EVER = 2 ** 31;

/**
 * @typedef {object} HostOptions
 * @property {number | undefined} maxSize executions at once; undefined for no bound
 * @property {number} minSize
 * @property {number} idleTimeoutMs
 * @property {boolean} isEphemeral
 * @property {Record<string, any>} place of guests, as a pool's options
 * @property {import('../../types/index.js').Web} [web]
 */

class PoolHost {
  #pool;
  #semaphore;
  #maxSize;
  #prewarmFailure;
  #web;

  /** @param {HostOptions} options */
  constructor({ maxSize: given, minSize, idleTimeoutMs, isEphemeral, place, web }) {
    this.#web = web;
    const isSingleUse = isEphemeral && place.host === 'process';
    // Guests wait for tools without holding a thread, so they need no bound; processes of their own do.
    const maxSize = given ?? (isSingleUse ? Math.max(4, os.availableParallelism()) : undefined);
    this.#maxSize = maxSize ?? Infinity;
    this.#semaphore = maxSize === undefined ? undefined : new Semaphore(maxSize);
    const kept = Math.min(minSize, this.#maxSize);
    const idleMs = kept > 0 ? FOR_EVER : idleTimeoutMs;
    this.#pool = isSingleUse
      ? new SingleUseProcesses(place, { kept, idleMs })
      : new IsolatePool({
          ...place,
          ...(maxSize !== undefined && { threads: maxSize }),
          warm: { ...(kept > 0 && { target: kept }), idleMs },
        });
    this.#prewarmFailure = `No ${place.host} for guests could be started`;
  }

  /** @param {Execution} execution */
  async execute({ code, table, options, signal, onLog }) {
    if (this.#semaphore !== undefined && !(await this.#semaphore.acquire(signal))) {
      return signal?.aborted
        ? timeoutResult('aborted')
        : failureResult('internal_error', 'The executor is disposed of');
    }
    const tools = sharedAbortController();
    const abort = () => tools.abort();
    signal?.addEventListener('abort', abort, { once: true });
    // The pool's own deadline cannot stand still. Where somebody may be asked, time is kept here.
    const deadline = mayAsk(table) ? new Deadline(options.timeoutMs, abort) : undefined;
    try {
      return await runGuest(this.#pool, {
        code,
        options,
        namespaces: bindTools(table, tools.signal, deadline),
        signal: deadline === undefined ? signal : tools.signal,
        onLog,
        deadline,
        web: this.#web,
      });
    } finally {
      deadline?.end();
      signal?.removeEventListener('abort', abort);
      abort();
      this.#semaphore?.release();
    }
  }

  /** @param {number} count */
  async prewarm(count) {
    await this.#pool.prewarm(Math.min(count, this.#maxSize));
    if (this.#pool.stats().threads === 0) throw new Error(this.#prewarmFailure);
  }

  dispose() {
    this.#semaphore?.close();
    return this.#pool.dispose();
  }
}

/**
 * @param {ToolTable} table
 * @param {AbortSignal} signal
 * @param {InstanceType<typeof Deadline> | undefined} deadline
 */
function bindTools(table, signal, deadline) {
  const whileAsking = deadline && ((/** @type {any} */ wait) => deadline.whileStill(wait));
  return Object.fromEntries(
    [...table].map(([providerName, tools]) => [
      providerName,
      Object.fromEntries(
        [...tools.keys()].map((safeToolName) => [
          safeToolName,
          (/** @type {unknown} */ input) =>
            dispatchToolCall(
              table,
              { providerName, safeToolName, input },
              signal,
              whileAsking,
            ).catch(nameless),
        ]),
      ),
    ]),
  );
}

/**
 * @param {InstanceType<typeof ExecuteFailure>} failure guests see its code and message, as they do behind a transport
 * @returns {never}
 */
function nameless({ code, message }) {
  throw Object.assign(new ExecuteFailure(code, message), { name: 'Error' });
}

module.exports = { PoolHost };
