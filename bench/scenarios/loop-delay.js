'use strict';
// How late the host's timers fire while guests keep every core busy.

const os = require('node:os');
const { setImmediate: nextTurn, setTimeout: sleep } = require('node:timers/promises');
const vm = require('node:vm');
const { Worker } = require('node:worker_threads');

const { loadRival } = require('../rivals/load.js');

const GUESTS = os.availableParallelism();
const TIMER_MS = 5;
const WATCH_MS = 400;
// The guests are still busy when the watch ends.
const SPIN_MS = WATCH_MS + 100;

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
  const startGuest = async () => {
    // The watch is on before a guest can hold the host's own thread.
    await nextTurn();
    await spin();
  };
  return {
    async measure(caseName) {
      const [state, statistic] = caseName.split(', ');
      const guests = state === 'busy' ? Array.from({ length: GUESTS }, startGuest) : [];
      const delays = await watchLoop();
      await Promise.all(guests);
      return statistic === 'longest' ? [Math.max(...delays)] : delays;
    },
  };
}

async function isobox() {
  const { IsolatePool } = require('isobox');
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
  title: `How late the host's timers fire, with and without ${GUESTS} guests that compute, over ${WATCH_MS} ms`,
  unit: 'ms',
  better: 'lower',
  cases: ['idle, each', 'idle, longest', 'busy, each', 'busy, longest'],
  rounds: { full: 10, quick: 2 },
  process: 'kept',
  systems: {
    isobox,
    'isolated-vm': isolatedVm,
    'quickjs-emscripten': quickjs,
    worker_threads: workerThreads,
    'node:vm': nodeVm,
  },
};
