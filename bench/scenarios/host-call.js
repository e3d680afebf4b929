'use strict';
// What it costs a guest to await a host function, from one call's arrival to the next one's.

const vm = require('node:vm');
const { Worker } = require('node:worker_threads');

const { ArrivalClock, expectAnswer } = require('../harness/timing.js');
const { REFERENCE_TOOLS, runIsolatedVm, runQuickJs } = require('../rivals/guests.js');
const { loadRival } = require('../rivals/load.js');

const CALLS = 1000;

/** @type {Record<string, { source: string, stride: number }>} */
const GUESTS = {
  'one after another': {
    source: `let sum = 0;
      for (let i = 0; i < ${CALLS}; i++) sum = await tools.add({ a: sum, b: 1 });
      return sum;`,
    stride: 1,
  },
  '100 at once': {
    source: `let sum = 0;
      for (let i = 0; i < ${CALLS / 100}; i++) {
        const ones = await Promise.all(Array.from({ length: 100 }, () => tools.add({ a: 0, b: 1 })));
        sum = ones.reduce((a, b) => a + b, sum);
      }
      return sum;`,
    stride: 100,
  },
};

/** @typedef {{ a: number, b: number }} Input */

/**
 * @param {(source: string, add: (input: Input) => Promise<number>, addNow: (input: Input) => number) => Promise<unknown>}
 *   runGuest runs the body of an async function in a guest of its own, to its answer
 * @returns {import('../harness/contract.d.ts').Subject}
 */
function measureCalls(runGuest) {
  return {
    async measure(caseName) {
      const { source, stride } = GUESTS[caseName];
      const clock = new ArrivalClock(stride);
      const addNow = (/** @type {Input} */ { a, b }) => {
        clock.arrive();
        return a + b;
      };
      expectAnswer(await runGuest(source, async (input) => addNow(input), addNow), CALLS);
      return clock.samples();
    },
  };
}

function isobox() {
  const { IsolatePool } = require('isobox');
  const pool = new IsolatePool();
  return measureCalls(async (source, add) => {
    const outcome = await pool.run({ source, namespaces: { tools: { add } } });
    return outcome.ok && outcome.value;
  });
}

function isolatedVm() {
  const ivm = loadRival('isolated-vm');
  return measureCalls((source, add) =>
    runIsolatedVm(ivm, source, new ivm.Reference(add), REFERENCE_TOOLS),
  );
}

/** Has its answer at once or not at all: a callback cannot give a promise. */
function isolatedVmCallback() {
  const ivm = loadRival('isolated-vm');
  return measureCalls((source, _, addNow) =>
    runIsolatedVm(ivm, source, new ivm.Callback(addNow, { async: true }), '{ add: hostAdd }'),
  );
}

async function quickjs() {
  const quickJs = await loadRival('quickjs-emscripten').getQuickJS();
  return measureCalls((source, add) =>
    runQuickJs(quickJs, source, add, (context, sum) => context.newNumber(sum)),
  );
}

function workerThreads() {
  const program = (/** @type {string} */ source) => `
    const { parentPort } = require('node:worker_threads');
    const pending = new Map();
    let nextId = 0;
    parentPort.on('message', ({ id, value }) => {
      pending.get(id)(value);
      pending.delete(id);
    });
    const tools = {
      add: (input) => new Promise((resolve) => {
        pending.set(nextId, resolve);
        parentPort.postMessage({ id: nextId++, input });
      }),
    };
    (async () => { ${source} })().then((answer) => parentPort.postMessage({ answer }));`;
  return measureCalls(async (source, add) => {
    const worker = new Worker(program(source), { eval: true });
    const answer = await new Promise((resolve, reject) => {
      worker.on('error', reject);
      worker.on('message', async (message) => {
        if ('answer' in message) resolve(message.answer);
        else worker.postMessage({ id: message.id, value: await add(message.input) });
      });
    });
    await worker.terminate();
    return answer;
  });
}

/** A plain call: what awaiting costs without any border. */
function nodeVm() {
  return measureCalls((source, add) =>
    vm.runInNewContext(`(async () => { ${source} })()`, { tools: { add } }),
  );
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: `${CALLS} calls of an async host function by one guest, per call`,
  unit: 'µs',
  better: 'lower',
  cases: Object.keys(GUESTS),
  rounds: { full: 20, quick: 4 },
  process: 'kept',
  systems: {
    isobox,
    'isolated-vm': isolatedVm,
    'isolated-vm (callback)': isolatedVmCallback,
    'quickjs-emscripten': quickjs,
    worker_threads: workerThreads,
    'node:vm': nodeVm,
  },
};
