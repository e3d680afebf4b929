'use strict';
// Waiting in tests, with a bound.

/** @param {number} ms */
function sleep(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/**
 * @param {() => boolean} isTrue
 * @param {number} [boundMs]
 * @returns {Promise<true>} rejects when it did not come true within the bound
 */
async function until(isTrue, boundMs = 10_000) {
  const end = performance.now() + boundMs;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`not true within ${boundMs} ms: ${isTrue}`);
    await sleep(2);
  }
  return true;
}

module.exports = { sleep, until };
