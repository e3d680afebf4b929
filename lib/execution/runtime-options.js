'use strict';
// The limits of one execution: names, defaults and ranges, and what they are called on the pool.

const { MEMORY_RANGE } = require('../limits.js');
const { checkNumber } = require('../checks/options.js');

/** @typedef {Required<import('../../types/execbox.js').ExecutorRuntimeOptions>} RuntimeOptions */

const DEFAULT_RUNTIME_OPTIONS = Object.freeze({
  timeoutMs: 5000,
  memoryLimitBytes: 64 * 2 ** 20,
  maxLogLines: 100,
  maxLogChars: 64_000,
});

const RUNTIME_OPTION_NAMES = /** @type {(keyof RuntimeOptions)[]} */ (
  Object.keys(DEFAULT_RUNTIME_OPTIONS)
);

// The most a timer takes; the sizes are far beyond what anything could hold.
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const RANGES = Object.freeze({
  timeoutMs: { min: 0, max: MAX_TIMEOUT_MS, integer: false },
  memoryLimitBytes: { min: 0, max: Number.MAX_SAFE_INTEGER, integer: false },
  maxLogLines: { min: 0, max: Number.MAX_SAFE_INTEGER, integer: false },
  maxLogChars: { min: 0, max: Number.MAX_SAFE_INTEGER, integer: false },
});

/**
 * @param {Record<string, any>} given
 * @param {string} where
 * @param {Readonly<RuntimeOptions>} defaults
 * @returns {RuntimeOptions}
 */
function readRuntimeOptions(given, where, defaults = DEFAULT_RUNTIME_OPTIONS) {
  const options = { ...defaults };
  for (const name of RUNTIME_OPTION_NAMES) {
    if (given[name] === undefined) continue;
    options[name] = checkNumber(given[name], `${where}.${name}`, RANGES[name]);
  }
  return options;
}

/**
 * The same for numbers that came over a transport: they are brought into range, not refused.
 *
 * @param {Record<string, unknown>} given
 * @returns {RuntimeOptions}
 */
function clampRuntimeOptions(given) {
  /** @type {RuntimeOptions} */
  const options = { ...DEFAULT_RUNTIME_OPTIONS };
  for (const name of RUNTIME_OPTION_NAMES) {
    const value = given[name];
    if (typeof value !== 'number' || Number.isNaN(value)) continue;
    const { min, max } = RANGES[name];
    options[name] = Math.min(Math.max(value, min), max);
  }
  return options;
}

/**
 * @param {RuntimeOptions} options
 * @returns {import('../../types/index.js').RunLimits}
 */
function toRunLimits({ timeoutMs, memoryLimitBytes, maxLogLines, maxLogChars }) {
  const { min, max } = MEMORY_RANGE;
  return {
    wallMs: timeoutMs,
    memoryBytes: Math.floor(Math.min(Math.max(memoryLimitBytes, min), max)),
    logLines: Math.floor(maxLogLines),
    logChars: Math.floor(maxLogChars),
  };
}

/**
 * The same where the deadline is kept outside of the pool. The CPU limit holds even if the loop does not come round to it.
 *
 * @param {RuntimeOptions} options
 * @returns {import('../../types/index.js').RunLimits}
 */
function toPausableLimits(options) {
  const { wallMs, ...limits } = toRunLimits(options);
  return { ...limits, cpuMs: wallMs };
}

module.exports = {
  DEFAULT_RUNTIME_OPTIONS,
  MAX_TIMEOUT_MS,
  RUNTIME_OPTION_NAMES,
  clampRuntimeOptions,
  readRuntimeOptions,
  toPausableLimits,
  toRunLimits,
};
