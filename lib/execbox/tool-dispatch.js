'use strict';
// The host's side of tool calls: which tool is meant, what it is told, and how its failures are classified.

const { isRecord } = require('../options.js');
const { ExecuteFailure, TIMEOUT_MESSAGE, describeToolFailure } = require('./failures.js');

/** @typedef {import('../../types/execbox.js').ResolvedToolProvider} ResolvedToolProvider */
/** @typedef {import('../../types/execbox.js').ResolvedToolDescriptor} ResolvedToolDescriptor */
/** @typedef {Map<string, Map<string, ResolvedToolDescriptor>>} ToolTable by namespace and safe name */

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
 * @param {{ providerName: string, safeToolName: string, input?: unknown }} call
 * @param {AbortSignal} signal aborts when the execution ends
 * @returns {Promise<unknown>} rejects with an ExecuteFailure, never with anything else
 */
async function callTool(table, { providerName, safeToolName, input }, signal) {
  const tool = table.get(providerName)?.get(safeToolName);
  if (tool === undefined) {
    throw new ExecuteFailure('internal_error', `Unknown tool ${providerName}.${safeToolName}`);
  }
  if (signal.aborted) throw new ExecuteFailure('timeout', TIMEOUT_MESSAGE);
  try {
    return await tool.execute(input, {
      signal,
      providerName,
      safeToolName,
      originalToolName: tool.originalName,
    });
  } catch (thrown) {
    const { code, message } = describeToolFailure(thrown);
    throw new ExecuteFailure(code, message);
  }
}

module.exports = { callTool, readProviders };
