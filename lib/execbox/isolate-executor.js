'use strict';
// The executor: options and defaults, and the host its executions run on.

const os = require('node:os');

const { DEFAULT_CANCEL_GRACE_MS } = require('../protocol/host-session.js');
const { checkChoice, checkNumber, checkRecord, checkString } = require('../options.js');
const { TIMEOUT_MESSAGE, failureResult, messageOf } = require('./failures.js');
const { createProcessShell } = require('./process-shell.js');
const {
  MAX_TIMEOUT_MS,
  RUNTIME_OPTION_NAMES,
  readRuntimeOptions,
} = require('./runtime-options.js');
const { ShellHost } = require('./shell-host.js');
const { ThreadHost } = require('./thread-host.js');
const { readProviders } = require('./tool-dispatch.js');
const { createWorkerShell } = require('./worker-shell.js');

/**
 * @typedef {object} HostOptions
 * @property {number | undefined} maxSize executions at once; undefined where there is no need for a bound
 * @property {number} minSize
 * @property {number} idleTimeoutMs
 * @property {boolean} isEphemeral
 * @property {number} cancelGraceMs
 */

/**
 * @typedef {object} Execution
 * @property {string} code
 * @property {import('../../types/execbox.js').ResolvedToolProvider[]} providers
 * @property {import('./tool-dispatch.js').ToolTable} table the same, checked
 * @property {import('./runtime-options.js').RuntimeOptions} options
 * @property {AbortSignal} [signal]
 */

/**
 * @typedef {object} ExecutionHost
 * @property {(execution: Execution) => Promise<import('../../types/execbox.js').ExecuteResult>} execute
 * @property {(count: number) => Promise<void>} prewarm
 * @property {() => Promise<void>} dispose
 */

const HOSTS = /** @type {const} */ (['thread', 'worker', 'process']);
const MODES = /** @type {const} */ (['pooled', 'ephemeral']);
const EXECUTOR_KEYS = [...RUNTIME_OPTION_NAMES, 'pool', 'cancelGraceMs', 'mode', 'host'];
const POOL_KEYS = ['maxSize', 'minSize', 'idleTimeoutMs', 'prewarm'];
const CALL_KEYS = [...RUNTIME_OPTION_NAMES, 'signal'];

const MAX_SHELLS = 1024;
const time = { min: 0, max: MAX_TIMEOUT_MS, integer: false };

/** @param {unknown} value */
function readExecutorOptions(value) {
  const options = checkRecord(value, 'options', EXECUTOR_KEYS);
  const pool = checkRecord(options.pool, 'options.pool', POOL_KEYS);
  const { mode = 'pooled', cancelGraceMs = DEFAULT_CANCEL_GRACE_MS } = options;
  const host = checkChoice(options.host ?? 'thread', 'options.host', HOSTS);
  const { minSize = 0, idleTimeoutMs = 30_000, prewarm = false } = pool;
  // Guests on threads wait for tools without holding one, so there they need no bound.
  const { maxSize = host === 'thread' ? undefined : Math.max(4, os.availableParallelism()) } = pool;
  const count = (/** @type {unknown} */ given, /** @type {string} */ where, min = 0) =>
    checkNumber(given, where, { min, max: MAX_SHELLS });
  return {
    host,
    runtime: readRuntimeOptions(options, 'options'),
    prewarm: typeof prewarm === 'boolean' ? prewarm : count(prewarm, 'options.pool.prewarm'),
    hostOptions: {
      maxSize: maxSize === undefined ? undefined : count(maxSize, 'options.pool.maxSize', 1),
      minSize: count(minSize, 'options.pool.minSize'),
      idleTimeoutMs: checkNumber(idleTimeoutMs, 'options.pool.idleTimeoutMs', {
        ...time,
        integer: true,
      }),
      isEphemeral: checkChoice(mode, 'options.mode', MODES) === 'ephemeral',
      cancelGraceMs: checkNumber(cancelGraceMs, 'options.cancelGraceMs', time),
    },
  };
}

/**
 * @param {typeof HOSTS[number]} host
 * @param {HostOptions} options
 * @returns {ExecutionHost}
 */
function createHost(host, options) {
  if (host === 'thread') return new ThreadHost(options);
  return new ShellHost(host === 'worker' ? createWorkerShell : createProcessShell, options);
}

class IsolateExecutor {
  #host;
  #runtime;
  #minSize;
  #isDisposed = false;

  /** @param {import('../../types/execbox.js').IsolateExecutorOptions} [options] */
  constructor(options) {
    const { host, runtime, prewarm, hostOptions } = readExecutorOptions(options);
    this.#runtime = runtime;
    this.#minSize = hostOptions.minSize;
    this.#host = createHost(host, hostOptions);
    if (prewarm !== false && prewarm !== 0) {
      void this.prewarm(prewarm === true ? undefined : prewarm);
    }
  }

  /**
   * @param {string} code
   * @param {import('../../types/execbox.js').ResolvedToolProvider[]} providers
   * @param {import('../../types/execbox.js').ExecutionOptions} [options]
   * @returns {Promise<import('../../types/execbox.js').ExecuteResult>}
   */
  async execute(code, providers = [], options = undefined) {
    try {
      if (this.#isDisposed) return failureResult('internal_error', 'The executor is disposed of');
      const { signal, ...limits } = checkRecord(options, 'options', CALL_KEYS);
      if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
        throw new TypeError('options.signal must be an AbortSignal');
      }
      const execution = {
        code: checkString(code, 'code'),
        providers,
        table: readProviders(providers),
        options: readRuntimeOptions(limits, 'options', this.#runtime),
        signal,
      };
      if (signal?.aborted) return failureResult('timeout', TIMEOUT_MESSAGE);
      return await this.#host.execute(execution);
    } catch (error) {
      // It never rejects: misuse is a result too.
      return failureResult('internal_error', messageOf(error));
    }
  }

  /** @param {number} [count] */
  async prewarm(count = Math.max(1, this.#minSize)) {
    checkNumber(count, 'count', { min: 0, max: MAX_SHELLS });
    if (!this.#isDisposed) await this.#host.prewarm(count);
  }

  async dispose() {
    this.#isDisposed = true;
    await this.#host.dispose();
  }

  [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    return this.dispose();
  }
}

module.exports = { IsolateExecutor };
