'use strict';
// How late the host's timers fire while guests keep every core busy.

const os = require('node:os');
const { setTimeout: sleep } = require('node:timers/promises');
const vm = require('node:vm');
const { Worker } = require('node:worker_threads');

const { IsolatePool } = require('../../lib/index.js');
const { loadRival } = require('../rivals/load.js');

const GUESTS = os.availableParallelism();
const TIMER_MS = 5;
const START_MS = 100;
const WATCH_MS = 500;
// The guests are busy before the watch begins and after it has ended.
const SPIN_MS = START_MS + WATCH_MS + 200;

const SPIN = `{ const end = Date.now() + ${SPIN_MS}; while (Date.now() < end); }`;

/** @returns {Promise<number[]>} how many milliseconds late each timer was */
async function watchLoop() {
  const delays = [];
  const start = performance.now();
  let now = start;
  while (now - start < WATCH_MS) {
    await sleep(TIMER_MS);
    const fired = performance.now();
    delays.push(Math.max(0, fired - now - TIMER_MS));
    now = fired;
  }
  return delays;
}

/**
 * @param {() => unknown} spin runs one guest that spins; resolves when it has ended
 * @returns {import('../harness/contract.d.ts').Subject}
 */
function measureDelay(spin) {
  return {
    async measure(caseName) {
      if (caseName === 'idle') return watchLoop();
      const guests = Array.from({ length: GUESTS }, async () => {
        // Guests on the host's own thread begin when the watch has.
        await sleep(START_MS);
        await spin();
      });
      const delays = await watchLoop();
      await Promise.all(guests);
      return delays;
    },
  };
}

async function isobox() {
  const pool = new IsolatePool({ threads: GUESTS });
  await pool.prewarm(GUESTS);
  return measureDelay(() => pool.run({ source: SPIN, kind: 'script' }));
}

function isolatedVm() {
  const ivm = loadRival('isolated-vm');
  return measureDelay(async () => {
    const isolate = new ivm.Isolate();
    const context = await isolate.createContext();
    await context.eval(SPIN);
    isolate.dispose();
  });
}

async function quickjs() {
  const quickJs = await loadRival('quickjs-emscripten').getQuickJS();
  return measureDelay(() => {
    const context = quickJs.newContext();
    context.unwrapResult(context.evalCode(SPIN)).dispose();
    context.dispose();
  });
}

function workerThreads() {
  return measureDelay(
    () => new Promise((resolve) => new Worker(SPIN, { eval: true }).on('exit', resolve)),
  );
}

function nodeVm() {
  return measureDelay(() => vm.runInNewContext(SPIN));
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: `Delay of the host's timers with ${GUESTS} guests that compute`,
  unit: 'ms',
  better: 'lower',
  cases: ['idle', 'busy'],
  rounds: { full: 8, quick: 2 },
  process: 'kept',
  systems: {
    isobox,
    'isolated-vm': isolatedVm,
    'quickjs-emscripten': quickjs,
    worker_threads: workerThreads,
    'node:vm': nodeVm,
  },
};
