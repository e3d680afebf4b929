'use strict';
// Pools for tests in Jest's own process: each is disposed of after its test, and must leave nothing behind.

const { IsolatePool } = require('../../lib/index.js');

/** @type {IsolatePool[]} */
let pools = [];

/** @param {import('isobox').PoolOptions} [options] */
function openPool(options) {
  const pool = new IsolatePool(options);
  pools.push(pool);
  return pool;
}

/** To be called once per test file. */
function disposeAfterEach() {
  afterEach(async () => {
    const opened = pools;
    pools = [];
    for (const pool of opened) {
      await pool.dispose();
      // On a machine under load, a thread that was slow to come back may have been written off for a moment.
      await until(() => pool.stats().stuck === 0);
      const { threads, running, parked, queued, warm, stuck } = pool.stats();
      expect({ threads, running, parked, queued, warm, stuck }).toEqual({
        threads: 0,
        running: 0,
        parked: 0,
        queued: 0,
        warm: 0,
        stuck: 0,
      });
    }
  });
}

/** @param {number} ms */
function sleep(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/**
 * @param {() => boolean} isTrue
 * @param {number} [boundMs]
 */
async function until(isTrue, boundMs = 5000) {
  const end = performance.now() + boundMs;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`never came true: ${isTrue}`);
    await sleep(2);
  }
}

module.exports = { disposeAfterEach, openPool, sleep, until };
