'use strict';
// One call of an upstream tool: cancelled with its execution, and its answer whole, or as a value or a failure.

const { setMaxListeners } = require('node:events');

const { ExecuteFailure } = require('../execution/failures.js');
const { messageOf } = require('../foreign-text.js');
const { loadTypes } = require('./sdk.js');

/** @typedef {import('@modelcontextprotocol/sdk/types.js').CallToolResult} CallToolResult */

// A call lasts as long as its execution, whose end aborts it: the SDK's own minute is as good as switched off.
const CALL_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * @param {import('./upstream.js').Upstream} upstream
 * @param {string} toolName
 * @param {Record<string, unknown>} input
 * @param {AbortSignal} signal of the execution
 * @returns {Promise<CallToolResult>} also where it says that the tool failed
 * @throws {ExecuteFailure} `tool_error` for every other failure: an upstream has no say in the other codes
 */
async function callUpstream({ client, name }, toolName, input, signal) {
  const { CallToolResultSchema } = loadTypes();
  return withSignalOfItsOwn(signal, async (own) => {
    try {
      return await client.request(
        { method: 'tools/call', params: { name: toolName, arguments: input } },
        CallToolResultSchema,
        { signal: own, timeout: CALL_TIMEOUT_MS },
      );
    } catch (error) {
      throw new ExecuteFailure(
        'tool_error',
        client.transport === undefined
          ? `The MCP server ${name} is not connected any more, so ${toolName} has no answer`
          : messageOf(error),
      );
    }
  });
}

/**
 * The SDK never stops listening to the signal of a request: with the execution's own it would send a cancellation for
 * every answered call when the execution ends.
 *
 * @template T
 * @param {AbortSignal} signal
 * @param {(own: AbortSignal) => Promise<T>} act
 * @returns {Promise<T>}
 */
async function withSignalOfItsOwn(signal, act) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  // An execution may have any number of calls open.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await act(controller.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** @param {CallToolResult} result */
function textOf({ content }) {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/**
 * @param {CallToolResult} result
 * @param {string} toolName
 * @returns {unknown} the structured content; without one the text, or the content blocks when not all of it is text
 * @throws {ExecuteFailure} `tool_error` when the tool says that it failed
 */
function valueOf(result, toolName) {
  const { structuredContent, content, isError } = result;
  if (isError === true) {
    const why = textOf(result) || `The tool ${toolName} failed and did not say why`;
    throw new ExecuteFailure('tool_error', why);
  }
  if (structuredContent !== undefined) return structuredContent;
  return content.every(({ type }) => type === 'text') ? textOf(result) : content;
}

module.exports = { callUpstream, textOf, valueOf, withSignalOfItsOwn };
