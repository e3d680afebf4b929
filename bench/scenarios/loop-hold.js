'use strict';
// How long one guest with 64 MiB of memory holds its host's loop, whatever it sends.

const { CASES, RUN_MS, systemsOf } = require('../harness/costly-guests.js');

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: `The longest turn of the host's loop while a guest sends what is dear to rebuild, over ${RUN_MS} ms`,
  unit: 'ms',
  better: 'lower',
  cases: CASES,
  rounds: { full: 5, quick: 1 },
  process: 'kept',
  systems: systemsOf(({ worstTurnMs }) => worstTurnMs),
};
