'use strict';
// `isobox run`: one guest from a file or from standard input.

const { Option } = require('commander');

const { EXIT } = require('./exit-codes.js');
const { numberBetween, sizeBetween } = require('./sizes.js');

const MiB = 2 ** 20;

const HELP = `
The guest is JavaScript or TypeScript: a body with \`return\`, statements of which the last expression is the result,
\`export default\`, or a lone function, which is called. It has no file system, no network and no timers: only the tools
you give it, and console.

The result goes to standard output, the guest's console to standard error.

Tools: --tool shop=./shop.js makes the functions that shop.js exports callable as shop.price(input). A module that exports
one function is callable as shop(input). Tools take one argument, what JSON can say, and may be async.

Examples:
  $ echo '[1, 2, 3].map((n) => n * 2)' | isobox run -
  $ isobox run guest.ts --timeout 500 --memory 32m
  $ isobox run guest.ts --tool shop=./shop.js --json | jq .value

Exit codes:
  0    the guest came to its end
  1    the guest failed: it threw, does not compile, or its result is not JSON
  2    the command line is wrong, or a file or tool cannot be read
  3    the guest reached a limit: time, memory, size of its result
  4    isobox itself failed
  130  SIGINT, 143 SIGTERM; the guest was stopped`;

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('run')
    .summary('run a file or standard input as a guest')
    .description('Runs a file, or standard input for -, in a fresh isolate, and prints its result.')
    .argument('<file>', 'JavaScript or TypeScript; - reads standard input')
    .option('--tool <name=module>', 'functions of a module as tools; may be repeated', collect)
    .addOption(
      new Option('--timeout <ms>', 'wall clock time')
        .argParser(numberBetween({ min: 1, max: 2 ** 31 - 1 }))
        .default(5000),
    )
    .addOption(
      new Option('--memory <size>', 'V8 heap and ArrayBuffers together')
        .argParser(sizeBetween({ min: 8 * MiB, max: 4096 * MiB }))
        .default(64 * MiB, '64m'),
    )
    .option('--json', 'print one JSON object: ok, value or error, logs, facts')
    .addHelpText('after', HELP)
    .action(async (file, options, command) => {
      const { UnreadableError, runFile } = require('./run-file.js');
      try {
        process.exitCode = await runFile(file, options);
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
        command.error(`error: ${error.message}`, { exitCode: EXIT.usage });
      }
    });
}

/**
 * @param {string} value
 * @param {string[]} [previous]
 */
function collect(value, previous = []) {
  return [...previous, value];
}

module.exports = { register };
