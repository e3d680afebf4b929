'use strict';
// An executor whose guests run wherever its caller's transports lead.

const { failureResult, timeoutResult } = require('../execution/failures.js');
const { tellLines } = require('../execution/logs.js');
const { RUNTIME_OPTION_NAMES, readRuntimeOptions } = require('../execution/runtime-options.js');
const { unlessAborted } = require('../execution/unless-aborted.js');
const { messageOf } = require('../foreign-text.js');
const { checkFunction, checkRecord, checkSignal } = require('../checks/options.js');
const { readCancelGrace, runHostTransportSession } = require('./host-session.js');

const EXECUTOR_KEYS = [...RUNTIME_OPTION_NAMES, 'cancelGraceMs', 'connectTransport'];
const CALL_KEYS = [...RUNTIME_OPTION_NAMES, 'signal', 'onLog'];

/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */

class RemoteExecutor {
  #connect;
  #runtime;
  #cancelGraceMs;

  /** @param {import('../../types/protocol.js').RemoteExecutorOptions} given */
  constructor(given) {
    const options = checkRecord(given, 'options', EXECUTOR_KEYS);
    this.#connect = checkFunction(options.connectTransport, 'options.connectTransport');
    this.#runtime = readRuntimeOptions(options, 'options');
    this.#cancelGraceMs = readCancelGrace(options, 'options');
  }

  /**
   * @param {string} code
   * @param {import('../../types/execbox.js').ResolvedToolProvider[]} providers
   * @param {import('../../types/execbox.js').ExecutionOptions} [options]
   * @returns {Promise<ExecuteResult>} never rejects
   */
  async execute(code, providers = [], options = undefined) {
    try {
      const { signal: given, onLog, ...limits } = checkRecord(options, 'options', CALL_KEYS);
      const signal = checkSignal(given, 'options.signal');
      if (onLog !== undefined) checkFunction(onLog, 'options.onLog');
      const runtimeOptions = readRuntimeOptions(limits, 'options', this.#runtime);
      if (signal?.aborted) return timeoutResult('aborted');
      const transport = await this.#connectUnlessAborted(signal);
      if (transport === undefined) return timeoutResult('aborted');
      const result = await runHostTransportSession({
        transport,
        code,
        providers,
        runtimeOptions,
        signal,
        cancelGraceMs: this.#cancelGraceMs,
      });
      if (onLog !== undefined) tellLines(onLog, result.logs);
      return result;
    } catch (error) {
      return failureResult('internal_error', messageOf(error));
    }
  }

  /**
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<import('../../types/protocol.js').HostTransport | undefined>} undefined as soon as it has aborted
   */
  async #connectUnlessAborted(signal) {
    const connecting = Promise.resolve(this.#connect());
    const transport = await unlessAborted(connecting, signal);
    if (transport === undefined) connecting.then((late) => late?.dispose?.()).catch(() => {});
    return transport;
  }
}

module.exports = { RemoteExecutor };
