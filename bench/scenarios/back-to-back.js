'use strict';
// How long a tiny program takes when the next one follows at once: what is done ahead and behind has nowhere to hide.

const { measureFreshRuns } = require('../harness/fresh-runs.js');
const { timeEach } = require('../harness/timing.js');

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'Runs of 42+1 in fresh isolates, one after another without a pause, disposal included',
  unit: 'µs',
  better: 'lower',
  cases: ['run'],
  rounds: { full: 20, quick: 4 },
  process: 'kept',
  systems: measureFreshRuns((run) => {
    const runAndCleanUp = async () => {
      await (
        await run()
      )?.();
    };
    return { measure: () => timeEach(runAndCleanUp, { count: 50, pauseMs: 0 }) };
  }),
};
