'use strict';
// From the spawn of a Node process to the first answer of 42+1, in a new process each time.

const { freshRuns } = require('../harness/fresh-runs.js');

/**
 * @param {() => unknown} firstRun
 * @returns {import('../harness/contract.d.ts').Scenario['systems'][string]}
 */
function measureStart(firstRun) {
  return async ({ spawnedAt }) => {
    await firstRun();
    const ms = Number(process.hrtime.bigint() - spawnedAt) / 1e6;
    return { measure: () => [ms] };
  };
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'Cold start: from the spawn of a process to the first answer',
  unit: 'ms',
  better: 'lower',
  cases: ['first answer'],
  rounds: { full: 20, quick: 3 },
  process: 'fresh',
  systems: {
    ...Object.fromEntries(
      Object.entries(freshRuns).map(([name, open]) => [
        name,
        measureStart(async () => (await open())()),
      ]),
    ),
    // What Node and the harness take, to be subtracted from the others.
    'empty process': measureStart(() => {}),
  },
};
