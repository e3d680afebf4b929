'use strict';
// Threads of a test over HTTP, on a free port.

const http = require('node:http');

const { WebSocket } = require('ws');

const { openAgent } = require('./support.js');

/** @type {http.Server[]} */
const servers = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** @typedef {string[] | Record<string, { user?: string }>} Tokens */

/**
 * @param {any} script
 * @param {object} [more]
 * @param {Tokens} [tokens]
 */
async function serve(script, more = {}, tokens = ['secret']) {
  const made = await openAgent(script, more);
  return { ...made, ...(await serveRuntime(made.runtime, tokens)) };
}

/**
 * @param {Pick<import('isobox/threads').ThreadRuntime, 'handler'>} runtime
 * @param {Tokens} tokens
 */
async function serveRuntime(runtime, tokens) {
  const handler = runtime.handler({ tokens });
  const server = http.createServer(handler).on('upgrade', handler.upgrade);
  servers.push(server);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const ask = async (method, path, body, token = 'secret') => {
    const isBytes = body instanceof Uint8Array || typeof body === 'string';
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...(token && { authorization: `Bearer ${token}` }) },
      body: body === undefined || isBytes ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    };
  };
  return { ask, port };
}

/** A stream, once it is open, with the frames it has got and a wait for one. */
async function connect(port, path) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  const frames = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  const until = async (isIt) => {
    for (;;) {
      const found = frames.find(isIt);
      if (found !== undefined) return found;
      await new Promise((resolve) => socket.once('message', resolve));
    }
  };
  await until(({ type }) => type === 'connected');
  return { socket, frames, until };
}

module.exports = { connect, serve, serveRuntime };
