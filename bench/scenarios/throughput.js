'use strict';
// Runs per second with so many of them in flight, and the most that these cores could give: the floor of costs.

const os = require('node:os');

const { measureFreshRuns } = require('../harness/fresh-runs.js');
const { loadFloor } = require('../floor/load.js');
const { throughput } = require('../harness/timing.js');

/** @param {boolean} isQuick */
const blockMs = (isQuick) => (isQuick ? 300 : 800);

/**
 * Threads that only create, enter and dispose of isolates, as many as could be of use.
 *
 * @param {import('../harness/contract.d.ts').SubjectOptions} options
 */
function floor({ isQuick }) {
  const { runIsolates } = loadFloor();
  return {
    measure: (/** @type {string} */ concurrency) => {
      const threads = Math.min(Number(concurrency), os.availableParallelism());
      return [runIsolates(threads, blockMs(isQuick))];
    },
  };
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'Runs of 42+1 in fresh isolates, by runs in flight',
  unit: 'runs/s',
  better: 'higher',
  cases: ['1', '2', '4', '8', '16', '32', '64'],
  rounds: { full: 5, quick: 2 },
  process: 'kept',
  systems: {
    ...measureFreshRuns((run, { isQuick }) => {
      const runAndCleanUp = async () => {
        await (
          await run()
        )?.();
      };
      return {
        measure: async (concurrency) => [
          await throughput(runAndCleanUp, {
            concurrency: Number(concurrency),
            ms: blockMs(isQuick),
          }),
        ],
      };
    }),
    floor,
  },
};
