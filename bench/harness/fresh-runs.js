'use strict';
// A run of 42+1 that shares nothing with the run before it, one function per rival. Each gives a function that resolves
// once the answer is in the host's hands, to a function that cleans up.

const { once } = require('node:events');
const vm = require('node:vm');
const { Worker } = require('node:worker_threads');

const { loadRival } = require('../rivals/load.js');
const { expectAnswer } = require('./timing.js');

const SOURCE = '42+1';
const ANSWER = 43;

/** @typedef {() => Promise<void | (() => unknown)>} FreshRun */

/** @returns {FreshRun} */
function isobox() {
  const { IsolatePool } = require('isobox');
  const pool = new IsolatePool();
  return async () => {
    const outcome = await pool.run({ source: SOURCE, kind: 'script' });
    expectAnswer(outcome.ok && outcome.value, ANSWER);
  };
}

/** @returns {FreshRun} */
function isolatedVm() {
  const ivm = loadRival('isolated-vm');
  return async () => {
    const isolate = new ivm.Isolate();
    const context = await isolate.createContext();
    const script = await isolate.compileScript(SOURCE);
    expectAnswer(await script.run(context), ANSWER);
    return () => isolate.dispose();
  };
}

/**
 * On the host's own thread: no hops, and a host that stands still.
 *
 * @returns {FreshRun}
 */
function isolatedVmSync() {
  const ivm = loadRival('isolated-vm');
  return async () => {
    const isolate = new ivm.Isolate();
    const context = isolate.createContextSync();
    const script = isolate.compileScriptSync(SOURCE);
    expectAnswer(script.runSync(context), ANSWER);
    return () => isolate.dispose();
  };
}

/** @returns {Promise<FreshRun>} */
async function quickjs() {
  const quickJs = await loadRival('quickjs-emscripten').getQuickJS();
  return async () => {
    // With a runtime of its own.
    const context = quickJs.newContext();
    const result = context.unwrapResult(context.evalCode(SOURCE));
    expectAnswer(context.dump(result), ANSWER);
    return () => {
      result.dispose();
      context.dispose();
    };
  };
}

/** @returns {FreshRun} */
function workerThreads() {
  const program = `require('node:worker_threads').parentPort.postMessage(${SOURCE})`;
  return async () => {
    const worker = new Worker(program, { eval: true });
    const exit = once(worker, 'exit');
    const [answer] = await once(worker, 'message');
    expectAnswer(answer, ANSWER);
    return () => exit;
  };
}

/** @returns {FreshRun} */
function nodeVm() {
  return async () => {
    const context = vm.createContext();
    expectAnswer(new vm.Script(SOURCE).runInContext(context), ANSWER);
  };
}

const freshRuns = {
  isobox,
  'isolated-vm': isolatedVm,
  'isolated-vm (sync)': isolatedVmSync,
  'quickjs-emscripten': quickjs,
  worker_threads: workerThreads,
  'node:vm': nodeVm,
};

/**
 * @param {(run: FreshRun, options: import('./contract.d.ts').SubjectOptions) => import('./contract.d.ts').Subject} measure
 * @returns {import('./contract.d.ts').Scenario['systems']} all rivals, measured in the same way
 */
function measureFreshRuns(measure) {
  return Object.fromEntries(
    Object.entries(freshRuns).map(([name, open]) => [
      name,
      async (options) => measure(await open(), options),
    ]),
  );
}

module.exports = { freshRuns, measureFreshRuns };
