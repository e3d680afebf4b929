'use strict';
// What it costs a guest to await a host function, from one call's arrival to the next one's.

const vm = require('node:vm');
const { Worker } = require('node:worker_threads');

const { IsolatePool } = require('isobox');
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

/**
 * @param {(source: string, add: (input: { a: number, b: number }) => number) => Promise<unknown>} runGuest runs the body of
 *   an async function in a guest of its own, to its answer
 * @returns {import('../harness/contract.d.ts').Subject}
 */
function measureCalls(runGuest) {
  return {
    async measure(caseName) {
      const { source, stride } = GUESTS[caseName];
      const clock = new ArrivalClock(stride);
      const answer = await runGuest(source, ({ a, b }) => {
        clock.arrive();
        return a + b;
      });
      expectAnswer(answer, CALLS);
      return clock.samples();
    },
  };
}

function isobox() {
  const pool = new IsolatePool();
  return measureCalls(async (source, add) => {
    const outcome = await pool.run({ source, namespaces: { tools: { add } } });
    return outcome.ok && outcome.value;
  });
}

/** @param {string} tools the guest's own wrapper of the host function */
function isolatedVm(tools, /** @type {(ivm: any, add: Function) => object} */ wrap) {
  const ivm = loadRival('isolated-vm');
  return measureCalls(async (source, add) => {
    const isolate = new ivm.Isolate();
    const context = await isolate.createContext();
    await context.global.set('hostAdd', wrap(ivm, add));
    const program = `const tools = { add: ${tools} }; (async () => { ${source} })()`;
    const answer = await context.eval(program, { promise: true });
    isolate.dispose();
    return answer;
  });
}

const isolatedVmReference = () =>
  isolatedVm(
    `(input) => hostAdd.apply(undefined, [input], {
       arguments: { copy: true }, result: { promise: true, copy: true } })`,
    (ivm, add) => new ivm.Reference(add),
  );

/** Its arguments must be transferable as they are: objects are not. */
const isolatedVmCallback = () =>
  isolatedVm(
    '({ a, b }) => hostAdd(a, b)',
    (ivm, add) =>
      new ivm.Callback((/** @type {number} */ a, /** @type {number} */ b) => add({ a, b }), {
        async: true,
      }),
  );

async function quickjs() {
  const quickJs = await loadRival('quickjs-emscripten').getQuickJS();
  return measureCalls(async (source, add) => {
    const context = quickJs.newContext();
    const hostAdd = context.newFunction('add', (/** @type {any} */ input) => {
      const { a, b } = context.dump(input);
      const reply = context.newPromise();
      Promise.resolve(add({ a, b })).then((sum) => {
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
      worker.on('message', (message) => {
        if ('answer' in message) resolve(message.answer);
        else worker.postMessage({ id: message.id, value: add(message.input) });
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
  title: `${CALLS} calls of a host function by one guest, per call`,
  unit: 'µs',
  better: 'lower',
  cases: Object.keys(GUESTS),
  rounds: { full: 20, quick: 4 },
  process: 'kept',
  systems: {
    isobox,
    'isolated-vm': isolatedVmReference,
    'isolated-vm (callback)': isolatedVmCallback,
    'quickjs-emscripten': quickjs,
    worker_threads: workerThreads,
    'node:vm': nodeVm,
  },
};
