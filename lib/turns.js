'use strict';
// Work that may take long on the event loop's thread, done a few milliseconds per turn of the loop.

/**
 * @typedef {object} Job
 * @property {Generator<void, unknown>} steps
 * @property {AbortSignal | undefined} signal
 * @property {(result: any) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/** What may be done in one turn of the loop: by the jobs that wait, and ahead of them by those that come. */
const TURN_MS = 4;
const AHEAD_MS = 2;

/**
 * Jobs by who they are for. Everybody has their turn, however many jobs one of them has.
 *
 * @type {Map<unknown, Job[]>}
 */
const waiting = new Map();
let spentAheadMs = 0;
let isScheduled = false;

/**
 * @template T
 * @param {Generator<void, T>} steps that yield where they may pause, every few ten microseconds
 * @param {AbortSignal} [signal] of whom they are for; aborted, they end
 * @returns {T | Promise<T>} at once when they are done soon
 */
function inTurns(steps, signal) {
  const started = performance.now();
  const ahead = advance(steps, started + AHEAD_MS - spentAheadMs);
  if (ahead?.done) {
    return ahead.value;
  }
  spentAheadMs += performance.now() - started;
  schedule();
  return new Promise((resolve, reject) => {
    const jobs = waiting.get(signal) ?? [];
    jobs.push({ steps, signal, resolve, reject });
    waiting.set(signal, jobs);
  });
}

/**
 * @template T
 * @param {Generator<void, T>} steps
 * @param {number} deadline
 * @returns {IteratorReturnResult<T> | undefined} undefined when they are not done by then
 */
function advance(steps, deadline) {
  while (performance.now() < deadline) {
    const result = steps.next();
    if (result.done) return result;
  }
  return undefined;
}

function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(takeTurn);
}

function takeTurn() {
  isScheduled = false;
  spentAheadMs = 0;
  const deadline = performance.now() + TURN_MS;
  while (waiting.size > 0 && performance.now() < deadline) {
    const [[owner, jobs]] = waiting;
    // To the end of the line, unless this was the last of them.
    waiting.delete(owner);
    if (settle(jobs[0], deadline)) jobs.shift();
    if (jobs.length > 0) waiting.set(owner, jobs);
  }
  if (waiting.size > 0) schedule();
}

/**
 * @param {Job} job
 * @param {number} deadline
 * @returns {boolean} whether it is over
 */
function settle({ steps, signal, resolve, reject }, deadline) {
  try {
    if (signal?.aborted) {
      steps.return(undefined);
      reject(signal.reason);
      return true;
    }
    const result = advance(steps, deadline);
    if (result === undefined) return false;
    resolve(result.value);
  } catch (error) {
    reject(error);
  }
  return true;
}

/**
 * @template T
 * @param {Generator<void, T>} steps
 * @returns {T}
 */
function atOnce(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

module.exports = { atOnce, inTurns };
