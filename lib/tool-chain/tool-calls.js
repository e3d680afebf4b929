'use strict';
// Calls of tools, the same from every tier: checked, approved, traced, counted.

const { isRecord } = require('../checks/options.js');
const { messageOf } = require('../foreign-text.js');
const { ToolCallError } = require('./backend-errors.js');
const { checkResult } = require('./check-result.js');
const { contentBeside, valueOfResult } = require('./request-tool.js');
const { traced } = require('./tracing.js');

/** @typedef {import('./registry.js').Entry} Entry */
/** @typedef {InstanceType<typeof import('./chain-run.js').ChainRun>} ChainRun */

/** Of a result, as text: what one run may hand over at once. */
const MAX_RESULT_BYTES = 16 * 2 ** 20;

class ToolCalls {
  #registry;
  #approval;
  #tracer;

  /**
   * @param {object} parts
   * @param {InstanceType<typeof import('./registry.js').Registry>} parts.registry
   * @param {InstanceType<typeof import('./approval.js').Approval>} parts.approval
   * @param {import('../../types/tool-chain.js').ToolChainTracer} [parts.tracer]
   */
  constructor({ registry, approval, tracer }) {
    this.#registry = registry;
    this.#approval = approval;
    this.#tracer = tracer;
  }

  /**
   * @param {Entry} known
   * @param {unknown} input
   * @param {ChainRun} run
   * @returns {Promise<unknown>} rejects with a ToolCallError
   */
  async call(known, input, run) {
    const { backend } = known;
    // Whether it needs consent is for the catalogue to say that the backend has now.
    const entry =
      backend.state === 'ready' ? known : await this.#whenListed(backend, known.tool.name, run);
    const { tool } = entry;
    const name = `${backend.name}.${tool.name}`;
    const checked = input ?? {};
    if (!isRecord(checked)) {
      throw new ToolCallError(
        `${name} takes one object of named arguments, such as { query: "x" }`,
      );
    }
    await this.#approval.obtain(entry, checked, run);
    const attributes = { 'mcp.backend': backend.name, 'mcp.tool': tool.name };
    try {
      const result = await traced(this.#tracer, `tools/call ${name}`, attributes, () =>
        backend.call(tool.name, checked, run),
      );
      await checkResult(entry, result, run.signal);
      run.addContent(contentBeside(result));
      return valueOfResult(result);
    } finally {
      run.noteCall(name);
    }
  }

  /**
   * @param {string} name with or without its backend
   * @param {ChainRun} run
   * @returns {Promise<Entry>} rejects with a ToolCallError; a backend that is named and has told nothing yet is waited for
   */
  async find(name, run) {
    for (const backend of this.#registry.backends.filter((one) => !one.isListed)) {
      const prefix = [backend.name, backend.safeName].find((one) => name.startsWith(`${one}.`));
      if (prefix !== undefined) {
        return this.#whenListed(backend, name.slice(prefix.length + 1), run);
      }
    }
    return this.#registry.find(name);
  }

  /**
   * A guest's call, of which nothing is to be believed.
   *
   * @param {any} given backend, tool and input, as the bridge sends them
   * @param {ChainRun} run
   * @returns {Promise<string>} JSON
   */
  async callFromGuest(given, run) {
    const [backendName, toolName, input] = Array.isArray(given) ? given.map(String) : [];
    const backend = this.#registry.findBackend(backendName);
    if (backend === undefined) throw new ToolCallError(`There is no backend '${backendName}'`);
    const entry =
      this.#registry.findCall([backend.safeName, toolName]) ??
      (await this.#whenListed(backend, toolName, run));
    const text = JSON.stringify(await this.call(entry, parseInput(input), run)) ?? 'null';
    return checkResultSize(text);
  }

  /**
   * @param {Entry['backend']} backend
   * @param {string} toolName
   * @param {ChainRun} run
   * @returns {Promise<Entry>} rejects with a ToolCallError
   */
  async #whenListed(backend, toolName, run) {
    await backend.whenConnected(toolName, run);
    const entry = this.#registry.findCall([backend.safeName, toolName]);
    if (entry !== undefined) return entry;
    throw new ToolCallError(`Backend '${backend.name}' has no tool '${toolName}'`);
  }
}

/** @param {string} text */
function parseInput(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ToolCallError(`The input is not JSON: ${messageOf(error)}`);
  }
}

/** @param {string} text */
function checkResultSize(text) {
  // Each UTF-16 unit takes one to three bytes: most need not be counted.
  if (text.length * 3 <= MAX_RESULT_BYTES || Buffer.byteLength(text) <= MAX_RESULT_BYTES) {
    return text;
  }
  throw resultTooLarge();
}

function resultTooLarge() {
  return new ToolCallError(
    `The result is larger than ${MAX_RESULT_BYTES} bytes: ask for less of it`,
  );
}

module.exports = { MAX_RESULT_BYTES, ToolCalls, checkResultSize, resultTooLarge };
