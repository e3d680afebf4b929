'use strict';
// What it costs a guest to await a host function, from one call's arrival to the next one's.

const vm = require('node:vm');
const { Worker } = require('node:worker_threads');

const { ArrivalClock, expectAnswer } = require('../harness/timing.js');
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

/**
 * @param {any} ivm
 * @param {string} source
 * @param {object} hostAdd what the guest gets by that name
 * @param {string} tools the guest's own wrapper of it
 */
async function runIsolatedVm(ivm, source, hostAdd, tools) {
  const isolate = new ivm.Isolate();
  const context = await isolate.createContext();
  await context.global.set('hostAdd', hostAdd);
  const program = `const tools = ${tools}; (async () => { ${source} })()`;
  const answer = await context.eval(program, { promise: true });
  isolate.dispose();
  return answer;
}

function isolatedVm() {
  const ivm = loadRival('isolated-vm');
  const tools = `{ add: (input) => hostAdd.apply(undefined, [input], {
    arguments: { copy: true }, result: { promise: true, copy: true } }) }`;
  return measureCalls((source, add) => runIsolatedVm(ivm, source, new ivm.Reference(add), tools));
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
  return measureCalls(async (source, add) => {
    const context = quickJs.newContext();
    const hostAdd = context.newFunction('add', (/** @type {any} */ input) => {
      const { a, b } = context.dump(input);
      const reply = context.newPromise();
      add({ a, b }).then((sum) => {
        context.newNumber(sum).consume((/** @type {any} */ value) => reply.resolve(value));
        reply.dispose();
        context.runtime.executePendingJobs();
      });
      return reply.handle;
    });
    const tools = context.newObject();
    context.setProp(tools, 'add', hostAdd);
    context.setProp(context.global, 'tools', tools);
    const promise = context.unwrapResult(context.evalCode(`(async () => { ${source} })()`));
    const settled = context.resolvePromise(promise);
    context.runtime.executePendingJobs();
    const answer = context.unwrapResult(await settled).consume(context.dump);
    for (const handle of [promise, tools, hostAdd, context]) handle.dispose();
    return answer;
  });
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
