'use strict';
// What executors and runners are made of, under the names of execbox's `runtime` entry.

const {
  ExecuteFailure,
  TIMEOUT_MESSAGE,
  failureResult,
  isExecuteErrorCode,
  isExecuteFailure,
} = require('../execution/failures.js');
const { formatConsoleLine, truncateLogs } = require('../execution/logs.js');
const { DEFAULT_RUNTIME_OPTIONS, readRuntimeOptions } = require('../execution/runtime-options.js');
const {
  createExecutionContext,
  createToolCallDispatcher,
} = require('../execution/tool-dispatch.js');
const { isJsonSerializable } = require('../execution/transport-safety.js');
const { messageOf, safely } = require('../foreign-text.js');
const { checkString } = require('../checks/options.js');
const { extractProviderManifests } = require('../protocol/messages.js');
const { makeJavaScriptBody } = require('../source/index.js');

/** @param {number} [durationMs] */
function createTimeoutExecuteResult(durationMs) {
  return failureResult('timeout', TIMEOUT_MESSAGE, { durationMs });
}

function getExecutionTimeoutMessage() {
  return TIMEOUT_MESSAGE;
}

/**
 * @param {string} source JavaScript as models write it
 * @returns {string} an async function, as an expression, that gives its result
 * @throws {SyntaxError} or a SourceError of that name
 */
function normalizeCode(source) {
  const body = makeJavaScriptBody(checkString(source, 'source'), {
    language: 'javascript',
    filename: '<code>',
  });
  if (body === null) {
    throw new SyntaxError(
      'normalizeCode takes JavaScript; executors of isobox take TypeScript too',
    );
  }
  return `async () => {${body.code}\n}`;
}

/** @param {any} thrown */
function normalizeThrownName(thrown) {
  const name = safely(() => thrown.name);
  return typeof name === 'string' && Object(thrown) === thrown ? name : undefined;
}

/**
 * @param {import('../../types/execbox.js').ExecutorRuntimeOptions} [options]
 * @param {import('../../types/execbox.js').ExecutorRuntimeOptions} [overrides]
 */
function resolveExecutorRuntimeOptions(options = {}, overrides = {}) {
  return readRuntimeOptions(overrides, 'overrides', readRuntimeOptions(options, 'options'));
}

module.exports = {
  DEFAULT_EXECUTOR_RUNTIME_OPTIONS: DEFAULT_RUNTIME_OPTIONS,
  ExecuteFailure,
  createExecutionContext,
  createTimeoutExecuteResult,
  createToolCallDispatcher,
  extractProviderManifests,
  formatConsoleLine,
  getExecutionTimeoutMessage,
  isExecuteFailure,
  isJsonSerializable,
  isKnownExecuteErrorCode: isExecuteErrorCode,
  normalizeCode,
  normalizeThrownMessage: messageOf,
  normalizeThrownName,
  resolveExecutorRuntimeOptions,
  truncateLogs,
};
