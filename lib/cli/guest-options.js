'use strict';
// Options of the commands that run a guest themselves.

const { Option } = require('commander');

const { MEMORY_RANGE } = require('../limits.js');
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

/**
 * @param {string} value
 * @param {string[]} [previous]
 */
function collect(value, previous = []) {
  return [...previous, value];
}

module.exports = { addGuestOptions };
