'use strict';
// What became of a run, in the contract's words. Statuses come from stop causes, never from text.

const { messageOf, safely } = require('../foreign-text.js');
const { codeFrame } = require('../hints/code-frame.js');
const { formatFrame } = require('../outcome.js');
const { locateJsonError } = require('./json-position.js');

/**
 * @typedef {import('../../types/run-code.js').CodeExecutionError} CodeExecutionError
 * @typedef {import('./sources.js').RunnableSources} RunnableSources
 * @typedef {{ status: 'success', result: unknown, logsTruncated?: true }
 *   | { status: 'error' | 'link_error' | 'memory' | 'terminated', error: CodeExecutionError, logsTruncated?: true }} Ending
 * @typedef {Exclude<import('../../types/index.js').StopCause, 'finished'>} FailureCause
 */

/** @type {Readonly<Record<FailureCause, 'error' | 'link_error' | 'memory' | 'terminated'>>} */
const STATUSES = Object.freeze({
  guest_error: 'error',
  serialization: 'error',
  output: 'error',
  link_error: 'link_error',
  // Nothing ran.
  queue_full: 'link_error',
  exhausted: 'link_error',
  memory: 'memory',
  terminated: 'terminated',
  disposed: 'terminated',
  deadline: 'terminated',
  cpu: 'terminated',
  calls: 'terminated',
  crashed: 'terminated',
});

/**
 * @param {unknown} reason why a run was stopped: a string, or an error whose message says it
 * @returns {string} '' when there is nothing to say
 */
function reasonOf(reason) {
  return reason === undefined || reason === null ? '' : messageOf(reason);
}

/**
 * @param {string} [reason]
 * @returns {Ending}
 */
function terminatedEnding(reason) {
  const message = reason || 'Code execution terminated';
  const error = { name: 'Terminated', message, stack: `Terminated: ${message}` };
  return { status: 'terminated', error };
}

/**
 * @param {import('../../types/index.js').RunOutcome} outcome
 * @param {import('./options.js').RunPlan} plan
 * @param {RunnableSources} sources
 * @returns {Ending}
 */
function endingOf(outcome, plan, sources) {
  const truncation = outcome.logsTruncated ? { logsTruncated: /** @type {const} */ (true) } : {};
  if (outcome.ok) return { status: 'success', result: outcome.value, ...truncation };
  const { cause } = outcome;
  const status = STATUSES[cause];
  return { status, error: describeFailure(outcome, plan, sources), ...truncation };
}

/**
 * @param {Extract<import('../../types/index.js').RunOutcome, { ok: false }>} outcome
 * @param {import('./options.js').RunPlan} plan
 * @param {RunnableSources} sources
 * @returns {CodeExecutionError}
 */
function describeFailure({ cause, error }, plan, sources) {
  const { hint } = error;
  const described = describeCause(cause, error, plan, sources);
  if (hint !== undefined) described.hint = hint;
  const { filename, line, column = 1 } = described;
  const frame =
    filename === plan.filename && line !== undefined && error.hostCode === undefined
      ? codeFrame(plan.source, line, column)
      : undefined;
  if (frame !== undefined) described.frame = frame;
  return described;
}

/**
 * @param {FailureCause} cause
 * @param {import('../../types/index.js').RunError} error
 * @param {import('./options.js').RunPlan} plan
 * @param {RunnableSources} sources
 * @returns {CodeExecutionError}
 */
function describeCause(cause, error, plan, sources) {
  switch (cause) {
    case 'memory':
      return withStack('MemoryLimitExceeded', memoryMessage(plan));
    case 'deadline':
    case 'cpu':
    case 'calls':
    case 'crashed':
    case 'disposed':
      return withStack('Terminated', error.message);
    case 'link_error':
      if (error.name === 'MissingExportError') return missingExport(plan);
      return locate(jsonPlaced(error, sources), sources, { isPrimitive: false });
    default:
      return locate(error, sources, {
        isPrimitive: cause === 'guest_error' && error.isObject === false,
      });
  }
}

/**
 * @param {string} name
 * @param {string} message
 * @returns {CodeExecutionError}
 */
function withStack(name, message) {
  return { name, message, stack: `${name}: ${message}` };
}

/** @param {import('./options.js').RunPlan} plan */
function memoryMessage({ memoryLimitBytes, requestedMemoryBytes }) {
  const message = `Code execution exceeded its memory limit of ${memoryLimitBytes} bytes`;
  if (requestedMemoryBytes <= memoryLimitBytes) return message;
  return `${message} (${requestedMemoryBytes} were asked for, more than the ceiling allows)`;
}

/**
 * @param {import('./options.js').RunPlan} plan
 * @returns {CodeExecutionError}
 */
function missingExport({ exportName, filename }) {
  const name = 'MissingExportError';
  const message = `Sandboxed code entry module does not provide an export named "${exportName}".`;
  return { ...withStack(name, message), filename };
}

/**
 * @param {import('../../types/index.js').RunError} error
 * @param {RunnableSources} sources
 */
function jsonPlaced(error, { modules }) {
  const { filename = '', line } = error;
  if (line !== undefined || !filename.endsWith('.json')) return error;
  return { ...error, ...locateJsonError(modules[filename] ?? '') };
}

/**
 * The error with the positions of the caller's own text. The message of one whose place is known begins with it, unless
 * a guest threw a primitive: that is the message as it is.
 *
 * @param {import('../../types/index.js').RunError} error
 * @param {RunnableSources} sources
 * @param {{ isPrimitive: boolean }} thrown
 * @returns {CodeExecutionError}
 */
function locate(error, { maps }, { isPrimitive }) {
  const { name, filename, line, column, specifier } = error;
  const original = (/** @type {string} */ file, /** @type {number} */ l, /** @type {number} */ c) =>
    safely(() => maps.get(file)?.original(l, c)) ?? { line: l, column: c };
  const head = error.message === '' ? name : `${name}: ${error.message}`;
  const frames = error.frames.map((frame) => ({
    ...frame,
    ...original(frame.filename, frame.line, frame.column),
  }));
  /** @type {CodeExecutionError} */
  const described = { name, message: error.message };
  if (filename !== undefined && line !== undefined) {
    Object.assign(described, original(filename, line, column ?? 1));
    if (frames.length === 0) {
      frames.push({
        functionName: '',
        filename,
        line: /** @type {number} */ (described.line),
        column: /** @type {number} */ (described.column),
      });
    }
    if (!isPrimitive) described.message = `Line ${described.line} of ${filename}: ${error.message}`;
  }
  described.stack = [head, ...frames.map(formatFrame)].join('\n');
  if (filename !== undefined) described.filename = filename;
  if (specifier) described.specifier = specifier;
  return described;
}

module.exports = { endingOf, reasonOf, terminatedEnding };
