'use strict';
// Executions on threads of this process: the pool is called directly, and nothing is serialized twice.

const { Deadline } = require('../execution/deadline.js');
const { ExecuteFailure, failureResult, timeoutResult } = require('../execution/failures.js');
const { runGuest } = require('../execution/run-guest.js');
const { dispatchToolCall, mayAsk } = require('../execution/tool-dispatch.js');
const { IsolatePool } = require('../pool.js');
const { sharedAbortController } = require('../shared-abort.js');
const { Semaphore } = require('../semaphore.js');

/** @typedef {import('./isolate-executor.js').Execution} Execution */
/** @typedef {import('../execution/tool-dispatch.js').ToolTable} ToolTable */

class ThreadHost {
  #pool;
  #semaphore;

  /** @param {import('./isolate-executor.js').HostOptions} options */
  constructor({ maxSize, minSize, idleTimeoutMs }) {
    this.#semaphore = maxSize === undefined ? undefined : new Semaphore(maxSize);
    const target = maxSize === undefined ? minSize : Math.min(minSize, maxSize);
    this.#pool = new IsolatePool({
      ...(maxSize !== undefined && { threads: Math.min(maxSize, 1024) }),
      warm: { ...(target > 0 && { target }), idleMs: idleTimeoutMs },
    });
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
    await this.#pool.prewarm(count);
    if (this.#pool.stats().threads === 0) throw new Error('No thread could be started');
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

module.exports = { ThreadHost };
