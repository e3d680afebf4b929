'use strict';
// The protocol's messages: which values are messages, and the metadata that describes tools to a runner.

const { isRecord } = require('../checks/options.js');

/** @typedef {import('../../types/protocol.js').DispatcherMessage} DispatcherMessage */
/** @typedef {import('../../types/protocol.js').RunnerMessage} RunnerMessage */
/** @typedef {import('../../types/protocol.js').ProviderManifest} ProviderManifest */
/** @typedef {import('../../types/execbox.js').ResolvedToolProvider} ResolvedToolProvider */
/** @typedef {Record<string, any>} Fields */

const LIMITS = ['timeoutMs', 'memoryLimitBytes', 'maxLogLines', 'maxLogChars'];

const isString = (/** @type {unknown} */ value) => typeof value === 'string';
const isOptionalString = (/** @type {unknown} */ value) => value === undefined || isString(value);
const isFiniteNumber = (/** @type {unknown} */ value) => Number.isFinite(value);

// A field that JSON leaves out because its value is undefined may be missing: `input` and `result`.

/** @type {Record<string, (message: Fields) => boolean>} */
const DISPATCHER_CHECKS = {
  execute: ({ id, code, options, providers }) =>
    isString(id) &&
    isString(code) &&
    isRuntimeOptions(options) &&
    Array.isArray(providers) &&
    providers.every(isProviderManifest),
  cancel: ({ id }) => isString(id),
  tool_result: ({ callId, ok, error }) =>
    isString(callId) && (ok === true || (ok === false && isExecuteError(error))),
};

/** @type {Record<string, (message: Fields) => boolean>} */
const RUNNER_CHECKS = {
  started: ({ id }) => isString(id),
  tool_call: ({ callId, providerName, safeToolName }) =>
    isString(callId) && isString(providerName) && isString(safeToolName),
  done: ({ id, ok, durationMs, logs, error }) =>
    isString(id) &&
    isFiniteNumber(durationMs) &&
    Array.isArray(logs) &&
    logs.every(isString) &&
    (ok === true || (ok === false && isExecuteError(error))),
};

/** @param {unknown} options missing limits have their defaults */
function isRuntimeOptions(options) {
  return (
    isRecord(options) &&
    LIMITS.every((name) => options[name] === undefined || isFiniteNumber(options[name]))
  );
}

/** @param {unknown} manifest */
function isProviderManifest(manifest) {
  return (
    isRecord(manifest) &&
    isString(manifest.name) &&
    isString(manifest.types) &&
    isRecord(manifest.tools) &&
    Object.values(manifest.tools).every(
      (tool) =>
        isRecord(tool) &&
        isString(tool.safeName) &&
        isString(tool.originalName) &&
        isOptionalString(tool.description),
    )
  );
}

/** @param {unknown} error */
function isExecuteError(error) {
  return isRecord(error) && isString(error.code) && isString(error.message);
}

/**
 * @param {unknown} value
 * @param {Record<string, (message: Fields) => boolean>} checks
 */
function isMessage(value, checks) {
  if (!isRecord(value) || typeof value.type !== 'string') return false;
  return Object.hasOwn(checks, value.type) && checks[value.type](value);
}

/**
 * @param {unknown} value
 * @returns {value is DispatcherMessage} a well-formed message to a runner
 */
function isDispatcherMessage(value) {
  return isMessage(value, DISPATCHER_CHECKS);
}

/**
 * @param {unknown} value
 * @returns {value is RunnerMessage} a well-formed message of a runner
 */
function isRunnerMessage(value) {
  return isMessage(value, RUNNER_CHECKS);
}

/**
 * @param {ResolvedToolProvider[]} providers
 * @returns {ProviderManifest[]} what a runner may know of them: names and descriptions, nothing that acts
 */
function extractProviderManifests(providers) {
  return providers.map(({ name, tools, types }) => ({
    name,
    tools: Object.fromEntries(
      Object.values(tools).map(({ safeName, originalName, description }) => [
        safeName,
        { safeName, originalName, ...(description !== undefined && { description }) },
      ]),
    ),
    types: types ?? '',
  }));
}

module.exports = { extractProviderManifests, isDispatcherMessage, isRunnerMessage };
