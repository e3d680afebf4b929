'use strict';
// Durable setValue, beside a bare write of as many bytes with fdatasync on the same disk: per write.

const { setImmediate: nextTurn } = require('node:timers/promises');

const { createThreads, newDirectory, openRuntime, rawFlush } = require('../harness/threads.js');
const { expectAnswer } = require('../harness/timing.js');

const WRITERS = 64;
const VALUE = 'x'.repeat(100);

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
async function isobox({ isQuick }) {
  const runtime = await openRuntime(newDirectory());
  const threads = await createThreads(runtime, WRITERS);
  const rounds = isQuick ? 10 : 50;
  let count = 0;
  return {
    async measure(/** @type {string} */ caseName) {
      const writers = caseName === 'one by one' ? threads.slice(0, 1) : threads;
      const samples = [];
      for (let round = 0; round < rounds; round += 1) {
        count += 1;
        const value = `${VALUE}${count}`;
        const start = performance.now();
        await Promise.all(writers.map((thread) => thread.setValue('k', value)));
        samples.push(((performance.now() - start) * 1000) / writers.length);
        expectAnswer(await writers.at(-1).getValue('k'), value);
      }
      return samples;
    },
  };
}

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
function bare({ isQuick }) {
  const flush = rawFlush(newDirectory());
  const rounds = isQuick ? 10 : 50;
  return {
    async measure() {
      const samples = [];
      for (let round = 0; round < rounds; round += 1) {
        await nextTurn();
        const start = performance.now();
        flush(VALUE.length);
        samples.push((performance.now() - start) * 1000);
      }
      return samples;
    },
  };
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'Durable setValue of 100 characters, per write',
  unit: 'µs',
  better: 'lower',
  cases: ['one by one', `${WRITERS} writers`],
  rounds: { full: 8, quick: 2 },
  process: 'kept',
  systems: { isobox, 'write + fdatasync': bare },
};
