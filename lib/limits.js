'use strict';
// The limits of a run: their names, ranges and defaults.

const { checkNumber, checkRecord } = require('./checks/options.js');

const MiB = 2 ** 20;

/** The defaults of the pool. A run without a deadline waits until it is stopped: deadlines are the caller's to set. */
const DEFAULT_LIMITS = Object.freeze({
  wallMs: Infinity,
  cpuMs: Infinity,
  memoryBytes: 64 * MiB,
  calls: Infinity,
  callsInFlight: 10_000,
  callBytes: Infinity,
  callBytesInFlight: 64 * MiB,
  // Values are rebuilt on the host's own thread, which waits meanwhile.
  resultBytes: 16 * MiB,
  valueBytes: 16 * MiB,
  valueDepth: 500,
  valueObjects: 250_000,
  logLines: 10_000,
  logChars: 4 * MiB,
});

/** What an isolate can be given. */
const MEMORY_RANGE = Object.freeze({ min: 8 * MiB, max: 4096 * MiB });

const time = { min: 0, max: 2 ** 40, integer: false, unlimited: true };
const amount = { min: 0, max: Number.MAX_SAFE_INTEGER, unlimited: true };

/** @type {Readonly<Record<keyof typeof DEFAULT_LIMITS, Parameters<typeof checkNumber>[2]>>} */
const RANGES = Object.freeze({
  wallMs: time,
  cpuMs: time,
  memoryBytes: MEMORY_RANGE,
  calls: amount,
  callsInFlight: amount,
  callBytes: amount,
  callBytesInFlight: amount,
  resultBytes: amount,
  valueBytes: amount,
  valueDepth: { min: 1, max: 1000 },
  valueObjects: amount,
  logLines: amount,
  logChars: amount,
});

/** In the order in which the native side reads them. */
const LIMIT_NAMES = Object.freeze(
  /** @type {(keyof typeof DEFAULT_LIMITS)[]} */ (Object.keys(DEFAULT_LIMITS)),
);

/**
 * @typedef {Record<keyof typeof DEFAULT_LIMITS, number>} Limits
 */

/**
 * @param {unknown} value
 * @param {string} where
 * @param {Readonly<Limits>} defaults
 * @returns {Readonly<Limits>}
 */
function checkLimits(value, where, defaults) {
  if (value === undefined) return defaults;
  const given = checkRecord(value, where, LIMIT_NAMES);
  const limits = { ...defaults };
  for (const name of LIMIT_NAMES) {
    if (given[name] === undefined) continue;
    limits[name] = checkNumber(given[name], `${where}.${name}`, RANGES[name]);
  }
  return limits;
}

module.exports = { DEFAULT_LIMITS, LIMIT_NAMES, MEMORY_RANGE, checkLimits };
