'use strict';
// The MCP SDK, an optional peer: loaded when something needs it, with a message that says what to install.

const { createRequire } = require('node:module');

/**
 * @template T
 * @param {() => T} load
 * @returns {() => T} loads it once: Node looks for a package's file at every `require`, which takes longer than a call
 */
function onDemand(load) {
  /** @type {{ part: T } | undefined} */
  let loaded;
  return () => (loaded ??= { part: loadPeer(load) }).part;
}

/**
 * @template T
 * @param {() => T} load
 * @returns {T}
 */
function loadPeer(load) {
  try {
    return load();
  } catch (error) {
    const [reason] = String(/** @type {any} */ (error)?.message).split('\n');
    throw new Error(
      'isobox/mcp needs the package @modelcontextprotocol/sdk, version 1.24 or later. ' +
        `Install it with: npm install @modelcontextprotocol/sdk (${reason})`,
      { cause: error },
    );
  }
}

/** The parts of the SDK by what they are for. */
module.exports = {
  /** The shapes of messages, and McpError. */
  loadTypes: onDemand(() => require('@modelcontextprotocol/sdk/types.js')),
  loadClient: onDemand(() => require('@modelcontextprotocol/sdk/client/index.js').Client),
  /** Takes tools with JSON Schemas. */
  loadServer: onDemand(() => require('@modelcontextprotocol/sdk/server/index.js').Server),
  loadMcpServer: onDemand(() => require('@modelcontextprotocol/sdk/server/mcp.js').McpServer),
  /** The Zod that the SDK depends on: it takes schemas of no other version. @type {() => typeof import('zod')} */
  loadZod: onDemand(() =>
    createRequire(require.resolve('@modelcontextprotocol/sdk/server/mcp.js'))('zod'),
  ),
  loadInMemoryTransport: onDemand(
    () => require('@modelcontextprotocol/sdk/inMemory.js').InMemoryTransport,
  ),
  loadStdioClientTransport: onDemand(
    () => require('@modelcontextprotocol/sdk/client/stdio.js').StdioClientTransport,
  ),
  loadStdioServerTransport: onDemand(
    () => require('@modelcontextprotocol/sdk/server/stdio.js').StdioServerTransport,
  ),
  loadHttpClientTransport: onDemand(
    () =>
      require('@modelcontextprotocol/sdk/client/streamableHttp.js').StreamableHTTPClientTransport,
  ),
};
