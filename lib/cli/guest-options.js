'use strict';
// Options of the commands that run guests.

const { Option } = require('commander');

const { MEMORY_RANGE } = require('../limits.js');
const { EXIT } = require('./exit-codes.js');
const { numberBetween, sizeBetween } = require('./sizes.js');

/**
 * Adds `--tool`, `--timeout` and `--memory`.
 *
 * @param {import('commander').Command} command
 * @param {string} time what the time is that `--timeout` limits
 */
function addGuestOptions(command, time) {
  return command
    .option('--tool <name=module>', 'functions of a module as tools; may be repeated', collect)
    .addOption(
      new Option('--timeout <ms>', time)
        .argParser(numberBetween({ min: 1, max: 2 ** 31 - 1 }))
        .default(5000),
    )
    .addOption(
      new Option('--memory <size>', 'V8 heap and ArrayBuffers together')
        .argParser(sizeBetween(MEMORY_RANGE))
        .default(64 * 2 ** 20, '64m'),
    );
}

/** `--host`: where the guests of a command run. */
function hostOption() {
  return new Option('--host <host>', 'where guests run; a process is locked in by the kernel')
    .choices(['thread', 'process'])
    .default('thread');
}

/**
 * Ends a command that cannot have the host it was given.
 *
 * @param {import('commander').Command} command
 * @param {string} host
 */
function checkHostOption(command, host) {
  const { checkHost } = require('../process-host.js');
  try {
    checkHost(host, '--host');
  } catch (error) {
    command.error(`error: ${/** @type {Error} */ (error).message}`, { exitCode: EXIT.usage });
  }
}

/**
 * @param {string} value
 * @param {string[]} [previous]
 */
function collect(value, previous = []) {
  return [...previous, value];
}

module.exports = { addGuestOptions, checkHostOption, collect, hostOption };
