'use strict';
// The seven stable failure codes, and errors that carry one.

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
 * Also true for the failures of another copy of this library, and for those of execbox itself.
 *
 * @param {unknown} value
 * @returns {value is ExecuteFailure}
 */
function isExecuteFailure(value) {
  return isObject(value) && isExecuteErrorCode(readSafely(() => value.code));
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null;
}

/** @param {() => unknown} read runs getters and conversions that may throw */
function readSafely(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * @param {unknown} thrown
 * @returns {string}
 */
function messageOf(thrown) {
  const message = isObject(thrown) ? readSafely(() => thrown.message) : undefined;
  if (typeof message === 'string') return message;
  const text = readSafely(() => String(thrown));
  return typeof text === 'string' ? text : 'Unknown error';
}

/**
 * What a tool threw, with the code its caller sees: its own when it is one of the seven, else `tool_error`.
 *
 * @param {unknown} thrown
 * @returns {ExecuteError}
 */
function describeToolFailure(thrown) {
  const code = isObject(thrown) ? readSafely(() => thrown.code) : undefined;
  return { code: isExecuteErrorCode(code) ? code : 'tool_error', message: messageOf(thrown) };
}

/**
 * @param {ExecuteErrorCode} code
 * @param {string} message
 * @param {{ durationMs?: number, logs?: string[] }} [known]
 * @returns {Extract<import('../../types/execbox.js').ExecuteResult, { ok: false }>}
 */
function failureResult(code, message, { durationMs = 0, logs = [] } = {}) {
  return { ok: false, error: { code, message }, logs, durationMs };
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
  failureResult,
  isExecuteErrorCode,
  isExecuteFailure,
  isExecuteFailureResult,
  isExecuteSuccess,
  messageOf,
};
