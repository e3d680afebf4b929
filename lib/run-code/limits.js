'use strict';
// What a run may use when its caller says nothing, and how far callers may go.

const { MEMORY_RANGE } = require('../limits.js');
const { checkNumber } = require('../checks/options.js');

const MiB = 2 ** 20;

const MIN_MEMORY_LIMIT_BYTES = MEMORY_RANGE.min;
const DEFAULT_MEMORY_LIMIT_BYTES = 128 * MiB;
const DEFAULT_MAX_MEMORY_LIMIT_BYTES = 1024 * MiB;

/** The reports of one run stay in the host's memory until their caller lets go of them. */
const MAX_REPORTS = 100_000;
const MAX_REPORT_BYTES = 64 * MiB;

/** How much TypeScript a file may hold, and how long erasing its types may take, before anything runs. */
const MAX_SOURCE_BYTES = 4 * MiB;
const MAX_ERASURE_MS = 10_000;

/** Bounds on floods, for the shared pool. No deadline is among them: those are the caller's to set. */
const FLOOD_LIMITS = Object.freeze({
  callsInFlight: 100_000,
  logLines: 100_000,
  logChars: 32 * MiB,
});

/**
 * @param {unknown} value
 * @param {string} where
 * @param {number} fallback
 */
function checkMemory(value, where, fallback) {
  if (value === undefined) return fallback;
  return checkNumber(value, where, MEMORY_RANGE);
}

/**
 * The limit a run gets: what it asked for, raised to what an isolate needs and clamped to the ceiling.
 *
 * @param {number} requested
 * @param {number} ceiling
 */
function effectiveMemoryLimit(requested, ceiling) {
  return Math.min(Math.max(Math.floor(requested), MIN_MEMORY_LIMIT_BYTES), ceiling);
}

module.exports = {
  DEFAULT_MAX_MEMORY_LIMIT_BYTES,
  DEFAULT_MEMORY_LIMIT_BYTES,
  FLOOD_LIMITS,
  MAX_ERASURE_MS,
  MAX_REPORTS,
  MAX_REPORT_BYTES,
  MAX_SOURCE_BYTES,
  MIN_MEMORY_LIMIT_BYTES,
  checkMemory,
  effectiveMemoryLimit,
};
