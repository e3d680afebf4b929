'use strict';
// Keywords for numbers and texts.

const { begin, clip } = require('./check-run.js');

/** @typedef {import('./reading.js').KeywordReader} KeywordReader */
/** @typedef {import('./check-run.js').Run} Run */

/** Shorter texts are counted at once. */
const SHORT_CHARS = 1000;
const MAX_PATTERN_CHARS = 200;

/**
 * @param {(value: number, bound: number) => boolean} test
 * @param {string} words
 * @returns {KeywordReader}
 */
function compare(test, words) {
  return (given, reading) => {
    const bound = reading.number(given);
    const message = `must be ${words} ${bound}`;
    return (value, run) => typeof value !== 'number' || test(value, bound) || run.fail(message);
  };
}

/** @type {KeywordReader} */
function multipleOf(given, reading) {
  const divisor = reading.number(given);
  if (divisor <= 0) reading.refuse('must be greater than 0');
  return (value, run) =>
    typeof value !== 'number' ||
    Number.isInteger(value / divisor) ||
    run.fail(`must be multiple of ${divisor}`);
}

/** @type {KeywordReader} */
function minLength(given, reading) {
  const least = reading.amount(given);
  const message = `must NOT have fewer than ${least} characters`;
  return (value, run) => {
    // A character takes one or two units, so most texts need no counting.
    if (typeof value !== 'string' || value.length >= 2 * least) return true;
    if (value.length < least) return run.fail(message);
    return begin(
      checkLength(value, run, (length) => length >= least, message),
      run,
    );
  };
}

/** @type {KeywordReader} */
function maxLength(given, reading) {
  const most = reading.amount(given);
  const message = `must NOT have more than ${most} characters`;
  return (value, run) => {
    if (typeof value !== 'string' || value.length <= most) return true;
    if (value.length > 2 * most) return run.fail(message);
    return begin(
      checkLength(value, run, (length) => length <= most, message),
      run,
    );
  };
}

/**
 * @param {string} text
 * @param {Run} run
 * @param {(length: number) => boolean} isRight
 * @param {string} message
 * @returns {import('./check-run.js').Steps}
 */
function* checkLength(text, run, isRight, message) {
  let length = 0;
  for (let at = 0; at < text.length; length++) {
    at += /** @type {number} */ (text.codePointAt(at)) > 0xffff ? 2 : 1;
    if (length % SHORT_CHARS !== SHORT_CHARS - 1) continue;
    run.spend(SHORT_CHARS / 4);
    if (run.isDue) yield;
  }
  return isRight(length) || run.fail(message);
}

/** @type {KeywordReader} */
function pattern(given, reading) {
  const compiled = reading.pattern(given);
  const message = `must match pattern "${clip(compiled.source, MAX_PATTERN_CHARS)}"`;
  return (value, run) =>
    typeof value !== 'string' || begin(checkPattern(compiled, value, run, message), run);
}

/**
 * @param {InstanceType<typeof import('./pattern.js').Pattern>} compiled
 * @param {string} text
 * @param {Run} run
 * @param {string} message
 * @returns {import('./check-run.js').Steps}
 */
function* checkPattern(compiled, text, run, message) {
  return (yield* compiled.test(text, run)) || run.fail(message);
}

module.exports = {
  keywords: {
    minimum: compare((value, bound) => value >= bound, '>='),
    maximum: compare((value, bound) => value <= bound, '<='),
    exclusiveMinimum: compare((value, bound) => value > bound, '>'),
    exclusiveMaximum: compare((value, bound) => value < bound, '<'),
    multipleOf,
    minLength,
    maxLength,
    pattern,
  },
};
