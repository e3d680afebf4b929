'use strict';
// `isobox runner`: the runner protocol as lines of JSON on standard input and output.

const { Option } = require('commander');

const { EXIT } = require('./exit-codes.js');
const { checkHostOption, hostOption } = require('./guest-options.js');
const { stayWithoutReader } = require('./leave-with-reader.js');
const { sizeBetween } = require('./sizes.js');

const MiB = 2 ** 20;

// More would only fill the host's error stream.
const MAX_COMPLAINTS = 100;

const EXIT_CODES = Object.freeze({
  input: EXIT.ok,
  output: EXIT.failed,
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
});

const HELP = `
One message a line, as docs/runner.md describes them. Guests run one after the other, each in a fresh isolate; their
console is part of the result and never reaches standard output. Lines that are no messages are ignored, and named on
standard error.

Example: the host's lines are marked >, the runner's <
  > {"type":"execute","id":"1","code":"(await t.add({a:1,b:2})) * 2","options":{"timeoutMs":1000},
     "providers":[{"name":"t","types":"","tools":{"add":{"safeName":"add","originalName":"add"}}}]}
  < {"type":"started","id":"1"}
  < {"type":"tool_call","callId":"call-1","providerName":"t","safeToolName":"add","input":{"a":1,"b":2}}
  > {"type":"tool_result","callId":"call-1","ok":true,"result":3}
  < {"type":"done","id":"1","ok":true,"durationMs":1.2,"logs":[],"result":6}

Exit codes:
  0    standard input ended; what ran was cancelled
  1    standard output was closed
  130  SIGINT, 143 SIGTERM; what ran was cancelled`;

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('runner')
    .summary('serve the runner protocol on standard input and output')
    .description(
      'Runs guests for a host in any language, over lines of JSON on standard input and output.',
    )
    .addOption(
      new Option('--max-line <size>', 'the longest line of input; longer ones are ignored')
        .argParser(sizeBetween({ min: 1024, max: 256 * MiB }))
        // The largest value that crosses, and a message around it.
        .default(20 * MiB, '20m'),
    )
    .addOption(hostOption())
    .addHelpText('after', HELP)
    .action(async ({ maxLine, host }, command) => {
      checkHostOption(command, host);
      const { serveRunner } = require('../runner/serve-runner.js');
      stayWithoutReader();
      const { stdin, stdout, stderr } = process;
      // Who does not listen to complaints may still listen to messages.
      stderr.on('error', () => {});
      if (stdin.isTTY) stderr.write('isobox runner: waiting for messages, one line of JSON each\n');
      const end = await serveRunner({
        input: stdin,
        output: stdout,
        host,
        maxLineBytes: maxLine,
        onRefusal: complainTo(stderr),
      });
      process.exit(EXIT_CODES[end]);
    });
}

/** @param {NodeJS.WritableStream} stream */
function complainTo(stream) {
  let count = 0;
  return (/** @type {number} */ line, /** @type {string} */ reason) => {
    count += 1;
    if (count > MAX_COMPLAINTS) return;
    stream.write(`isobox runner: line ${line} is ignored: ${reason}\n`);
    if (count === MAX_COMPLAINTS) stream.write('isobox runner: further ones are not reported\n');
  };
}

module.exports = { register };
