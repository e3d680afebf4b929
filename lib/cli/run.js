'use strict';
// `isobox run`: one guest from a file, from standard input or from the command line.

const { EXIT } = require('./exit-codes.js');
const { addGuestOptions, checkHostOption, collect, hostOption } = require('./guest-options.js');

const HELP = `
The guest is JavaScript or TypeScript: a body with \`return\`, statements of which the last expression is the result,
\`export default\`, or a lone function, which is called. It has no file system, no network and no timers: only the tools
you give it, and console. --web adds what browsers and Node have in common.

The result goes to standard output, the guest's console to standard error.

Tools: --tool shop=./shop.js makes the functions that shop.js exports callable as shop.price(input). A module that exports
one function is callable as shop(input). Tools take one argument, a JSON value, and may be async. They may be written
in TypeScript.

With --watch the file runs again whenever it or a file of its tools has changed, each time in a process of its own.

Examples:
  $ isobox run -e 'Math.max(3, 4)'
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
  const command = program
    .command('run')
    .summary('run a file or standard input as a guest')
    .description('Runs a file, or standard input for -, in a fresh isolate, and prints its result.')
    .argument('[file]', 'JavaScript or TypeScript; - reads standard input')
    .option('-e, --eval <code>', 'run this code in the place of a file')
    .option('--watch', 'run the file again whenever it or its tools change');
  addGuestOptions(command, 'wall clock time')
    .addOption(hostOption())
    .option('--web', 'give the guest URL, timers, TextEncoder and the other Web APIs')
    .option('--fetch <origin>', 'the same, with fetch to this origin; may be repeated', collect)
    .option('--json', 'print one JSON object: ok, value or error, logs, facts')
    .addHelpText('after', HELP)
    .action(async (file, { eval: code, watch, ...options }) => {
      const refuse = (/** @type {string} */ message) =>
        command.error(`error: ${message}`, { exitCode: EXIT.usage });
      if (file !== undefined && code !== undefined) refuse('give either a file or -e, not both');
      if (file === undefined && code === undefined) {
        refuse("missing required argument 'file'; - reads standard input, and -e takes code");
      }
      checkHostOption(command, options.host);
      if (watch) {
        if (file === undefined || file === '-') refuse('--watch needs a file');
        process.exitCode = await require('./watch-run.js').watchRun(file, options);
        return;
      }
      const { UnreadableError, runGuest } = require('./run-file.js');
      try {
        process.exitCode = await runGuest(code === undefined ? { file } : { code }, options);
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
        refuse(error.message);
      }
    });
}

module.exports = { register };
