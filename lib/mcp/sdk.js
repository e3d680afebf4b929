'use strict';
// The MCP SDK, an optional peer: loaded when something needs it, with a message that says what to install.

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
  loadTypes: () => loadPeer(() => require('@modelcontextprotocol/sdk/types.js')),
  loadClient: () => loadPeer(() => require('@modelcontextprotocol/sdk/client/index.js')).Client,
  loadServer: () => loadPeer(() => require('@modelcontextprotocol/sdk/server/index.js')).Server,
  loadInMemoryTransport: () =>
    loadPeer(() => require('@modelcontextprotocol/sdk/inMemory.js')).InMemoryTransport,
  loadStdioClientTransport: () =>
    loadPeer(() => require('@modelcontextprotocol/sdk/client/stdio.js')).StdioClientTransport,
  loadStdioServerTransport: () =>
    loadPeer(() => require('@modelcontextprotocol/sdk/server/stdio.js')).StdioServerTransport,
  loadHttpClientTransport: () =>
    loadPeer(() => require('@modelcontextprotocol/sdk/client/streamableHttp.js'))
      .StreamableHTTPClientTransport,
};
