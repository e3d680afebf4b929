'use strict';
// The executor: options and defaults, and the host its executions run on.

const os = require('node:os');

const asyncDispose = require('../async-dispose.js');
const { failureResult, timeoutResult } = require('../execution/failures.js');
const {
  MAX_TIMEOUT_MS,
  RUNTIME_OPTION_NAMES,
  readRuntimeOptions,
} = require('../execution/runtime-options.js');
const { readProviders } = require('../execution/tool-dispatch.js');
const { messageOf } = require('../foreign-text.js');
const {
  checkChoice,
  checkFunction,
  checkNumber,
  checkRecord,
  checkSignal,
  checkString,
  isRecord,
} = require('../options.js');
const { readCancelGrace } = require('../protocol/host-session.js');
const { createProcessShell } = require('./process-shell.js');
const { ShellHost } = require('./shell-host.js');
const { ThreadHost } = require('./thread-host.js');
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
 * @property {import('../execution/tool-dispatch.js').ToolTable} table the same, checked
 * @property {import('../execution/runtime-options.js').RuntimeOptions} options
 * @property {AbortSignal} [signal]
 * @property {(line: string) => void} [onLog]
 */

/**
 * @typedef {object} ExecutionHost
 * @property {(execution: Execution) => Promise<import('../../types/execbox.js').ExecuteResult>} execute
 * @property {(count: number) => Promise<void>} prewarm
 * @property {() => Promise<void>} dispose
 */

const HOSTS = /** @type {const} */ (['thread', 'inline', 'worker', 'process']);
const MODES = /** @type {const} */ (['pooled', 'ephemeral']);
const EXECUTOR_KEYS = [...RUNTIME_OPTION_NAMES, 'pool', 'cancelGraceMs', 'mode', 'host'];
/** Options that execbox has and isobox has no use for, with what to do about them. */
const FOREIGN_OPTIONS = Object.freeze({
  loadModule: 'guests run in V8, so leave it out',
  workerResourceLimits: 'limit the guest with memoryLimitBytes instead',
});
const POOL_KEYS = ['maxSize', 'minSize', 'idleTimeoutMs', 'prewarm'];
const CALL_KEYS = [...RUNTIME_OPTION_NAMES, 'signal', 'onLog'];

const DISPOSED_MESSAGE = 'The executor is disposed of';
const MAX_SHELLS = 1024;

/** @param {unknown} value */
function readExecutorOptions(value) {
  for (const [name, advice] of Object.entries(FOREIGN_OPTIONS)) {
    if (isRecord(value) && value[name] !== undefined) {
      throw new TypeError(`options.${name} is an option of execbox's QuickJsExecutor: ${advice}`);
    }
  }
  const options = checkRecord(value, 'options', EXECUTOR_KEYS);
  const pool = checkRecord(options.pool, 'options.pool', POOL_KEYS);
  const { mode = 'pooled' } = options;
  const named = checkChoice(options.host ?? 'thread', 'options.host', HOSTS);
  // What execbox calls inline is in this process too; here it does not hold up the loop.
  const host = named === 'inline' ? 'thread' : named;
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
        min: 0,
        max: MAX_TIMEOUT_MS,
      }),
      isEphemeral: checkChoice(mode, 'options.mode', MODES) === 'ephemeral',
      cancelGraceMs: readCancelGrace(options, 'options'),
    },
  };
}

/**
 * @param {'thread' | 'worker' | 'process'} host
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
      // What fails here fails in the first execution too, which says so.
      this.prewarm(prewarm === true ? undefined : prewarm).catch(() => {});
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
      if (this.#isDisposed) return failureResult('internal_error', DISPOSED_MESSAGE);
      const { signal: given, onLog, ...limits } = checkRecord(options, 'options', CALL_KEYS);
      const signal = checkSignal(given, 'options.signal');
      if (onLog !== undefined) checkFunction(onLog, 'options.onLog');
      const execution = {
        code: checkString(code, 'code'),
        providers,
        table: readProviders(providers),
        options: readRuntimeOptions(limits, 'options', this.#runtime),
        signal,
        onLog,
      };
      if (signal?.aborted) return timeoutResult('aborted');
      return await this.#host.execute(execution);
    } catch (error) {
      // It never rejects: misuse is a result too.
      return failureResult('internal_error', messageOf(error));
    }
  }

  /** @param {number} [count] */
  async prewarm(count = Math.max(1, this.#minSize)) {
    checkNumber(count, 'count', { min: 0, max: MAX_SHELLS });
    if (this.#isDisposed) throw new Error(DISPOSED_MESSAGE);
    try {
      await this.#host.prewarm(count);
    } catch (error) {
      throw this.#isDisposed ? new Error(DISPOSED_MESSAGE) : error;
    }
  }

  async dispose() {
    this.#isDisposed = true;
    await this.#host.dispose();
  }

  [asyncDispose]() {
    return this.dispose();
  }
}

module.exports = { IsolateExecutor };
