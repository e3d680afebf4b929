'use strict';
// 1,000 threads that get a message at once: model, tool, model, rest. Per thread, with everything on disk.

const { createThreads, expectDone, newDirectory, openRuntime } = require('../harness/threads.js');

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
async function isobox({ isQuick }) {
  const runtime = await openRuntime(newDirectory());
  return {
    async measure(/** @type {string} */ caseName) {
      const count = Number(caseName.replace(',', '')) / (isQuick ? 10 : 1);
      const threads = await createThreads(runtime, Math.max(1, count));
      const start = performance.now();
      await Promise.all(threads.map(({ threadId }) => runtime.send(threadId, { content: 'go' })));
      await runtime.idle();
      const ms = performance.now() - start;
      for (const thread of threads) await expectDone(thread);
      return [ms / threads.length];
    },
  };
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'Threads that work at once: a message, a model that answers at once, one tool, per thread',
  unit: 'ms',
  better: 'lower',
  cases: ['10', '100', '1,000'],
  rounds: { full: 5, quick: 1 },
  process: 'kept',
  systems: { isobox },
};
