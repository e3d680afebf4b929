'use strict';
// A tool chain as an MCP server: its tools, and its resources.

const { version } = require('../../package.json');
const { messageOf } = require('../foreign-text.js');
const { loadTypes } = require('../mcp/sdk.js');
const { createChainTools } = require('./chain-tools.js');
const { TEMPLATES } = require('./resources.js');
const { createToolServer } = require('./tool-server.js');

const INSTRUCTIONS =
  'One tool, call_tool_chain, reaches the tools of all backends. Find them with search_tools, see how one is called with ' +
  'tool_info, then send a call as JSON or code that makes as many calls as the task needs and returns what matters.';

/**
 * @param {import('../../types/tool-chain.js').ToolChain} chain stays the caller's
 * @returns {import('../../types/tool-chain.js').ToolChainServer}
 */
function toolChainMcpServer(chain) {
  if (typeof chain?.callToolChain !== 'function') {
    throw new TypeError('toolChainMcpServer needs a tool chain, such as createToolChain() makes');
  }
  /** @type {any} */
  let server = undefined;
  const tools = createChainTools(chain, () => server.getClientCapabilities());
  server = createToolServer({ name: 'isobox', version }, tools, {
    capabilities: { resources: {} },
    instructions: INSTRUCTIONS,
  });
  const {
    ErrorCode,
    ListResourceTemplatesRequestSchema,
    ListResourcesRequestSchema,
    McpError,
    ReadResourceRequestSchema,
  } = loadTypes();
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: chain.listResources(),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: TEMPLATES,
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async (/** @type {any} */ { params }) => {
    try {
      return { contents: [await chain.readResource(params.uri)] };
    } catch (error) {
      throw new McpError(ErrorCode.InvalidParams, messageOf(error));
    }
  });
  return server;
}

module.exports = { toolChainMcpServer };
