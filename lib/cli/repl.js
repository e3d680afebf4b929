'use strict';
// `isobox repl`: a guest line by line.

const { EXIT } = require('./exit-codes.js');
const { addGuestOptions } = require('./guest-options.js');

const HELP = `
What is typed is JavaScript or TypeScript, and may await. What it declares is there for the lines behind it, and _ is the last
value. Lines that are not complete go on on the next one.

  .clear  start over with a fresh isolate
  .exit   leave; so does the end of the input

--timeout holds for each line. A line that reaches a limit ends the isolate: the next one starts with a fresh one.

Examples:
  $ isobox repl
  $ isobox repl --tool shop=./shop.ts
  $ printf 'const a = 6\\na * 7\\n' | isobox repl`;

/** @param {import('commander').Command} program */
function register(program) {
  const command = program
    .command('repl')
    .summary('run a guest line by line')
    .description('Reads lines, runs them in one isolate, and prints their values.');
  addGuestOptions(command, 'wall clock time of each line')
    .addHelpText('after', HELP)
    .action(async ({ tool = [], ...limits }) => {
      const { UnreadableError, loadTools } = require('./load-tools.js');
      const { converse } = require('./repl-loop.js');
      try {
        await converse({ ...limits, tools: await loadTools(tool) });
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
        command.error(`error: ${error.message}`, { exitCode: EXIT.usage });
      }
    });
}

module.exports = { register };
