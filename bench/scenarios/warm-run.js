'use strict';
// How long until the answer of a tiny program is there, in a host that has nothing else to do.

const { measureFreshRuns } = require('../harness/fresh-runs.js');
const { timeEach } = require('../harness/timing.js');

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'Warm run of 42+1 in a fresh isolate, 5 ms apart: until the answer is there',
  unit: 'µs',
  better: 'lower',
  cases: ['run'],
  rounds: { full: 20, quick: 4 },
  process: 'kept',
  systems: measureFreshRuns((run) => ({
    measure: () => timeEach(run, { count: 25, pauseMs: 5 }),
  })),
};
