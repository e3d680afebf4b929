'use strict';
// A megabyte from the guest to a host function and back, from one call's arrival to the next one's.

const vm = require('node:vm');
const { Worker } = require('node:worker_threads');

const { ArrivalClock, expectAnswer } = require('../harness/timing.js');
const { loadRival } = require('../rivals/load.js');

const ROUND_TRIPS = 10;

/** How the guest makes its payload: flat characters, and records as APIs answer with. */
const PAYLOADS = /** @type {Record<string, string>} */ ({
  string: "Array.from({ length: 2 ** 20 }, (_, i) => 'abcdefghijklmnop'[i % 16]).join('')",
  records: `Array.from({ length: 4400 }, (_, i) => ({
    id: i,
    name: 'Customer number ' + i,
    email: 'customer' + i + '@example.com',
    isActive: i % 3 === 0,
    balance: i * 1.25,
    manager: null,
    tags: ['north', 'retail', 'tier-' + i % 5],
    address: { street: i + ' High Street', city: 'Springfield', zip: String(10000 + i) },
  }))`,
});

/** The guest's program, for an \`echo\` that takes and gives a value. One arrival more than there are round trips. */
const guestSource = (/** @type {string} */ payload) => `
  let value = ${payload};
  for (let i = 0; i <= ${ROUND_TRIPS}; i++) value = await tools.echo(value);
  return JSON.stringify(value).length;`;

/**
 * @param {(source: string, echo: (value: unknown) => unknown) => Promise<unknown>} runGuest runs the body of an async
 *   function in a guest of its own, to its answer
 * @returns {import('../harness/contract.d.ts').Subject}
 */
function measurePayloads(runGuest) {
  return {
    async measure(caseName) {
      const clock = new ArrivalClock(1);
      /** @type {unknown} */
      let last;
      const answer = await runGuest(guestSource(PAYLOADS[caseName]), (value) => {
        clock.arrive();
        last = value;
        return value;
      });
      expectAnswer(answer, JSON.stringify(last).length);
      return clock.samples().map((us) => us / 1000);
    },
  };
}

/** @param {'json' | 'clone'} values */
function isobox(values) {
  const { IsolatePool } = require('isobox');
  const pool = new IsolatePool();
  return measurePayloads(async (source, echo) => {
    const outcome = await pool.run({ source, values, namespaces: { tools: { echo } } });
    return outcome.ok && outcome.value;
  });
}

/**
 * @param {string} tools the guest's own wrapper of the host function
 * @param {(echo: (value: any) => unknown) => (value: any) => unknown} wrap
 */
function isolatedVm(tools, wrap) {
  const ivm = loadRival('isolated-vm');
  return measurePayloads(async (source, echo) => {
    const isolate = new ivm.Isolate();
    const context = await isolate.createContext();
    await context.global.set('hostEcho', new ivm.Reference(wrap(echo)));
    const program = `const tools = { echo: ${tools} }; (async () => { ${source} })()`;
    const answer = await context.eval(program, { promise: true });
    isolate.dispose();
    return answer;
  });
}

const isolatedVmCopy = () =>
  isolatedVm(
    `(value) => hostEcho.apply(undefined, [value], {
       arguments: { copy: true }, result: { promise: true, copy: true } })`,
    (echo) => echo,
  );

/** Both sides work with values, so both sides parse. */
const isolatedVmJson = () =>
  isolatedVm(
    `async (value) => JSON.parse(await hostEcho.apply(undefined, [JSON.stringify(value)], {
       result: { promise: true } }))`,
    (echo) => (text) => JSON.stringify(echo(JSON.parse(text))),
  );

/** Strings cross in one piece, other values one property at a time: the records go as JSON. */
async function quickjs() {
  const quickJs = await loadRival('quickjs-emscripten').getQuickJS();
  return measurePayloads(async (source, echo) => {
    const context = quickJs.newContext();
    const hostEcho = context.newFunction(
      'echo',
      (/** @type {any} */ input, /** @type {any} */ isJson) => {
        const text = context.getString(input);
        const reply = context.newPromise();
        const answered = context.dump(isJson) ? JSON.stringify(echo(JSON.parse(text))) : echo(text);
        Promise.resolve(answered).then((answer) => {
          context.newString(answer).consume((/** @type {any} */ value) => reply.resolve(value));
          reply.dispose();
          context.runtime.executePendingJobs();
        });
        return reply.handle;
      },
    );
    context.setProp(context.global, 'hostEcho', hostEcho);
    const program = `const tools = {
      echo: async (value) => typeof value === 'string'
        ? hostEcho(value, false)
        : JSON.parse(await hostEcho(JSON.stringify(value), true)) };
      (async () => { ${source} })()`;
    const promise = context.unwrapResult(context.evalCode(program));
    const settled = context.resolvePromise(promise);
    context.runtime.executePendingJobs();
    const answer = context.unwrapResult(await settled).consume(context.dump);
    for (const handle of [promise, hostEcho, context]) handle.dispose();
    return answer;
  });
}

function workerThreads() {
  const program = (/** @type {string} */ source) => `
    const { parentPort } = require('node:worker_threads');
    const tools = {
      echo: (value) => new Promise((resolve) => {
        parentPort.once('message', resolve);
        parentPort.postMessage({ value });
      }),
    };
    (async () => { ${source} })().then((answer) => parentPort.postMessage({ answer }));`;
  return measurePayloads(async (source, echo) => {
    const worker = new Worker(program(source), { eval: true });
    const answer = await new Promise((resolve, reject) => {
      worker.on('error', reject);
      worker.on('message', (message) => {
        if ('answer' in message) resolve(message.answer);
        else worker.postMessage(echo(message.value));
      });
    });
    await worker.terminate();
    return answer;
  });
}

/** The value itself is shared: nothing is copied. */
function nodeVm() {
  return measurePayloads((source, echo) =>
    vm.runInNewContext(`(async () => { ${source} })()`, { tools: { echo } }),
  );
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: '1 MB from the guest to a host function and back',
  unit: 'ms',
  better: 'lower',
  cases: Object.keys(PAYLOADS),
  rounds: { full: 15, quick: 3 },
  process: 'kept',
  systems: {
    isobox: () => isobox('json'),
    'isobox (clone)': () => isobox('clone'),
    'isolated-vm (copy)': isolatedVmCopy,
    'isolated-vm (JSON)': isolatedVmJson,
    'quickjs-emscripten': quickjs,
    worker_threads: workerThreads,
    'node:vm': nodeVm,
  },
};
