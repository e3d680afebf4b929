'use strict';
// A tool chain's options from a file: its servers, and beside them what else is configured.

const { createHash } = require('node:crypto');
const os = require('node:os');
const path = require('node:path');

const { readConfigFile } = require('../mcp/server-config.js');
const { readChainOptions } = require('./chain-options.js');

/**
 * @param {string} file
 * @param {import('../../types/tool-chain.js').SandboxConfig} sandbox what counts more than the file
 * @param {'thread' | 'process'} host
 * @returns {import('../../types/tool-chain.js').ToolChainOptions}
 * @throws {Error} with a message that names the file and the place in it
 */
function readChainConfig(file, sandbox, host) {
  const config = readConfigFile(file);
  const { mcpServers: backends, output, approval, cache = defaultCacheFile(file) } = config;
  const options = {
    backends,
    cache,
    output,
    approval,
    sandbox: { ...config.sandbox, ...sandbox },
    host,
  };
  try {
    readChainOptions(options);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new Error(`${file}: ${message.replace('options.backends.', 'mcpServers.')}`, {
      cause: error,
    });
  }
  return options;
}

/**
 * @param {string} file
 * @returns {string} one for each configuration, where the system has what can be made again
 */
function defaultCacheFile(file) {
  const directory = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const id = createHash('sha256').update(path.resolve(file)).digest('hex').slice(0, 16);
  return path.join(directory, 'isobox', `tools-${id}.json`);
}

module.exports = { readChainConfig };
