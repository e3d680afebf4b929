'use strict';
// The host's side of tool calls: which tool is meant, what it is told, and how its failures are classified.

const { isRecord } = require('../checks/options.js');
const { ExecuteFailure, TIMEOUT_MESSAGE, describeToolFailure } = require('./failures.js');
const { findUntransferable } = require('./transport-safety.js');

/** @typedef {import('../../types/execbox.js').ResolvedToolProvider} ResolvedToolProvider */
/** @typedef {import('../../types/execbox.js').ResolvedToolDescriptor} ResolvedToolDescriptor */
/** @typedef {import('../../types/execbox.js').ToolCall} ToolCall */
/** @typedef {import('../../types/execbox.js').ToolCallResult} ToolCallResult */
/** @typedef {Map<string, Map<string, ResolvedToolDescriptor>>} ToolTable by namespace and safe name */
/** @typedef {<T>(wait: () => Promise<T>) => Promise<T>} WhileAsking */

/**
 * @param {unknown} providers
 * @returns {ToolTable}
 * @throws {TypeError} for what no provider resolution gives
 */
function readProviders(providers) {
  if (!Array.isArray(providers)) throw new TypeError('providers must be an array');
  /** @type {ToolTable} */
  const table = new Map();
  for (const [i, provider] of providers.entries()) {
    if (!isRecord(provider) || typeof provider.name !== 'string' || !isRecord(provider.tools)) {
      throw new TypeError(`providers[${i}] must be what resolveProvider() returns`);
    }
    if (table.has(provider.name)) {
      throw new TypeError(`Two providers have the namespace ${provider.name}`);
    }
    table.set(provider.name, readTools(provider));
  }
  return table;
}

/**
 * @param {ToolTable} table
 * @returns {boolean} whether a call may have to wait for somebody's approval
 */
function mayAsk(table) {
  return [...table.values()].some((tools) =>
    [...tools.values()].some((tool) => tool.mayNeedApproval === true),
  );
}

/** @param {Record<string, any>} provider */
function readTools({ name, tools }) {
  /** @type {Map<string, ResolvedToolDescriptor>} */
  const resolved = new Map();
  for (const [key, tool] of Object.entries(tools)) {
    if (typeof tool?.safeName !== 'string' || typeof tool.execute !== 'function') {
      throw new TypeError(`${name}.${key} is not resolved: pass its provider to resolveProvider()`);
    }
    resolved.set(tool.safeName, tool);
  }
  return resolved;
}

/**
 * @param {ToolTable} table
 * @param {ToolCall} call
 * @param {AbortSignal} signal aborts when the execution ends
 * @param {WhileAsking} [whileAsking] stops the execution's clock; there when one of its tools may ask for approval
 * @returns {Promise<unknown>} rejects with an ExecuteFailure, never with anything else
 */
async function dispatchToolCall(table, { providerName, safeToolName, input }, signal, whileAsking) {
  const tool = table.get(providerName)?.get(safeToolName);
  if (tool === undefined) {
    throw new ExecuteFailure('internal_error', `Unknown tool ${providerName}.${safeToolName}`);
  }
  if (signal.aborted) throw new ExecuteFailure('timeout', TIMEOUT_MESSAGE);
  try {
    const context = createExecutionContext(signal, providerName, safeToolName, tool.originalName);
    return await tool.execute(input, whileAsking ? { ...context, whileAsking } : context);
  } catch (thrown) {
    const { code, message } = describeToolFailure(thrown);
    throw new ExecuteFailure(code, message);
  }
}

/**
 * @param {AbortSignal} signal
 * @param {string} providerName
 * @param {string} safeToolName
 * @param {string} originalToolName
 * @returns {import('../../types/execbox.js').ToolExecutionContext} what a tool is told about its call
 */
function createExecutionContext(signal, providerName, safeToolName, originalToolName) {
  return { signal, providerName, safeToolName, originalToolName };
}

/**
 * The same for calls that come as messages, and answers that go as such.
 *
 * @param {ResolvedToolProvider[]} providers
 * @param {AbortSignal} signal aborts when the execution ends
 * @param {WhileAsking} [whileAsking]
 * @returns {(call: ToolCall) => Promise<ToolCallResult>} never rejects
 */
function createToolCallDispatcher(providers, signal, whileAsking) {
  const table = readProviders(providers);
  return async (call) => {
    try {
      const refusedInput = findUntransferable(call.input);
      if (refusedInput !== undefined) return refusal(refusedInput);
      const result = await dispatchToolCall(table, call, signal, whileAsking);
      const refused = findUntransferable(result);
      if (refused !== undefined) return refusal(`the host's result cannot be sent: ${refused}`);
      return { ok: true, result };
    } catch (error) {
      return { ok: false, error: describeToolFailure(error) };
    }
  };
}

/**
 * @param {string} message
 * @returns {ToolCallResult}
 */
function refusal(message) {
  return { ok: false, error: { code: 'serialization_error', message } };
}

module.exports = {
  createExecutionContext,
  createToolCallDispatcher,
  dispatchToolCall,
  mayAsk,
  readProviders,
};
