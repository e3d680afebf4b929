'use strict';
// What a run came to, for people: values as they would be written, failures with the place in the guest's own text.

const { inspect } = require('node:util');

const { createColors } = require('picocolors');

const { codeFrame } = require('../hints/code-frame.js');
const { isColourful, printable } = require('./terminal.js');

/** @typedef {import('../../types/index.js').RunOutcome} RunOutcome */
/** @typedef {Pick<Extract<RunOutcome, { ok: false }>, 'cause' | 'error'>} Failure */

const MAX_FRAMES = 10;

/** What to do about causes that are no fault in the guest's text. */
const HINTS = Object.freeze(
  /** @type {Record<string, string>} */ ({
    deadline: '--timeout <ms> gives it more time.',
    memory: '--memory <size> gives it more.',
    serialization:
      'A result is made of objects, arrays, strings, finite numbers, booleans and null.',
    exhausted: '`isobox doctor` tells whether limits hold on this machine.',
    crashed: 'V8 gave up; this is a bug. `isobox doctor` tells whether isobox works here.',
  }),
);

/** @param {unknown} value strings as they are, so that they can be piped on */
function formatValue(value) {
  if (typeof value === 'string') return printable(value, process.stdout);
  return inspect(value, {
    depth: Infinity,
    maxArrayLength: Infinity,
    maxStringLength: Infinity,
    colors: isColourful(process.stdout),
  });
}

/**
 * @param {Failure} failure with places in the caller's text
 * @param {{ source: string, filename: string }} guest
 */
function describeFailure({ cause, error }, { source, filename }) {
  const colours = createColors(isColourful(process.stderr));
  const show = (/** @type {string} */ text) => printable(text, process.stderr);
  const { line, column } = error;
  const place = line === undefined ? '' : `:${line}:${column ?? 1}`;
  const parts = [
    `${colours.red(colours.bold(show(error.name)))}: ${show(error.message)}`,
    colours.dim(`  at ${filename}${place} (${cause})`),
  ];
  if (line !== undefined && error.filename === filename) {
    const frame = codeFrame(show(source), line, column ?? 1);
    if (frame !== undefined) parts.push('', frame);
  }
  const frames = error.frames.slice(0, MAX_FRAMES).map((frame) => show(describeFrame(frame)));
  if (frames.length > 1) parts.push('', ...frames.map((frame) => colours.dim(`    at ${frame}`)));
  const hint = error.hostCode === undefined ? HINTS[cause] : 'A tool threw this, not the guest.';
  if (hint !== undefined) parts.push('', hint);
  return parts.join('\n');
}

/** @param {import('../../types/index.js').StackFrame} frame */
function describeFrame({ functionName, filename, line, column }) {
  const place = `${filename}:${line}:${column}`;
  return functionName === '' ? place : `${functionName} (${place})`;
}

module.exports = { describeFailure, formatValue };
