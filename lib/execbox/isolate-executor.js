'use strict';
// The executor: options and defaults, and what its callers see of executions.

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
} = require('../checks/options.js');
const { HOST_KEYS } = require('../process-host.js');
const { readCancelGrace } = require('../protocol/host-session.js');
const { readWebSetting } = require('../web/setting.js');
const { PoolHost } = require('./pool-host.js');

/**
 * @typedef {object} Execution
 * @property {string} code
 * @property {import('../execution/tool-dispatch.js').ToolTable} table
 * @property {import('../execution/runtime-options.js').RuntimeOptions} options
 * @property {AbortSignal} [signal]
 * @property {(line: string) => void} [onLog]
 */

const MODES = /** @type {const} */ (['pooled', 'ephemeral']);
const EXECUTOR_KEYS = [
  ...RUNTIME_OPTION_NAMES,
  'pool',
  'cancelGraceMs',
  'mode',
  'web',
  ...HOST_KEYS,
];
/** Options that execbox has and isobox has no use for, with what to do about them. */
const FOREIGN_OPTIONS = Object.freeze({
  loadModule: 'guests run in V8, so leave it out',
  workerResourceLimits: 'limit the guest with memoryLimitBytes instead',
});
const POOL_KEYS = ['maxSize', 'minSize', 'idleTimeoutMs', 'prewarm'];
const CALL_KEYS = [...RUNTIME_OPTION_NAMES, 'signal', 'onLog'];

const DISPOSED_MESSAGE = 'The executor is disposed of';
const MAX_SIZE = 1024;

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
  const { maxSize, minSize = 0, idleTimeoutMs = 30_000, prewarm = false } = pool;
  const count = (/** @type {unknown} */ given, /** @type {string} */ where, min = 0) =>
    checkNumber(given, where, { min, max: MAX_SIZE });
  readCancelGrace(options, 'options');
  return {
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
      place: readPlace(options),
      web: readWebSetting(options.web, 'options.web'),
    },
  };
}

/**
 * @param {Record<string, any>} options
 * @returns {Record<string, any>} where guests run, as a pool's options; the pool checks them
 */
function readPlace({ host = 'thread', ...options }) {
  if (host === 'worker') {
    throw new TypeError(
      "options.host: 'worker' is execbox's: write 'thread', which holds up no loop either, or 'process', where a guest cannot bring the host down",
    );
  }
  const given = HOST_KEYS.filter((key) => options[key] !== undefined);
  return {
    ...Object.fromEntries(given.map((key) => [key, options[key]])),
    // What execbox calls inline is in this process too; here it does not hold up the loop.
    host: host === 'inline' ? 'thread' : host,
  };
}

class IsolateExecutor {
  #host;
  #runtime;
  #minSize;
  #isDisposed = false;

  /** @param {import('../../types/execbox.js').IsolateExecutorOptions} [options] */
  constructor(options) {
    const { runtime, prewarm, hostOptions } = readExecutorOptions(options);
    this.#runtime = runtime;
    this.#minSize = hostOptions.minSize;
    this.#host = new PoolHost(hostOptions);
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
    checkNumber(count, 'count', { min: 0, max: MAX_SIZE });
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
