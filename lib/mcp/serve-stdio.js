'use strict';
// A code server on standard input and output, over configured upstream servers.

const { IsolateExecutor } = require('../execbox/index.js');
const { messageOf } = require('../foreign-text.js');
const { codeMcpServer } = require('./code-server.js');
const { connectServer } = require('./connect-server.js');
const { trackRequests } = require('./open-requests.js');
const { loadStdioServerTransport } = require('./sdk.js');

/**
 * Serves until its input ends, its output breaks or the signal aborts, and resolves when every upstream is closed and
 * the executor is disposed of. When the input ends, requests that are open are answered first.
 *
 * @param {object} options
 * @param {import('./server-config.js').ConfiguredServer[]} options.servers
 * @param {import('../../types/execbox.js').IsolateExecutorOptions} options.executor
 * @param {'both' | 'split' | 'single'} options.mode
 * @param {AbortSignal} options.signal
 * @param {(message: string) => void} options.warn what people should know, for standard error
 * @returns {Promise<void>} rejects when no upstream can be used
 */
async function serveStdio({ servers, executor: executorOptions, mode, signal, warn }) {
  const executor = new IsolateExecutor(executorOptions);
  /** @type {import('./connect-server.js').ServerConnection[]} */
  const connections = [];
  try {
    await connectAll(servers, connections, { signal, warn });
    const server = await codeMcpServer(
      connections.map(({ name, client }) => ({ name, client })),
      { executor, mode, results: 'value', onUpstreamError: (error) => warn(messageOf(error)) },
    );
    server.server.onerror = (error) => warn(messageOf(error));
    await serveUntilEnd(server.server, signal);
    await server.close();
  } catch (error) {
    // Whoever told it to stop does not want to hear what was not finished.
    if (!signal.aborted) throw error;
  } finally {
    await Promise.allSettled(connections.map((connection) => connection.close()));
    await executor.dispose();
  }
}

/**
 * @param {import('./server-config.js').ConfiguredServer[]} servers
 * @param {import('./connect-server.js').ServerConnection[]} connections where they go as they come
 * @param {{ signal: AbortSignal, warn: (message: string) => void }} options
 */
async function connectAll(servers, connections, { signal, warn }) {
  const onClose = (/** @type {string} */ name) =>
    warn(`the MCP server ${name} has closed its connection; its tools fail from now on`);
  const failures = [];
  const openings = servers.map((server) => connectServer(server, { onClose, signal }));
  for (const opened of await Promise.allSettled(openings)) {
    if (opened.status === 'fulfilled') connections.push(opened.value);
    else failures.push(opened.reason);
  }
  if (failures.length > 0 && connections.length === 0) {
    throw new AggregateError(failures, failures.map(messageOf).join('\n'));
  }
  for (const failure of failures) warn(`${messageOf(failure)}; the others are served without it`);
}

/**
 * @param {import('../../types/tool-chain.js').ToolChainServer} server the SDK's `Server`
 * @param {AbortSignal} signal
 */
async function serveUntilEnd(server, signal) {
  const { stdin, stdout } = process;
  const Transport = loadStdioServerTransport();
  const transport = new Transport(stdin, stdout);
  const stopped = new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
    // Every write to a reader that is gone fails.
    stdout.on('error', resolve);
    server.onclose = () => resolve(undefined);
    if (signal.aborted) resolve(undefined);
  });
  const ended = new Promise((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
  });
  await server.connect(transport);
  const requests = trackRequests(transport);
  await Promise.race([stopped, ended.then(requests.answered)]);
}

module.exports = { serveStdio, serveUntilEnd };
