'use strict';
// The seven stable failure codes, and errors that carry one.

const { types } = require('node:util');

const { messageOf, safely } = require('../foreign-text.js');
const { hintForStop } = require('../hints/hints.js');

/** @typedef {import('../../types/execbox.js').ExecuteErrorCode} ExecuteErrorCode */
/** @typedef {import('../../types/execbox.js').ExecuteError} ExecuteError */

const EXECUTE_ERROR_CODES = Object.freeze(
  /** @type {ExecuteErrorCode[]} */ ([
    'timeout',
    'memory_limit',
    'validation_error',
    'tool_error',
    'runtime_error',
    'serialization_error',
    'internal_error',
  ]),
);

/** The same words whatever ran out: the deadline, the CPU time or the caller's patience. */
const TIMEOUT_MESSAGE = 'Execution timed out';

/**
 * @param {unknown} value
 * @returns {value is ExecuteErrorCode}
 */
function isExecuteErrorCode(value) {
  return EXECUTE_ERROR_CODES.includes(/** @type {any} */ (value));
}

/** A failure with a stable code. Tools may throw it to choose the code their caller sees. */
class ExecuteFailure extends Error {
  /**
   * @param {ExecuteErrorCode} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = 'ExecuteFailure';
    this.code = code;
  }
}

/**
 * Other errors may have a `code` of the same name by chance, and it means nothing here. Failures of another copy of this
 * library, and those of execbox itself, are known by the name of their class.
 *
 * @param {any} value
 * @returns {ExecuteErrorCode | undefined} undefined for everything but failures
 */
function trustedCodeOf(value) {
  const isFailure = safely(
    () =>
      value instanceof ExecuteFailure ||
      (types.isNativeError(value) && value.name === 'ExecuteFailure'),
  );
  const code = isFailure ? safely(() => value.code) : undefined;
  return isExecuteErrorCode(code) ? code : undefined;
}

/**
 * @param {unknown} value
 * @returns {value is ExecuteFailure}
 */
function isExecuteFailure(value) {
  return trustedCodeOf(value) !== undefined;
}

/**
 * @param {unknown} thrown by a tool
 * @returns {ExecuteError} with the code its caller sees: that of a failure, for anything else `tool_error`
 */
function describeToolFailure(thrown) {
  return { code: trustedCodeOf(thrown) ?? 'tool_error', message: messageOf(thrown) };
}

/** What is known of an error beside its code and message. */
const DETAILS = /** @type {const} */ ({
  name: 'string',
  line: 'number',
  column: 'number',
  frame: 'string',
  hint: 'string',
});
const MAX_DETAIL_CHARS = 10_000;

/**
 * @param {any} error of this copy, or one that a runner sent
 * @returns {Omit<ExecuteError, 'code' | 'message'>} those that are there
 */
function detailsOf(error) {
  const known = Object.entries(DETAILS).filter(([name, type]) => typeof error[name] === type);
  const clipped = (/** @type {unknown} */ value) =>
    typeof value === 'string' ? value.slice(0, MAX_DETAIL_CHARS) : value;
  return Object.fromEntries(known.map(([name]) => [name, clipped(error[name])]));
}

/**
 * @param {ExecuteErrorCode} code
 * @param {string} message
 * @param {{ durationMs?: number, logs?: string[], details?: Omit<ExecuteError, 'code' | 'message'> }} [known]
 * @returns {Extract<import('../../types/execbox.js').ExecuteResult, { ok: false }>}
 */
function failureResult(code, message, { durationMs = 0, logs = [], details = {} } = {}) {
  return { ok: false, error: { code, message, ...details }, logs, durationMs };
}

/**
 * @param {number | 'aborted'} limit milliseconds that were over, or that the caller aborted
 * @param {{ durationMs?: number, logs?: string[] }} [known]
 */
function timeoutResult(limit, known) {
  const hint = limit === 'aborted' ? hintForStop('terminated') : hintForStop('deadline', limit);
  return failureResult('timeout', TIMEOUT_MESSAGE, { ...known, details: { hint } });
}

/** @param {import('../../types/execbox.js').ExecuteResult} result */
function isExecuteSuccess(result) {
  return result.ok;
}

/** @param {import('../../types/execbox.js').ExecuteResult} result */
function isExecuteFailureResult(result) {
  return !result.ok;
}

module.exports = {
  EXECUTE_ERROR_CODES,
  ExecuteFailure,
  TIMEOUT_MESSAGE,
  describeToolFailure,
  detailsOf,
  failureResult,
  isExecuteErrorCode,
  isExecuteFailure,
  isExecuteFailureResult,
  isExecuteSuccess,
  timeoutResult,
};
