'use strict';
// A connection to a configured server: a program that talks on its standard streams, or an address.

const { setTimeout: sleep } = require('node:timers/promises');

const { messageOf } = require('../foreign-text.js');
const { MessageLines } = require('./message-lines.js');
const { loadClient, loadHttpClientTransport, loadStdioClientTransport } = require('./sdk.js');
const { CLIENT_INFO } = require('./upstream.js');

/** @typedef {import('./server-config.js').ConfiguredServer} ConfiguredServer */

/**
 * @typedef {object} ServerConnection
 * @property {string} name
 * @property {import('../../types/mcp.js').McpClient} client
 * @property {() => Promise<void>} close ends a program that was started, by force if it does not leave by itself
 */

const CONNECT_TIMEOUT_MS = 30_000;
const GOODBYE_TIMEOUT_MS = 1000;

// One answer of a program; the SDK would end the connection at 10 MiB.
const MAX_MESSAGE_BYTES = 64 * 2 ** 20;

/**
 * @param {ConfiguredServer} server
 * @param {{ onClose: (name: string) => void, signal: AbortSignal }} options `onClose` is told when it leaves by itself
 * @returns {Promise<ServerConnection>}
 */
async function connectServer(server, { onClose, signal }) {
  const Client = loadClient();
  const client = new Client(CLIENT_INFO);
  const { transport, sayGoodbye } = 'url' in server ? reachAddress(server) : startProgram(server);
  try {
    await client.connect(transport, { timeout: CONNECT_TIMEOUT_MS, signal });
  } catch (error) {
    await transport.close();
    throw new Error(`Cannot connect to the MCP server ${describe(server)}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  client.onclose = () => onClose(server.name);
  return {
    name: server.name,
    client,
    async close() {
      client.onclose = undefined;
      await sayGoodbye();
      await client.close();
    },
  };
}

/** @param {import('./server-config.js').StdioServer} server */
function startProgram({ command, args, env, cwd }) {
  const Transport = loadStdioClientTransport();
  const transport = new Transport({
    command,
    args,
    env,
    cwd,
    // Beside this process's own: standard output belongs to the protocol.
    stderr: 'inherit',
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  Object.assign(transport, { _readBuffer: new MessageLines(MAX_MESSAGE_BYTES) });
  return { transport, sayGoodbye: async () => {} };
}

/** @param {import('./server-config.js').HttpServer} server */
function reachAddress({ url, headers }) {
  const Transport = loadHttpClientTransport();
  const transport = new Transport(url, { requestInit: { headers } });
  return {
    transport,
    /** Lets the server forget the session. Whether it answers is its own affair. */
    async sayGoodbye() {
      const answered = transport.terminateSession().catch(() => {});
      await Promise.race([answered, sleep(GOODBYE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

/** @param {ConfiguredServer} server named without arguments and queries, which may hold secrets */
function describe(server) {
  const how = 'url' in server ? server.url.origin + server.url.pathname : server.command;
  return `${server.name} (${how})`;
}

/** @param {unknown} error where a fetch says only that it failed, its cause says why */
function reasonOf(error) {
  const { cause } = /** @type {any} */ (error);
  const why = cause?.message || cause?.code;
  return why === undefined ? messageOf(error) : `${messageOf(error)} (${why})`;
}

module.exports = { connectServer };
