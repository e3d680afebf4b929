'use strict';
// `isobox mcp`: code execution over configured MCP servers, served on standard input and output.

const { MEMORY_RANGE } = require('../limits.js');
const { EXIT } = require('./exit-codes.js');
const { checkHostOption, hostOption } = require('./guest-options.js');
const { stayWithoutReader } = require('./leave-with-reader.js');
const { numberBetween, sizeBetween } = require('./sizes.js');

const HELP = `
The file has the usual form:
  { "mcpServers": {
      "files": { "command": "npx", "args": ["-y", "some-server"], "env": {}, "cwd": "." },
      "docs":  { "url": "https://example.com/mcp", "headers": {} } } }

Every server becomes a namespace that code can call. Clients see three tools: mcp_search_tools, mcp_execute_code and
mcp_code, or with --mode some of them. A server that cannot be reached is left out. With --tool-chain they see call_tool_chain, search_tools, tool_info and list_tools_meta instead, and the
file may also have "output", "sandbox" and "approval". Standard output carries the protocol only; what servers write to standard error passes through.`;

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
        .argParser(sizeBetween(MEMORY_RANGE))
        .default(64 * 2 ** 20, '64m'),
    )
    .addOption(hostOption())
    .addOption(
      new Option('--mode <mode>', 'split: search and execute; single: one tool for both; both')
        .choices(['both', 'split', 'single'])
        .default('both'),
    )
    .option('--tool-chain', 'serve call_tool_chain, over servers that may come and go', false)
    .addHelpText('after', HELP)
    .action((options, command) => {
      checkHostOption(command, options.host);
      stayWithoutReader();
      return (options.toolChain ? serveChain : serve)(options, command);
    });
}

/**
 * @typedef {object} McpOptions
 * @property {string} config
 * @property {number} timeout
 * @property {number} memory
 * @property {'thread' | 'process'} host
 * @property {'both' | 'split' | 'single'} mode
 */

/**
 * @param {McpOptions} options
 * @param {import('commander').Command} command
 */
async function serve({ config, timeout, memory, host, mode }, command) {
  const { readServerConfig } = require('../mcp/server-config.js');
  const { serveStdio } = require('../mcp/serve-stdio.js');
  const { messageOf } = require('../foreign-text.js');

  const warn = (/** @type {string} */ message) => console.error(`isobox mcp: ${message}`);
  const servers = orUsageError(command, () => readServerConfig(config));
  const stop = stopOnSignals();
  try {
    await serveStdio({
      servers,
      executor: { host, timeoutMs: timeout, memoryLimitBytes: memory },
      mode,
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
 * @param {McpOptions} options
 * @param {import('commander').Command} command
 */
async function serveChain({ config, timeout, memory, host }, command) {
  const { readChainConfig } = require('../tool-chain/chain-config.js');
  const { serveToolChain } = require('../tool-chain/serve-tool-chain.js');
  const { messageOf } = require('../foreign-text.js');

  const warn = (/** @type {string} */ message) => console.error(`isobox mcp: ${message}`);
  const isGiven = (/** @type {string} */ name) => command.getOptionValueSource(name) !== 'default';
  if (isGiven('mode')) command.error('error: --mode is for the tools without --tool-chain');
  const options = orUsageError(command, () =>
    readChainConfig(
      config,
      {
        ...(isGiven('timeout') && { timeout }),
        ...(isGiven('memory') && { max_heap_size: memory }),
      },
      host,
    ),
  );
  const stop = stopOnSignals();
  try {
    await serveToolChain({ options, signal: stop, warn });
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
