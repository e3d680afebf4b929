'use strict';
// By how much one guest with 64 MiB of memory grows its host's heap, whatever it sends.

const { CASES, RUN_MS, systemsOf } = require('../harness/costly-guests.js');

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: `How far the host's heap grows while a guest sends what is dear to rebuild, over ${RUN_MS} ms`,
  unit: 'MiB',
  better: 'lower',
  cases: CASES,
  rounds: { full: 5, quick: 1 },
  process: 'fresh',
  systems: systemsOf(({ grownMiB }) => grownMiB),
};
