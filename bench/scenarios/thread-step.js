'use strict';
// One message to a thread whose model answers at once and calls one tool, until the thread is at rest: what it takes beyond
// the flushes it needs, which are counted and timed on the same disk.

const {
  allowed,
  createThreads,
  newDirectory,
  openRuntime,
  rawFlush,
} = require('../harness/threads.js');

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
async function isobox({ isQuick }) {
  const { LmdbEngine } = require('../../lib/threads/store/lmdb-engine.js');
  /** @type {any} */
  const engine = LmdbEngine.prototype;
  const { transact } = engine;
  let flushes = 0;
  engine.transact = function counted(...args) {
    flushes += 1;
    return transact.apply(this, args);
  };
  const directory = newDirectory();
  const runtime = await openRuntime(directory);
  const flush = rawFlush(directory);
  const rounds = isQuick ? 10 : 40;
  return {
    async measure() {
      const samples = [];
      for (let round = 0; round < rounds; round += 1) {
        const [thread] = await createThreads(runtime, 1);
        flushes = 0;
        const start = performance.now();
        await runtime.send(thread.threadId, { content: 'go' });
        await runtime.idle(thread.threadId);
        const ms = performance.now() - start;
        // The same number of flushes right behind it, since a disk has its moods.
        const began = performance.now();
        for (let index = 0; index < flushes; index += 1) flush(512);
        samples.push(Math.max(0.01, ms - (performance.now() - began)));
      }
      return samples;
    },
  };
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'A message, a model that answers at once, one tool: beyond the flushes it needs',
  unit: 'ms',
  better: 'lower',
  cases: ['step'],
  rounds: { full: 6, quick: 2 },
  process: 'kept',
  systems: { isobox, allowed: allowed(5) },
};
