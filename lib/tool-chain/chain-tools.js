'use strict';
// The tools of a tool chain as an MCP server offers them: the chain itself, and three that tell what it can reach.

const { messageOf } = require('../foreign-text.js');
const { loadTypes } = require('../mcp/sdk.js');
const { MAX_TIMEOUT_MS } = require('./chain-options.js');
const {
  CALL_TOOL_CHAIN,
  LIST_TOOLS_META,
  SEARCH_TOOLS,
  TOOL_INFO,
} = require('./chain-tool-definitions.js');
const { ProgressNotes } = require('./progress-notes.js');

/** @typedef {import('../../types/tool-chain.js').ToolChain} ToolChain */
/** @typedef {import('@modelcontextprotocol/sdk/types.js').CallToolResult} CallToolResult */

/**
 * @typedef {object} ChainTool
 * @property {import('@modelcontextprotocol/sdk/types.js').Tool} definition
 * @property {(input: any, signal: AbortSignal, extra?: any) => Promise<CallToolResult>} call its input fits the schema;
 *   `extra` is what the SDK knows of the request
 */

const SHOWN_INPUT_CHARS = 2000;
/** A person may think as long as they like. */
const ASK_TIMEOUT_MS = MAX_TIMEOUT_MS;

/**
 * @param {ToolChain} chain
 * @param {() => any} clientCapabilities
 * @returns {ChainTool[]}
 */
function createChainTools(chain, clientCapabilities) {
  return [
    {
      definition: CALL_TOOL_CHAIN,
      async call(request, signal, extra) {
        const canAsk = clientCapabilities()?.elicitation !== undefined;
        const progress = new ProgressNotes(extra);
        try {
          const { content, isError, tier } = await chain.callToolChain(request, {
            signal,
            onProgress: (one) => progress.note(one),
            ...(canAsk && { ask: askWith(extra) }),
          });
          return { content: /** @type {any} */ (content), isError, _meta: { 'isobox/tier': tier } };
        } finally {
          progress.end();
        }
      },
    },
    telling(SEARCH_TOOLS, (input) => chain.searchTools(input)),
    telling(TOOL_INFO, (input) => chain.toolInfo(input)),
    telling(LIST_TOOLS_META, (input) => chain.listToolsMeta(input)),
  ];
}

/**
 * @param {ChainTool['definition']} definition
 * @param {(input: any) => Promise<object>} tell
 * @returns {ChainTool}
 */
function telling(definition, tell) {
  return {
    definition,
    async call(input) {
      try {
        const told = await tell(input);
        return { content: [{ type: 'text', text: JSON.stringify(told, null, 2) }] };
      } catch (error) {
        return refusal(messageOf(error));
      }
    },
  };
}

/**
 * @param {any} extra of the request
 * @returns {import('../../types/tool-chain.js').AskForApproval} by MCP elicitation
 */
function askWith({ sendRequest }) {
  return async ({ backend, tool, input }, { signal }) => {
    const shown = JSON.stringify(input, null, 2);
    const cut = shown.length > SHOWN_INPUT_CHARS ? `${shown.slice(0, SHOWN_INPUT_CHARS)}…` : shown;
    const params = {
      message: `May ${backend}.${tool} be called with this input?\n${cut}`,
      requestedSchema: { type: 'object', properties: {} },
    };
    const { action } = await sendRequest(
      { method: 'elicitation/create', params },
      loadTypes().ElicitResultSchema,
      { signal, timeout: ASK_TIMEOUT_MS },
    );
    return action === 'accept';
  };
}

/**
 * @param {string} text for the model that called, which may try again
 * @returns {CallToolResult}
 */
function refusal(text) {
  return { content: [{ type: 'text', text }], isError: true };
}

module.exports = { createChainTools, refusal };
