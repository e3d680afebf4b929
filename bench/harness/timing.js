'use strict';
// How scenarios take their samples. Runs in the process of the system under test.

const { setTimeout: sleep } = require('node:timers/promises');

/**
 * Times operations one by one, in microseconds. The first ones are not counted: the caches belonged to another system.
 *
 * @param {() => unknown} operation awaited; may return a function that cleans up, which is awaited but not timed
 * @param {{ count: number, pauseMs: number, leadIn?: number }} plan
 * @returns {Promise<number[]>}
 */
async function timeEach(operation, { count, pauseMs, leadIn = 3 }) {
  const samples = [];
  for (let i = 0; i < leadIn + count; i += 1) {
    if (pauseMs > 0) await sleep(pauseMs);
    const start = performance.now();
    const cleanUp = await operation();
    const end = performance.now();
    if (typeof cleanUp === 'function') await cleanUp();
    if (i >= leadIn) samples.push((end - start) * 1000);
  }
  return samples;
}

/**
 * Keeps a number of operations in flight for a while.
 *
 * @param {() => unknown} operation
 * @param {{ concurrency: number, ms: number }} plan
 * @returns {Promise<number>} operations per second, counted until the last has ended
 */
async function throughput(operation, { concurrency, ms }) {
  const start = performance.now();
  let done = 0;
  const lane = async () => {
    while (performance.now() - start < ms) {
      await operation();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return (done * 1000) / (performance.now() - start);
}

/**
 * Takes the time at every `stride`-th arrival of a guest's call at the host. From one arrival to the next is exactly one
 * round trip, whatever it took to start the guest.
 */
class ArrivalClock {
  #stride;
  #count = 0;
  /** @type {number[]} */
  #times = [];

  /** @param {number} stride */
  constructor(stride) {
    this.#stride = stride;
  }

  arrive() {
    if (this.#count % this.#stride === 0) this.#times.push(performance.now());
    this.#count += 1;
  }

  /** @returns {number[]} microseconds per call */
  samples() {
    return this.#times.slice(1).map((time, i) => ((time - this.#times[i]) * 1000) / this.#stride);
  }
}

/**
 * A wrong answer would be the fastest one.
 *
 * @param {unknown} actual
 * @param {unknown} expected
 */
function expectAnswer(actual, expected) {
  if (actual !== expected) throw new Error(`the guest answered ${actual}, not ${expected}`);
}

module.exports = { ArrivalClock, expectAnswer, throughput, timeEach };
