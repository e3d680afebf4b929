'use strict';
// The executor's whole contract, over `isobox runner` processes instead of isobox's own hosts.

const { readProviders } = require('../../lib/execution/tool-dispatch.js');
const { checkRecord } = require('../../lib/checks/options.js');
const { runHostTransportSession } = require('../../lib/protocol/index.js');
const { describeExecutorContract } = require('../execbox/contract.js');
const { RunnerProcess } = require('./runner-process.js');

const LIMITS = ['timeoutMs', 'memoryLimitBytes', 'maxLogLines', 'maxLogChars'];

class RunnerExecutor {
  /** @type {InstanceType<typeof RunnerProcess>[]} */
  #idle = [];
  #all = new Set();

  /**
   * @param {string} code
   * @param {import('isobox/execbox').ResolvedToolProvider[]} providers
   * @param {import('isobox/execbox').ExecutionOptions} [options]
   * @returns {Promise<import('isobox/execbox').ExecuteResult>}
   */
  async execute(code, providers, options) {
    try {
      const { signal, ...runtimeOptions } = checkRecord(options, 'options', [...LIMITS, 'signal']);
      readProviders(providers);
      return await this.#execute({ code, providers, runtimeOptions, signal });
    } catch (error) {
      const { message } = error;
      return { ok: false, error: { code: 'internal_error', message }, logs: [], durationMs: 0 };
    }
  }

  async #execute(session) {
    const runner = this.#idle.pop() ?? this.#start();
    let isAlive = true;
    const result = await runHostTransportSession({
      ...session,
      transport: {
        send: (message) => runner.send(message),
        onMessage: (handler) => {
          runner.onMessage = handler;
        },
        onClose: (handler) => void runner.exit.then(() => handler({ message: 'It ended' })),
        terminate() {
          isAlive = false;
          return runner.kill('SIGKILL');
        },
      },
    });
    if (isAlive) this.#idle.push(runner);
    return result;
  }

  #start() {
    const runner = new RunnerProcess();
    this.#all.add(runner);
    return runner;
  }

  async dispose() {
    for (const runner of this.#all) await runner.kill('SIGTERM');
  }
}

describeExecutorContract(() => new RunnerExecutor());
