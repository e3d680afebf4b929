'use strict';
// `isobox mcp`: code execution over configured MCP servers, served on standard input and output.

const { EXIT } = require('./exit-codes.js');
const { numberBetween, sizeBetween } = require('./sizes.js');

const MiB = 2 ** 20;

const HELP = `
The file has the usual form:
  { "mcpServers": {
      "files": { "command": "npx", "args": ["-y", "some-server"], "env": {}, "cwd": "." },
      "docs":  { "url": "https://example.com/mcp", "headers": {} } } }

Every server becomes a namespace that code can call. Clients see three tools: mcp_search_tools, mcp_execute_code and
mcp_code. Standard output carries the protocol only; what servers write to standard error passes through.`;

/** @param {import('commander').Command} program */
function register(program) {
  const { Option } = require('commander');
  program
    .command('mcp')
    .summary('serve code execution over MCP servers, as an MCP server')
    .description(
      'Serves code execution over the tools of other MCP servers, as an MCP server on stdio.',
    )
    .requiredOption('-c, --config <file>', 'the servers, in the form "mcpServers"')
    .addOption(
      new Option('--timeout <ms>', 'wall clock time of each execution')
        .argParser(numberBetween({ min: 1, max: 2 ** 31 - 1 }))
        .default(5000),
    )
    .addOption(
      new Option('--memory <size>', 'V8 heap and ArrayBuffers of each execution')
        .argParser(sizeBetween({ min: 8 * MiB, max: 4096 * MiB }))
        .default(64 * MiB, '64m'),
    )
    .addOption(
      new Option('--host <host>', 'where guests run')
        .choices(['thread', 'worker', 'process'])
        .default('thread'),
    )
    .addHelpText('after', HELP)
    .action(serve);
}

/**
 * @param {{ config: string, timeout: number, memory: number, host: 'thread' | 'worker' | 'process' }} options
 * @param {import('commander').Command} command
 */
async function serve({ config, timeout, memory, host }, command) {
  const { readServerConfig } = require('../mcp/server-config.js');
  const { serveStdio } = require('../mcp/serve-stdio.js');
  const { messageOf } = require('../execbox/failures.js');

  const warn = (/** @type {string} */ message) => console.error(`isobox mcp: ${message}`);
  const servers = orUsageError(command, () => readServerConfig(config));
  const stop = stopOnSignals();
  try {
    await serveStdio({
      servers,
      executor: { host, timeoutMs: timeout, memoryLimitBytes: memory },
      signal: stop,
      warn,
    });
    if (stop.aborted) process.exitCode = stop.reason;
  } catch (error) {
    warn(messageOf(error));
    process.exitCode = EXIT.failed;
  }
}

/**
 * @template T
 * @param {import('commander').Command} command
 * @param {() => T} read
 * @returns {T}
 */
function orUsageError(command, read) {
  try {
    return read();
  } catch (error) {
    return command.error(`error: ${/** @type {Error} */ (error).message}`);
  }
}

/** @returns {AbortSignal} its reason is the exit code; a second signal of the same kind ends the process at once */
function stopOnSignals() {
  const controller = new AbortController();
  process.once('SIGTERM', () => controller.abort(EXIT.terminated));
  process.once('SIGINT', () => controller.abort(EXIT.interrupted));
  return controller.signal;
}

module.exports = { register };
