'use strict';
// What threads cost that have done their work and are at rest, and those that all work at once.

const v8 = require('node:v8');
const vm = require('node:vm');

const {
  allowed,
  createThreads,
  expectDone,
  newDirectory,
  openRuntime,
} = require('../harness/threads.js');

const CASES = {
  heap: 'idle: bytes of heap',
  timers: 'idle: timers, all together',
  active: 'active: bytes of heap at the most',
};

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

const heapBytes = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Timers that have neither fired nor been cleared, whether or not they keep the process alive. */
function countTimers() {
  const live = new Set();
  const forget = (/** @type {any} */ clear) => (/** @type {any} */ timer) => {
    live.delete(timer);
    clear(timer);
  };
  const { setTimeout: later, setInterval: often } = globalThis;
  globalThis.setTimeout = /** @type {any} */ (
    (/** @type {any} */ run, /** @type {any[]} */ ...rest) => {
      const timer = later(
        (/** @type {any[]} */ ...args) => {
          live.delete(timer);
          run(...args);
        },
        ...rest,
      );
      live.add(timer);
      return timer;
    }
  );
  globalThis.setInterval = /** @type {any} */ (
    (/** @type {any[]} */ ...args) => {
      const timer = Reflect.apply(often, undefined, args);
      live.add(timer);
      return timer;
    }
  );
  globalThis.clearTimeout = forget(globalThis.clearTimeout);
  globalThis.clearInterval = forget(globalThis.clearInterval);
  return () => live.size;
}

async function settled() {
  for (let count = 0; count < 3; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collect();
  }
}

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
async function isobox({ isQuick }) {
  const timers = countTimers();
  const runtime = await openRuntime(newDirectory());
  /** Sends to all of them, waits for all, and gives the heap at its largest. */
  const runAll = async (/** @type {string[]} */ ids) => {
    let most = 0;
    const look = setInterval(() => (most = Math.max(most, heapBytes())), 5);
    for (let first = 0; first < ids.length; first += 1000) {
      const some = ids.slice(first, first + 1000);
      await Promise.all(some.map((id) => runtime.send(id, { content: 'go' })));
      await runtime.idle();
    }
    clearInterval(look);
    return most;
  };
  const make = async (/** @type {number} */ count) =>
    (await createThreads(runtime, count)).map(({ threadId }) => threadId);
  // Brings code and caches that all of them share.
  await runAll(await make(isQuick ? 50 : 500));
  return {
    async measure(/** @type {string} */ caseName) {
      const isActive = caseName === CASES.active;
      const count = isQuick ? 500 : isActive ? 1000 : 10_000;
      await settled();
      const before = heapBytes();
      const ids = await make(count);
      if (isActive) await settled();
      const idle = heapBytes();
      const most = await runAll(ids);
      for (const id of [ids[0], ids.at(-1)]) await expectDone(await runtime.thread(id));
      if (isActive) return [(most - idle) / count];
      await settled();
      if (caseName === CASES.timers) return [timers()];
      return [Math.max(1, (heapBytes() - before) / count)];
    },
  };
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: '10,000 threads at rest after one message each, and 1,000 at work at once: per thread',
  unit: 'each',
  better: 'lower',
  cases: Object.values(CASES),
  rounds: { full: 3, quick: 1 },
  process: 'fresh',
  systems: {
    isobox,
    // Timers of the runtime itself: it looks for work, renews leases, and waits for the next effect.
    allowed: allowed({ [CASES.heap]: 1024, [CASES.timers]: 4 }),
  },
};
