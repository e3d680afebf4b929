'use strict';
// Resident memory of one more unused isolate, ready for a run.

const { once } = require('node:events');
const { setTimeout: sleep } = require('node:timers/promises');
const vm = require('node:vm');
const { Worker } = require('node:worker_threads');

const { loadRival } = require('../rivals/load.js');

const COUNT = 50;

async function residentBytes() {
  // Lets threads that have just done their work lie down.
  await sleep(100);
  return process.memoryUsage.rss();
}

/**
 * @param {(count: number) => unknown} bringTo makes as many more as are missing
 * @returns {import('../harness/contract.d.ts').Subject}
 */
function measureMemory(bringTo) {
  return {
    async measure() {
      // The first one also brings code and threads that all of them share.
      await bringTo(1);
      const before = await residentBytes();
      await bringTo(1 + COUNT);
      return [((await residentBytes()) - before) / COUNT / 2 ** 20];
    },
  };
}

/**
 * @param {() => unknown} makeOne
 * @returns {import('../harness/contract.d.ts').Subject}
 */
function measureEach(makeOne) {
  /** @type {unknown[]} */
  const kept = [];
  return measureMemory(async (count) => {
    while (kept.length < count) kept.push(await makeOne());
  });
}

function isobox() {
  const { IsolatePool } = require('isobox');
  const pool = new IsolatePool({ warm: { target: 1 } });
  return measureMemory((count) => pool.prewarm(count));
}

function isolatedVm() {
  const ivm = loadRival('isolated-vm');
  return measureEach(async () => {
    const isolate = new ivm.Isolate();
    return { isolate, context: await isolate.createContext() };
  });
}

async function quickjs() {
  const quickJs = await loadRival('quickjs-emscripten').getQuickJS();
  return measureEach(() => quickJs.newContext());
}

function workerThreads() {
  const program = `require('node:worker_threads').parentPort.on('message', () => {})`;
  return measureEach(async () => {
    const worker = new Worker(program, { eval: true });
    await once(worker, 'online');
    return worker;
  });
}

function nodeVm() {
  return measureEach(() => vm.createContext());
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: `RSS per unused isolate with a context, over ${COUNT} of them`,
  unit: 'MiB',
  better: 'lower',
  cases: ['isolate'],
  rounds: { full: 7, quick: 2 },
  process: 'fresh',
  systems: {
    isobox,
    'isolated-vm': isolatedVm,
    'quickjs-emscripten': quickjs,
    worker_threads: workerThreads,
    'node:vm': nodeVm,
  },
};
