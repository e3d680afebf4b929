'use strict';
// One request to a backend, with a time of its own, told apart from the end of its connection.

const { messageOf } = require('../foreign-text.js');
const { textOf, withSignalOfItsOwn } = require('../mcp/call-upstream.js');
const { loadTypes } = require('../mcp/sdk.js');
const { ToolCallError } = require('./backend-errors.js');

/** @typedef {import('@modelcontextprotocol/sdk/types.js').CallToolResult} CallToolResult */

// The SDK has a minute of its own, which is as good as switched off.
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** HTTP's status for a session that the server does not know. */
const SESSION_NOT_FOUND = 404;

/**
 * @param {any} client
 * @param {{ backend: string, tool: string, input: object, signal: AbortSignal, timeoutMs: number }} call
 * @returns {Promise<CallToolResult | 'lost' | 'unknown session'>} `lost` when the connection ended before the answer
 *   came; `unknown session` when the server was started anew and did nothing. Rejects with a ToolCallError for what the
 *   server says, and when the signal aborts
 */
async function requestTool(client, { backend, tool, input, signal, timeoutMs }) {
  const { CallToolResultSchema, ErrorCode } = loadTypes();
  const message = { method: 'tools/call', params: { name: tool, arguments: input } };
  const timeout = Math.min(timeoutMs, MAX_TIMEOUT_MS);
  /** @type {CallToolResult} */
  let result;
  try {
    result = await withSignalOfItsOwn(signal, (own) =>
      client.request(message, CallToolResultSchema, { signal: own, timeout }),
    );
  } catch (error) {
    signal.throwIfAborted();
    const { name, code } = /** @type {any} */ (error);
    if (client.transport === undefined) return 'lost';
    // What is no answer of a server's is a failure of its transport.
    if (name !== 'McpError' && code === SESSION_NOT_FOUND) return 'unknown session';
    if (name !== 'McpError' && (name === 'TypeError' || code >= 400)) return 'lost';
    if (code === ErrorCode.RequestTimeout) {
      throw new ToolCallError(
        `Backend '${backend}' did not answer tool '${tool}' within ${timeoutMs} ms`,
      );
    }
    throw new ToolCallError(`tool '${tool}' on backend '${backend}': ${messageOf(error)}`);
  }
  if (result.isError !== true) return result;
  const reason = textOf(result) || 'it failed and did not say why';
  throw new ToolCallError(`tool '${tool}' on backend '${backend}': ${reason}`);
}

/**
 * @param {CallToolResult} result
 * @returns {unknown} the structured content; without one each block: text as the JSON it is, or else as it is, images
 *   and the like as blocks; one by itself, or a list
 */
function valueOfResult({ structuredContent, content }) {
  if (structuredContent !== undefined) return structuredContent;
  const values = content.map((block) => (block.type === 'text' ? parseText(block.text) : block));
  return values.length === 1 ? values[0] : values;
}

/**
 * @param {CallToolResult} result
 * @returns {import('./render-result.js').ContentBlock[]} what its value does not say: images and the like beside
 *   structured content
 */
function contentBeside({ structuredContent, content }) {
  return structuredContent === undefined ? [] : content.filter(({ type }) => type !== 'text');
}

/** @param {string} text */
function parseText(text) {
  try {
    const value = JSON.parse(text);
    // A number with more digits than it can hold stays text.
    return typeof value === 'number' && String(value) !== text.trim() ? text : value;
  } catch {
    return text;
  }
}

module.exports = { contentBeside, requestTool, valueOfResult };
