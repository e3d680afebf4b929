'use strict';
// What a hostile program must come to, as plain data, and what is wrong with an outcome that is something else.

const { isDeepStrictEqual } = require('node:util');

/**
 * @typedef {import('isobox').StopCause} StopCause
 *
 * @typedef {object} Expectation
 * @property {StopCause[]} causes any of them
 * @property {string[]} [names] of the error, any of them
 * @property {Record<string, unknown>} [error] properties the error must have
 * @property {unknown} [value] the result, exactly
 */

/**
 * @param {...StopCause} causes
 * @returns {Expectation} the run is ended for one of these
 */
const stops = (...causes) => ({ causes });

/**
 * @param {unknown} value
 * @returns {Expectation} the run finishes, with this
 */
const returns = (value) => ({ causes: ['finished'], value });

/**
 * @param {...string} names
 * @returns {Expectation} an error of the guest itself ends the run
 */
const throws = (...names) => ({ causes: ['guest_error'], names });

/**
 * V8 may tell a guest that something is too large or too deep before its host has to end it.
 *
 * @param {...StopCause} causes
 * @returns {Expectation}
 */
const throwsRangeErrorOr = (...causes) => ({
  causes: ['guest_error', ...causes],
  names: ['RangeError', 'MemoryLimitError', 'DeadlineError'],
});

/**
 * @param {Expectation} expected
 * @param {any} outcome
 * @returns {string[]} what is wrong, empty when nothing is
 */
function problemsOf(expected, { cause, error, value }) {
  const problems = [];
  const shown = error === undefined ? '' : ` (${error.name}: ${error.message.slice(0, 200)})`;
  if (!expected.causes.includes(cause)) {
    problems.push(`ended with ${cause}${shown}, not ${expected.causes.join(' or ')}`);
  }
  if (expected.names !== undefined && error !== undefined && !expected.names.includes(error.name)) {
    problems.push(`the error is ${error.name}, not ${expected.names.join(' or ')}`);
  }
  for (const [key, wanted] of Object.entries(expected.error ?? {})) {
    const found = error?.[key];
    if (wanted instanceof RegExp ? !wanted.test(String(found)) : !Object.is(found, wanted)) {
      problems.push(`error.${key} is ${JSON.stringify(found)}, not ${String(wanted)}`);
    }
  }
  if ('value' in expected && !isDeepStrictEqual(value, expected.value)) {
    problems.push(`gave ${JSON.stringify(value)}, not ${JSON.stringify(expected.value)}`);
  }
  return problems;
}

module.exports = { problemsOf, returns, stops, throws, throwsRangeErrorOr };
