'use strict';
// Where tools come from: a connected client of the caller, or a server that is connected here, in memory.

const { version } = require('../../package.json');
const { isRecord } = require('../checks/options.js');
const { loadClient, loadInMemoryTransport } = require('./sdk.js');

/** @typedef {import('../../types/mcp.js').McpToolSource} McpToolSource */
/** @typedef {import('../../types/mcp.js').McpImplementation} McpImplementation */

/**
 * @typedef {object} Upstream
 * @property {import('../../types/mcp.js').McpClient} client connected
 * @property {string} name of its server, for messages
 * @property {() => Promise<void>} close ends the connection if it was made here; a caller's client stays as it is
 */

/** @type {McpImplementation} */
const CLIENT_INFO = { name: 'isobox', version };

/**
 * SDK objects are known by what they can do: there may be several copies of the SDK in one process.
 *
 * @param {any} value
 */
const isClient = (value) =>
  typeof value?.request === 'function' && typeof value.callTool === 'function';

/** @param {any} value both McpServer and Server */
const isServer = (value) => typeof value?.connect === 'function' && !isClient(value);

/**
 * @param {unknown} source
 * @param {string} where
 * @returns {{ client: any } | { server: any }}
 */
function readSource(source, where) {
  if (isClient(source)) return { client: source };
  if (isServer(source)) return { server: source };
  if (isRecord(source)) {
    if (isClient(source.client)) return { client: source.client };
    if (isServer(source.server)) return { server: source.server };
  }
  throw new TypeError(`${where} must be a Client, an McpServer or a Server of the MCP SDK`);
}

/**
 * @param {McpToolSource} source
 * @param {{ where: string, clientInfo?: McpImplementation }} options
 * @returns {Promise<Upstream>}
 */
async function connectUpstream(source, { where, clientInfo = CLIENT_INFO }) {
  const read = readSource(source, where);
  if ('server' in read) return connectServer(read.server, clientInfo);
  const { client } = read;
  if (client.transport === undefined) {
    throw new Error(`${where} is not connected: await client.connect(transport) first`);
  }
  return { client, name: nameOf(client), close: async () => {} };
}

/**
 * @param {any} server
 * @param {McpImplementation} clientInfo
 * @returns {Promise<Upstream>}
 */
async function connectServer(server, clientInfo) {
  const Client = loadClient();
  const [near, far] = loadInMemoryTransport().createLinkedPair();
  const client = new Client(clientInfo);
  await server.connect(far);
  try {
    await client.connect(near);
  } catch (error) {
    await near.close();
    throw error;
  }
  return { client, name: nameOf(client), close: () => client.close() };
}

/** @param {import('../../types/mcp.js').McpClient} client */
function nameOf(client) {
  return client.getServerVersion()?.name ?? 'without a name';
}

/**
 * @param {any} source
 * @returns {McpImplementation | undefined} what it says of itself, or what its client was told when it connected
 */
function getMcpToolSourceServerInfo(source) {
  if (isRecord(source?.serverInfo)) return /** @type {any} */ (source.serverInfo);
  const client = isClient(source) ? source : source?.client;
  return isClient(client) ? client.getServerVersion() : undefined;
}

module.exports = { CLIENT_INFO, connectUpstream, getMcpToolSourceServerInfo };
