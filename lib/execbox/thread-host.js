'use strict';
// Executions on threads of this process: the pool is called directly, and nothing is serialized twice.

const { sharedAbortController } = require('../shared-abort.js');
const { ExecuteFailure, TIMEOUT_MESSAGE, failureResult } = require('./failures.js');
const { openPool } = require('./open-pool.js');
const { runGuest } = require('./run-guest.js');
const { Slots } = require('./slots.js');
const { callTool } = require('./tool-dispatch.js');

/** @typedef {import('./isolate-executor.js').Execution} Execution */
/** @typedef {import('./tool-dispatch.js').ToolTable} ToolTable */

class ThreadHost {
  #pool;
  #slots;

  /** @param {import('./isolate-executor.js').HostOptions} options */
  constructor({ maxSize, minSize, idleTimeoutMs }) {
    this.#slots = maxSize === undefined ? undefined : new Slots(maxSize);
    const target = maxSize === undefined ? minSize : Math.min(minSize, maxSize);
    this.#pool = openPool({
      ...(maxSize !== undefined && { threads: Math.min(maxSize, 1024) }),
      warm: { ...(target > 0 && { target }), idleMs: idleTimeoutMs },
    });
  }

  /** @param {Execution} execution */
  async execute({ code, table, options, signal }) {
    if (this.#slots !== undefined && !(await this.#slots.acquire(signal))) {
      return signal?.aborted
        ? failureResult('timeout', TIMEOUT_MESSAGE)
        : failureResult('internal_error', 'The executor is disposed of');
    }
    const tools = sharedAbortController();
    const abort = () => tools.abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const namespaces = bindTools(table, tools.signal);
      return await runGuest(this.#pool, { code, options, namespaces, signal });
    } finally {
      signal?.removeEventListener('abort', abort);
      abort();
      this.#slots?.release();
    }
  }

  /** @param {number} count */
  prewarm(count) {
    return this.#pool.prewarm(count);
  }

  dispose() {
    this.#slots?.close();
    return this.#pool.dispose();
  }
}

/**
 * @param {ToolTable} table
 * @param {AbortSignal} signal
 */
function bindTools(table, signal) {
  return Object.fromEntries(
    [...table].map(([providerName, tools]) => [
      providerName,
      Object.fromEntries(
        [...tools.keys()].map((safeToolName) => [
          safeToolName,
          (/** @type {unknown} */ input) =>
            callTool(table, { providerName, safeToolName, input }, signal).catch(nameless),
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
