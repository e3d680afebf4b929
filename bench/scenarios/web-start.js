'use strict';
// What it costs a guest to have Web and Node APIs that it does not touch: runs with all of them and without, in turn.

const { expectAnswer, timeEach } = require('../harness/timing.js');

/** @param {object} more of the request */
function start(more) {
  const { IsolatePool } = require('isobox');
  const pool = new IsolatePool();
  const run = async () => {
    const outcome = await pool.run({ source: '42+1', kind: 'script', ...more });
    expectAnswer(outcome.ok && outcome.value, 43);
  };
  return { measure: () => timeEach(run, { count: 25, pauseMs: 5 }) };
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'Warm run of 42+1 with all Web and Node APIs, and without',
  unit: 'µs',
  better: 'lower',
  cases: ['run'],
  rounds: { full: 20, quick: 4 },
  process: 'kept',
  systems: {
    isobox: () => start({ web: { node: true, fetch: { origins: ['*'] } } }),
    'without web': () => start({}),
  },
};
