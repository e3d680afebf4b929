'use strict';
// `isobox bench`: how fast isobox is on this machine.

const { numberBetween } = require('./sizes.js');

const HELP = `
Measures, one after the other and alone on the machine if you let it be:
  cold start   a new pool and its first run
  run          a whole run whose isolate was ready: queue, guest, result
  call         one host call and its reply, within a run
  throughput   runs per second, with as many under way as keep every thread busy
  stop         from the deadline of a guest that loops to the answer

Progress goes to standard error, the table to standard output.

Examples:
  $ isobox bench
  $ isobox bench --seconds 5
  $ isobox bench --json > before.json

Exit codes:
  0  measured
  1  a run failed`;

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('bench')
    .summary('measure isobox on this machine')
    .description('Measures how long runs and calls take on this machine.')
    .option('--seconds <n>', 'time for each measurement', numberBetween({ min: 0.05, max: 600 }), 1)
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async ({ seconds, json = false }) => {
      const { runBench } = require('./bench-run.js');
      process.exitCode = await runBench({ seconds, json });
    });
}

module.exports = { register };
