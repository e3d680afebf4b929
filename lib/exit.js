'use strict';
// Sees to it that no thread of ours is inside V8 when Node takes it down, however the process or Worker ends.

const { isMainThread } = require('node:worker_threads');

const { native } = require('./native.js');

let isWatching = false;

function onExit(/** @type {number} */ code) {
  native.prepareExit(Number(process.exitCode ?? code));
}

// Listeners that come later may still change the exit code, so ours moves behind them.
function stayLast(/** @type {string | symbol} */ event, /** @type {Function} */ listener) {
  if (event !== 'exit' || listener === onExit) return;
  process.nextTick(() => {
    process.removeListener('exit', onExit);
    process.on('exit', onExit);
  });
}

/** Once per load of the library; called when the first pool is made. */
function watchExit() {
  if (isWatching) return;
  isWatching = true;
  process.on('exit', onExit);
  process.on('newListener', stayLast);
  // process.exit() inside an 'exit' listener runs no further listeners; this is where all of its calls come through.
  const host = /** @type {{ reallyExit(code: number): never }} */ (/** @type {unknown} */ (process));
  const { reallyExit } = host;
  host.reallyExit = (code) => {
    native.prepareExit(Number(code ?? 0));
    return Reflect.apply(reallyExit, process, [code]);
  };
  if (isMainThread) native.watchExit();
}

module.exports = { watchExit };
