'use strict';
// Guests that ask a system for one guarantee each.

/** Where memory is asked for, the deadline is far: it is the memory limit that has to end the run. */
const FAR_DEADLINE_MS = 3000;
const DEADLINE_MS = 500;
const MEMORY_MIB = 64;

/** Beyond the limit: an engine's own memory, and what it takes before it looks. */
const ALLOWED_MIB = MEMORY_MIB + 128;
/** A timer of 5 ms that fires this late has been held up, by whatever standard. */
const ALLOWED_HOLD_UP_MS = 150;

/**
 * @typedef {object} Observed
 * @property {string} answer
 * @property {number} ms until the caller was answered
 * @property {number} heldUpMs how long the host's event loop stood still
 * @property {number} grownMiB
 */

const isOnTime = (/** @type {Observed} */ { ms }) => ms < DEADLINE_MS + 400;
const isSmall = (/** @type {Observed} */ { grownMiB }) => grownMiB < ALLOWED_MIB;

/** @type {Record<string, { title: string, source: string, deadlineMs: number, holds: (observed: Observed) => boolean }>} */
const PROGRAMS = {
  loop: {
    title: 'an endless loop is ended at the deadline',
    source: 'for (;;);',
    deadlineMs: DEADLINE_MS,
    holds: isOnTime,
  },
  builtin: {
    title: 'the caller is answered when a builtin cannot be interrupted',
    source: 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    deadlineMs: DEADLINE_MS,
    holds: isOnTime,
  },
  loopDelay: {
    title: 'the host’s event loop goes on while a guest computes',
    source: 'for (;;);',
    deadlineMs: DEADLINE_MS,
    holds: ({ heldUpMs }) => heldUpMs < ALLOWED_HOLD_UP_MS,
  },
  arrays: {
    title: 'a memory limit holds for objects',
    source: 'const all = []; for (;;) all.push(new Array(1000).fill(1.5))',
    deadlineMs: FAR_DEADLINE_MS,
    holds: isSmall,
  },
  buffers: {
    title: 'a memory limit holds for binary data',
    source: 'const all = []; for (;;) all.push(new Uint8Array(2 ** 20).fill(1))',
    deadlineMs: FAR_DEADLINE_MS,
    holds: isSmall,
  },
  escape: {
    title: 'a guest does not reach Node’s `process`',
    source: `(() => {
      try {
        return this.constructor.constructor('return typeof process')();
      } catch (error) {
        return error.name;
      }
    })()`,
    deadlineMs: DEADLINE_MS,
    holds: ({ answer }) => answer !== 'object',
  },
};

module.exports = { MEMORY_MIB, PROGRAMS };
