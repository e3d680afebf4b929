'use strict';
// `isobox tpmjs`: serves TPMJS's executor protocol, or checks an executor.

const { EXIT } = require('./exit-codes.js');
const { listen, untilSignal } = require('./serve.js');
const { numberBetween, sizeBetween } = require('./sizes.js');

const HELP = `
Needs the packages esbuild and npm-package-arg beside isobox, and npm's own command.

Examples:
  $ isobox tpmjs --port 3000
  $ EXECUTOR_API_KEY=secret isobox tpmjs --host 0.0.0.0 --isolate-only
  $ isobox tpmjs --check http://localhost:3000

With EXECUTOR_API_KEY, requests need \`Authorization: Bearer <key>\`; /health does with --guard-health.
SIGTERM and SIGINT end it when all that was accepted is answered; a second one ends it at once.`;

const seconds = numberBetween({ min: 0.001, max: 86_400 });

/** @param {import('commander').Command} program */
function register(program) {
  const { Option } = require('commander');
  const timeout = (
    /** @type {string} */ flags,
    /** @type {string} */ text,
    /** @type {number} */ fallback,
  ) => new Option(`${flags} <seconds>`, text).argParser(seconds).default(fallback);
  program
    .command('tpmjs')
    .summary('serve tools of npm packages over TPMJS’s protocol')
    .description(
      'Serves the TPMJS executor protocol: tools of npm packages, in isolates where they can.',
    )
    .addOption(
      new Option('-p, --port <n>', '0 takes a free one')
        .argParser(numberBetween({ min: 0, max: 65_535 }))
        .default(3000),
    )
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .addOption(
      new Option('--protocol <version>', 'for requests that name none')
        .choices(['1.0', '1.1'])
        .default('1.0'),
    )
    .addOption(timeout('--install-timeout', 'for npm', 60))
    .addOption(timeout('--execution-timeout', 'for the tool', 120))
    .addOption(timeout('--request-timeout', 'for everything', 180))
    .addOption(
      new Option('--max-body <size>', 'of a request')
        .argParser(sizeBetween({ min: 1024, max: 256 * 2 ** 20 }))
        .default(10 * 2 ** 20, '10m'),
    )
    .addOption(
      new Option('--concurrency <n>', 'requests at once')
        .argParser(numberBetween({ min: 1, max: 10_000 }))
        .default(64),
    )
    .option('--cache-dir <directory>', 'where packages are kept')
    .option('--npmrc <file>', 'registries, scopes and tokens')
    .option('--guard-health', 'the key guards /health too', false)
    .option('--isolate-only', 'refuse packages that need a process', false)
    .option('--allow-private-addresses', 'fetch and webhooks may go to private addresses', false)
    .option('--region <name>', 'shown by /info')
    .option('--check <url>', 'test the executor at this address instead')
    .option('--api-key <key>', 'for --check')
    .option('--json', 'print what --check found as JSON', false)
    .addHelpText('after', HELP)
    .action(act);
}

/** @param {Record<string, any>} options */
function act(options) {
  return options.check === undefined ? serve(options) : check(options);
}

/** @param {Record<string, any>} options */
async function check({ check: url, apiKey, protocol, json }) {
  const { checkExecutor } = require('../tpmjs/check/check-executor.js');
  const report = await checkExecutor(url, { apiKey, protocol });
  console.log(json ? JSON.stringify(report, null, 2) : report.text);
  leaveWith(report.core === 'PASS' ? EXIT.ok : EXIT.failed);
}

/** @param {number} code */
function leaveWith(code) {
  process.exitCode = code;
}

/** @param {Record<string, any>} options */
async function serve(options) {
  const http = require('node:http');
  const { createExecutor } = require('../tpmjs/executor.js');
  const { cacheDir, npmrc, region } = options;
  const ms = (/** @type {number} */ given) => Math.ceil(given * 1000);
  let executor;
  let server;
  try {
    executor = createExecutor({
      protocol: options.protocol,
      installTimeoutMs: ms(options.installTimeout),
      executionTimeoutMs: ms(options.executionTimeout),
      requestTimeoutMs: ms(options.requestTimeout),
      maxBodyBytes: options.maxBody,
      concurrency: options.concurrency,
      guardHealth: options.guardHealth,
      isolateOnly: options.isolateOnly,
      allowPrivateAddresses: options.allowPrivateAddresses,
      ...(cacheDir !== undefined && { cacheDir }),
      ...(npmrc !== undefined && { npmrc }),
      ...(region !== undefined && { region }),
    });
    server = http.createServer(executor.handler);
    console.log(await listen(server, options.port, options.host));
  } catch (error) {
    console.error(`isobox tpmjs: ${/** @type {Error} */ (error).message}`);
    leaveWith(EXIT.usage);
    await executor?.close();
    return;
  }
  const code = await untilSignal();
  server.close();
  await executor.close();
  server.closeAllConnections();
  leaveWith(code);
}

module.exports = { register };
