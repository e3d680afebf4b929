'use strict';
// A worker with resource limits and, inside it, a context of node:vm without code generation: what Node itself offers.

const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const vm = require('node:vm');

/** @type {import('./subject.js').Runner} */
function run(source, { wallMs, memoryMiB }, host) {
  return new Promise((resolve) => {
    const worker = new Worker(__filename, {
      workerData: { source, names: Object.keys(host) },
      resourceLimits: { maxOldGenerationSizeMb: memoryMiB },
      env: {},
      stdout: true,
      stderr: true,
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      void worker.terminate();
    }, wallMs);
    /** @type {import('./subject.js').Ending | undefined} */
    let ending;
    worker.on('message', async (message) => {
      if (message.ending !== undefined) {
        ending ??= message.ending;
        void worker.terminate();
        return;
      }
      const { id, name, input } = message;
      try {
        worker.postMessage({ id, value: await host[name](input) });
      } catch (error) {
        const { name: kind, message: text, code } = /** @type {any} */ (error);
        worker.postMessage({ id, error: { name: kind, message: text, code } });
      }
    });
    worker.on('error', (error) => {
      const code = /** @type {any} */ (error).code;
      ending ??= {
        end: code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'stopped' : 'error',
        text: String(error?.message ?? error),
      };
    });
    worker.on('exit', () => {
      clearTimeout(timer);
      resolve(ending ?? { end: 'stopped', text: isLate ? 'the deadline' : 'the worker ended' });
    });
  });
}

async function serve() {
  const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
  const waiting = new Map();
  let count = 0;
  port.on('message', ({ id, value, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(value);
    else reject(Object.assign(new Error(error.message), error));
  });
  const host = Object.fromEntries(
    workerData.names.map((/** @type {string} */ name) => [
      name,
      (/** @type {unknown} */ input) =>
        new Promise((resolve, reject) => {
          waiting.set(++count, { resolve, reject });
          port.postMessage({ id: count, name, input });
        }),
    ]),
  );
  const context = vm.createContext(
    { host, console },
    { codeGeneration: { strings: false, wasm: false } },
  );
  try {
    const value = await vm.runInContext(`(async () => {${workerData.source}\n})()`, context);
    port.postMessage({ ending: { end: 'value', value } });
  } catch (error) {
    port.postMessage({
      ending: { end: 'error', text: String(/** @type {any} */ (error)?.message) },
    });
  }
}

if (!isMainThread && workerData?.names !== undefined) void serve();

module.exports = { run };
