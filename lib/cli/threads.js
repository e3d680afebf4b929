'use strict';
// `isobox threads`: serves the threads of a folder of definitions.

const { EXIT } = require('./exit-codes.js');
const { listen, untilSignal } = require('./serve.js');
const { numberBetween } = require('./sizes.js');

const HELP = `
The folder has definitions as default exports:
  agents/agents/*.mjs   agents/prompts/*.mjs   agents/models/*.mjs
  agents/tools/*.mjs    agents/hooks/*.mjs     agents/effects/*.mjs
Tools and effects are called as their files are.

Examples:
  $ isobox threads . --port 8080 --store ./threads --token secret
  $ isobox threads . --store postgres://user@host/db --token secret
  $ curl -H 'authorization: Bearer secret' localhost:8080/threads

The address it prints is also that of a page which shows threads in a browser.

ISOBOX_THREADS_KEY, 32 bytes as base64 or hexadecimal text, encrypts the variables of threads; a store in a directory
makes a key of its own.`;

/** @param {import('commander').Command} program */
function register(program) {
  const { Option } = require('commander');
  program
    .command('threads')
    .argument('<folder>', 'where the definitions are')
    .summary('serve durable threads of agents')
    .description('Serves durable threads of agents over HTTP and WebSockets.')
    .addOption(
      new Option('-p, --port <n>', 'of the loopback address; 0 takes a free one')
        .argParser(numberBetween({ min: 0, max: 65_535 }))
        .default(0),
    )
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .requiredOption('-s, --store <place>', 'a directory, or postgres://…')
    .requiredOption('-t, --token <token>', 'who has it may do everything')
    .addHelpText('after', HELP)
    .action(serve);
}

/**
 * @param {string} folder
 * @param {{ port: number, host: string, store: string, token: string }} options
 */
async function serve(folder, { port, host, store, token }) {
  const http = require('node:http');
  const { loadDefinitions } = require('../threads/load-definitions.js');
  const { createThreadRuntime } = require('../threads/runtime.js');

  let runtime;
  try {
    runtime = await createThreadRuntime({
      store,
      ...(await loadDefinitions(folder)),
      ...(process.env.ISOBOX_THREADS_KEY && { encryptionKey: process.env.ISOBOX_THREADS_KEY }),
    });
  } catch (error) {
    refuse(error);
    return;
  }
  const handler = runtime.handler({ tokens: [token], page: true });
  const server = http.createServer(handler).on('upgrade', handler.upgrade);
  try {
    console.log(await listen(server, port, host));
  } catch (error) {
    refuse(error);
    await runtime.close();
    return;
  }
  const code = await untilSignal();
  server.close();
  server.closeAllConnections();
  await runtime.close();
  leaveWith(code);
}

/** @param {unknown} error */
function refuse(error) {
  console.error(`isobox threads: ${/** @type {Error} */ (error).message}`);
  leaveWith(EXIT.usage);
}

/** @param {number} code */
function leaveWith(code) {
  process.exitCode = code;
}

module.exports = { register };
