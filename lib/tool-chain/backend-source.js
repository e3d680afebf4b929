'use strict';
// How a backend is reached: a program or an address from a configuration, or a client or server that the caller made.

const { createHash } = require('node:crypto');

const { connectServer } = require('../mcp/connect-server.js');
const { readServerEntry } = require('../mcp/server-config.js');
const { connectUpstream } = require('../mcp/upstream.js');

/**
 * @typedef {object} Connection
 * @property {any} client of the SDK, connected
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} BackendSource
 * @property {boolean} isLasting whether it can be connected again
 * @property {string} [identity] tells it from others that may have its name later; without secrets
 * @property {(options: { signal: AbortSignal, onClose: () => void }) => Promise<Connection>} connect
 */

/**
 * @param {string} name
 * @param {Record<string, any>} options with the keys of one kind
 * @param {string} where
 * @returns {BackendSource}
 */
function backendSource(name, options, where) {
  if (options.client === undefined && options.server === undefined) {
    const server = readServerEntry(name, options, where);
    return {
      isLasting: true,
      identity: identityOf(server),
      connect: (watched) => connectServer(server, watched),
    };
  }
  return {
    isLasting: false,
    async connect({ onClose }) {
      const upstream = await connectUpstream(/** @type {any} */ (options), { where });
      const { client, close } = /** @type {any} */ (upstream);
      // The caller's client keeps its own listener.
      const before = client.onclose;
      client.onclose = () => {
        client.onclose = before;
        before?.();
        onClose();
      };
      return {
        client,
        async close() {
          client.onclose = before;
          await close();
        },
      };
    },
  };
}

/** @param {import('../mcp/server-config.js').ConfiguredServer} server whose environment and headers may hold secrets */
function identityOf(server) {
  const parts = 'url' in server ? [server.url.href] : [server.command, server.cwd, ...server.args];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

module.exports = { backendSource };
