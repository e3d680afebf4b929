'use strict';
// `isobox doctor`: whether isobox works on this machine, and why not.

const HELP = `
Looks at Node, the native binary, V8 and the machine, then runs guests that loop, allocate, block and call, to see that
every limit holds here.

Examples:
  $ isobox doctor
  $ isobox doctor --json | jq '.checks[] | select(.status != "ok")'

Exit codes:
  0  all is well; warnings do not count
  1  something does not work`;

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('doctor')
    .summary('check that isobox works on this machine')
    .description('Checks that isobox works on this machine, and that its limits hold.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async ({ json = false }) => {
      const { examine } = require('./doctor-checks.js');
      const { describeHealth } = require('./doctor-report.js');
      const { EXIT } = require('./exit-codes.js');
      const health = await examine();
      process.stdout.write(`${json ? JSON.stringify(health) : describeHealth(health)}\n`);
      process.exitCode = health.ok ? EXIT.ok : EXIT.failed;
    });
}

module.exports = { register };
