'use strict';
// Sees to it that no thread of ours is inside V8 when Node takes it down, however the process or Worker ends.

const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

const { loadInMainThread } = require('./main-thread.js');
const { native } = require('./native.js');

/**
 * What to do before the process ends. One set per process, whatever number of copies of the library is loaded.
 *
 * @typedef {Set<(code: number) => void>} Preparations
 */

const SHARED = Symbol.for('isobox.exit');

/** @type {NodeJS.Process & { [SHARED]?: Preparations, reallyExit?: (code?: number) => never }} */
const host = native.hostProcess;

/** @returns {Preparations} */
function installOnce() {
  /** @type {Preparations} */
  const preparations = new Set();
  const prepare = (/** @type {number} */ code) => {
    for (const one of preparations) one(code);
  };
  const onExit = (/** @type {number} */ code) => prepare(Number(host.exitCode ?? code));
  host.on('exit', onExit);
  // Listeners that come later may still change the exit code, so ours moves behind them.
  host.on('newListener', (event, listener) => {
    if (event !== 'exit' || listener === onExit) return;
    host.nextTick(() => {
      host.removeListener('exit', onExit);
      host.on('exit', onExit);
    });
  });
  // process.exit() inside an 'exit' listener runs no further listeners; this is where all its calls come through.
  const { reallyExit } = host;
  if (reallyExit !== undefined) {
    host.reallyExit = (code) => {
      prepare(Number(code ?? 0));
      return Reflect.apply(reallyExit, host, [code]);
    };
  }
  return preparations;
}

// At load, not with the first pool: a Worker's pool may leave a thread behind that the main thread has to know of.
host[SHARED] ??= installOnce();
host[SHARED].add((code) => native.prepareExit(code, isMainThread));
// In a bundle this file is the program, not to be started again.
if (!native.watchExit(isMainThread) && path.basename(__filename) === 'exit.js') {
  loadInMainThread(__filename, {
    message:
      'A Worker uses isobox and the main thread does not. If a guest cannot be stopped, the process may crash when it ends. ' +
      "Load isobox in the main thread too: require('isobox').",
    code: 'ISOBOX_MAIN_THREAD',
  });
}
