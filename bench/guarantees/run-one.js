'use strict';
// One guest on one system, with a deadline and a memory limit as that system offers them, and a timer of the host that
// answers the caller where it can. Started by index.js; prints what happened as JSON.

const { loadRival } = require('../rivals/load.js');
const { MEMORY_MIB, PROGRAMS } = require('./programs.js');

const [system, programName] = process.argv.slice(2);
const { source, deadlineMs } = PROGRAMS[programName];

/** @type {Record<string, () => Promise<unknown>>} */
const systems = {
  async isobox() {
    const { IsolatePool } = require('../../lib/index.js');
    const limits = { wallMs: deadlineMs, memoryBytes: MEMORY_MIB * 2 ** 20 };
    const outcome = await new IsolatePool().run({ kind: 'script', source, limits });
    return outcome.ok ? outcome.value : outcome.cause;
  },
  async 'isolated-vm'() {
    const ivm = loadRival('isolated-vm');
    const isolate = new ivm.Isolate({ memoryLimit: MEMORY_MIB });
    const context = await isolate.createContext();
    return context.eval(source, { timeout: deadlineMs });
  },
  async 'quickjs-emscripten'() {
    const { getQuickJS, shouldInterruptAfterDeadline } = loadRival('quickjs-emscripten');
    const runtime = (await getQuickJS()).newRuntime();
    runtime.setMemoryLimit(MEMORY_MIB * 2 ** 20);
    runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + deadlineMs));
    const vm = runtime.newContext();
    const result = vm.evalCode(source);
    if (result.error) throw new Error(vm.dump(result.error).message);
    return vm.dump(result.value);
  },
  worker_threads() {
    const { Worker } = require('node:worker_threads');
    const program = `
      const value = require('node:vm').runInNewContext(${JSON.stringify(source)});
      require('node:worker_threads').parentPort.postMessage(value);`;
    const worker = new Worker(program, {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB, maxYoungGenerationSizeMb: 16 },
    });
    setTimeout(() => worker.terminate(), deadlineMs);
    return new Promise((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
    });
  },
  async 'node:vm'() {
    return require('node:vm').runInNewContext(source, {}, { timeout: deadlineMs });
  },
};

const start = performance.now();
const startMiB = process.memoryUsage.rss() / 2 ** 20;
let last = start;
let heldUpMs = 0;
const tick = () => {
  const now = performance.now();
  heldUpMs = Math.max(heldUpMs, now - last);
  last = now;
};
setInterval(tick, 5);

/** @param {unknown} answer */
function finish(answer) {
  tick();
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  const ms = last - start;
  console.log(
    JSON.stringify({ answer: String(answer), ms, heldUpMs, grownMiB: peakMiB - startMiB }),
  );
  // Guests may still run: nothing but a kill ends every one of these.
  process.kill(process.pid, 'SIGKILL');
}

setTimeout(() => finish('the host’s timer'), deadlineMs + 100);
systems[system]().then(finish, (error) => finish(error.message));
