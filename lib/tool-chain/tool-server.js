'use strict';
// An MCP server of tools whose schemas are JSON Schema, on the SDK's lower level: the higher one takes Zod only.

const { loadServer, loadTypes } = require('../mcp/sdk.js');
const { readJsonSchema } = require('../schema/json-schema.js');
const { refusal } = require('./chain-tools.js');

/**
 * @param {{ name: string, version: string }} serverInfo
 * @param {import('./chain-tools.js').ChainTool[]} tools
 * @param {{ capabilities?: object, instructions?: string }} [options] beside the tools
 */
function createToolServer(serverInfo, tools, { capabilities = {}, instructions } = {}) {
  const Server = loadServer();
  const { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } = loadTypes();
  const byName = new Map(
    tools.map((tool) => [
      tool.definition.name,
      { ...tool, check: readJsonSchema(tool.definition.inputSchema) },
    ]),
  );
  const server = new Server(serverInfo, {
    capabilities: { tools: {}, ...capabilities },
    ...(instructions !== undefined && { instructions }),
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ definition }) => definition),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = byName.get(params.name);
    if (tool === undefined) {
      const known = [...byName.keys()].join(', ');
      throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${params.name}. Known: ${known}`);
    }
    const checked = await tool.check(params.arguments ?? {}, 'arguments', extra.signal);
    if (checked.ok) return tool.call(checked.value, extra.signal, extra);
    // A result, not a protocol error: the model that wrote the arguments is to read it.
    return refusal(`Invalid arguments for ${params.name}: ${checked.reason}`);
  });
  return server;
}

module.exports = { createToolServer };
