'use strict';
// The whole catalogue of a server: every page of tools/list, within bounds that no server needs to reach.

const { messageOf } = require('../foreign-text.js');
const { loadTypes } = require('./sdk.js');

/** @typedef {import('@modelcontextprotocol/sdk/types.js').Tool} Tool */

const MAX_PAGES = 1000;
const MAX_TOOLS = 10_000;
const LIST_TIMEOUT_MS = 30_000;

/**
 * Pages are read with plain requests: the client's own `listTools` compiles every output schema, and one that does not
 * compile would hide all tools.
 *
 * @param {import('./upstream.js').Upstream} upstream
 * @returns {Promise<Tool[]>} of tools with the same name, the first
 */
async function listTools({ client, name }) {
  const capabilities = client.getServerCapabilities();
  if (capabilities !== undefined && capabilities.tools === undefined) return [];
  try {
    return await readPages(client);
  } catch (error) {
    throw new Error(`Cannot list the tools of the MCP server ${name}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** @param {import('../../types/mcp.js').McpClient} client */
async function readPages(client) {
  const { ListToolsResultSchema } = loadTypes();
  const deadline = performance.now() + LIST_TIMEOUT_MS;
  /** @type {Map<string, Tool>} */
  const tools = new Map();
  const cursors = new Set();
  /** @type {string | undefined} */
  let cursor;
  do {
    if (cursors.size >= MAX_PAGES) throw new Error(`it has more than ${MAX_PAGES} pages`);
    cursors.add(cursor);
    const page = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      ListToolsResultSchema,
      { timeout: Math.max(1, deadline - performance.now()) },
    );
    for (const tool of page.tools) if (!tools.has(tool.name)) tools.set(tool.name, tool);
    if (tools.size > MAX_TOOLS) throw new Error(`it has more than ${MAX_TOOLS} tools`);
    cursor = page.nextCursor;
    if (cursors.has(cursor) && cursor) throw new Error('it gives the same cursor twice');
    // An empty cursor is the end too: it names no page.
  } while (cursor);
  return [...tools.values()];
}

module.exports = { MAX_PAGES, MAX_TOOLS, listTools };
