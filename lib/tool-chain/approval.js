'use strict';
// Consent to calls: which need it, who is asked, and what a refusal says.

const { findRefusal } = require('../execution/approval.js');
const { messageOf } = require('../foreign-text.js');
const { ToolCallError } = require('./backend-errors.js');

/** @typedef {import('./registry.js').Entry} Entry */
/** @typedef {InstanceType<typeof import('./chain-run.js').ChainRun>} ChainRun */
/** @typedef {import('../../types/tool-chain.js').ApprovalRequest} ApprovalRequest */

class Approval {
  #tools;
  #annotations;
  #isNeeded;
  #ask;

  /** @param {{ tools: string[], annotations: string[], isNeeded: Function, ask?: Function }} options */
  constructor({ tools, annotations, isNeeded, ask }) {
    this.#tools = new Set(tools);
    this.#annotations = annotations;
    this.#isNeeded = isNeeded;
    this.#ask = ask;
  }

  /**
   * @param {Entry} entry
   * @param {Record<string, unknown>} input
   * @param {ChainRun} run whose deadline stands still while somebody is asked
   * @returns {Promise<void>} resolves when the call may be made
   * @throws {ToolCallError} when it may not
   */
  async obtain({ backend, tool }, input, run) {
    const request = {
      backend: backend.name,
      tool: tool.name,
      input,
      annotations: tool.annotations,
    };
    if (!(await this.#needs(request))) return;
    const name = `${backend.name}.${tool.name}`;
    const ask = run.context.ask ?? this.#ask;
    const refusal = await findRefusal({
      name,
      ask: ask && ((signal) => ask(request, { signal })),
      signal: run.signal,
      whileAsking: (wait) => run.whileAsking(name, wait),
    });
    if (refusal !== undefined) throw new ToolCallError(refusal);
  }

  /** @param {ApprovalRequest} request */
  async #needs(request) {
    const { backend, tool, annotations } = request;
    if ([`${backend}.${tool}`, `${backend}.*`, tool].some((name) => this.#tools.has(name))) {
      return true;
    }
    if (this.#annotations.some((hint) => /** @type {any} */ (annotations)?.[hint] === true)) {
      return true;
    }
    try {
      return Boolean(await this.#isNeeded(request));
    } catch (error) {
      throw new ToolCallError(
        `Whether ${backend}.${tool} needs approval is unknown: ${messageOf(error)}`,
      );
    }
  }
}

module.exports = { Approval };
