'use strict';
// What can go wrong, by kind, and how each version of the protocol says it. Nothing is decided by reading error text.

/**
 * @typedef {object} Kind
 * @property {number} status of the HTTP answer; failures of tools are answers like others
 * @property {string} code of protocol 1.0
 * @property {string} stage of protocol 1.1
 * @property {string} errorCode of protocol 1.1
 * @property {boolean} [retryable] whether the same request may do better later
 */

const KINDS = Object.freeze(
  /** @satisfies {Record<string, Kind>} */ ({
    badRequest: kind(400, 'INVALID_REQUEST', 'request', 'INVALID_REQUEST'),
    unauthorized: kind(401, 'UNAUTHORIZED', 'request', 'AUTHENTICATION_REQUIRED'),
    unknownPath: kind(404, 'NOT_FOUND', 'request', 'INVALID_REQUEST'),
    tooLarge: kind(413, 'REQUEST_TOO_LARGE', 'request', 'INVALID_REQUEST'),
    busy: kind(429, 'EXECUTOR_BUSY', 'executor', 'EXECUTOR_UNAVAILABLE', true),
    notInstalled: kind(200, 'PACKAGE_NOT_FOUND', 'load', 'PACKAGE_IMPORT_FAILED'),
    unreachable: kind(200, 'PACKAGE_NOT_FOUND', 'load', 'PACKAGE_IMPORT_FAILED', true),
    notImported: kind(200, 'TOOL_EXECUTION_ERROR', 'load', 'PACKAGE_IMPORT_FAILED'),
    noTool: kind(200, 'TOOL_NOT_FOUND', 'load', 'TOOL_NOT_FOUND'),
    invalidTool: kind(200, 'TOOL_INVALID', 'load', 'INVALID_TOOL'),
    unconfigured: kind(200, 'TOOL_INVALID', 'load', 'TOOL_CONFIGURATION_REQUIRED'),
    noSchema: kind(200, 'TOOL_INVALID', 'load', 'SCHEMA_UNAVAILABLE'),
    threw: kind(200, 'TOOL_EXECUTION_ERROR', 'execute', 'TOOL_EXECUTION_FAILED'),
    timeout: kind(200, 'EXECUTION_TIMEOUT', 'execute', 'EXECUTION_TIMEOUT', true),
    internal: kind(500, 'INTERNAL_ERROR', 'executor', 'EXECUTOR_INTERNAL_ERROR', true),
  }),
);

/** Kinds that a tool's own side may report of itself. */
const KINDS_OF_TOOLS = Object.freeze(
  /** @type {const} */ ([
    'notImported',
    'noTool',
    'invalidTool',
    'unconfigured',
    'noSchema',
    'threw',
  ]),
);

/**
 * @param {number} status
 * @param {string} code
 * @param {string} stage
 * @param {string} errorCode
 * @param {boolean} [retryable]
 * @returns {Readonly<Required<Kind>>}
 */
function kind(status, code, stage, errorCode, retryable = false) {
  return Object.freeze({ status, code, stage, errorCode, retryable });
}

class Failure extends Error {
  /**
   * @param {keyof typeof KINDS} kindName
   * @param {string} message for people
   */
  constructor(kindName, message) {
    super(message);
    this.kindName = kindName;
  }

  get kind() {
    return KINDS[this.kindName];
  }
}

/**
 * @param {unknown} error
 * @returns {Failure} what is not a failure of a request is the executor's own
 */
function asFailure(error) {
  if (error instanceof Failure) return error;
  const { message } = /** @type {Error} */ (error);
  return new Failure('internal', `The executor failed: ${message ?? String(error)}`);
}

module.exports = { Failure, KINDS, KINDS_OF_TOOLS, asFailure };
