'use strict';
// The command line. Each command is a file of its own beside this one, whose `register(program)` describes it and loads
// what it needs only when it runs: `isobox --help` loads nothing of the library.

const { Command, CommanderError } = require('commander');

const { version } = require('../../package.json');
const { EXIT } = require('./exit-codes.js');
const { leaveWithReader } = require('./leave-with-reader.js');

const COMMANDS = [
  'run',
  'repl',
  'runner',
  'mcp',
  'threads',
  'tpmjs',
  'bench',
  'doctor',
  'completion',
];

const HELP = `
Examples:
  $ isobox run guest.ts                       run a file in a fresh isolate
  $ echo 'return 6 * 7' | isobox run -        the same, from standard input
  $ isobox run guest.ts --tool shop=./shop.js with host functions as shop.*()
  $ isobox repl                               line by line

Exit codes:
  0    all is well
  1    the guest failed, or a check did
  2    the command line is wrong
  3    the guest reached a limit
  4    isobox itself failed
  130  SIGINT, 143 SIGTERM

\`isobox help <command>\` explains each command.`;

function createProgram() {
  const program = new Command('isobox')
    .description('Runs untrusted JavaScript and TypeScript in fresh V8 isolates, under limits.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(--help shows what there is)')
    .showSuggestionAfterError()
    .addHelpText('after', HELP)
    .exitOverride();
  for (const name of COMMANDS) require(`./${name}.js`).register(program);
  return program;
}

/**
 * Runs a command line. A command ends by setting `process.exitCode`, or by throwing.
 *
 * @param {string[]} args without the program's own name
 */
async function main(args) {
  leaveWithReader();
  const program = createProgram();
  try {
    if (args.length === 0) program.help({ error: true });
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = report(error);
  }
}

/**
 * @param {unknown} error
 * @returns {number} the exit code
 */
function report(error) {
  // Commander has printed its own errors, help and version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const { code, message, stack } = /** @type {NodeJS.ErrnoException} */ (error);
  const isExpected = code === 'ERR_ISOBOX_NATIVE_LOAD';
  console.error(isExpected ? message : `isobox: ${stack ?? String(error)}`);
  return EXIT.broken;
}

module.exports = { createProgram, main };
