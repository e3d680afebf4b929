'use strict';

const { toolChainMcpServer } = require('./chain-server.js');
const { ToolChain } = require('./tool-chain.js');

/**
 * @param {import('../../types/tool-chain.js').ToolChainOptions} options
 * @returns {import('../../types/tool-chain.js').ToolChain} its backends connect in the background
 */
function createToolChain(options) {
  return /** @type {any} */ (new ToolChain(options));
}

module.exports = { createToolChain, toolChainMcpServer };
