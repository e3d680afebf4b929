'use strict';
// A tool chain on standard input and output.

const { messageOf } = require('../foreign-text.js');
const { serveUntilEnd } = require('../mcp/serve-stdio.js');
const { toolChainMcpServer } = require('./chain-server.js');
const { ToolChain } = require('./tool-chain.js');

/**
 * Serves until its input ends, its output breaks or the signal aborts, and resolves when every backend is closed.
 *
 * @param {object} parts
 * @param {import('../../types/tool-chain.js').ToolChainOptions} parts.options
 * @param {AbortSignal} parts.signal
 * @param {(message: string) => void} parts.warn
 */
async function serveToolChain({ options, signal, warn }) {
  const chain = new ToolChain({ ...options, onWarning: warn });
  try {
    const server = toolChainMcpServer(/** @type {any} */ (chain));
    server.onerror = (error) => warn(messageOf(error));
    await serveUntilEnd(server, signal);
    await server.close();
  } finally {
    await chain.close();
  }
}

module.exports = { serveToolChain };
