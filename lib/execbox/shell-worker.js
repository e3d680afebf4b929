'use strict';
// Entry of worker shells.

const { parentPort } = require('node:worker_threads');

const { serveShell } = require('./shell-runner.js');

const host = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

void serveShell({
  onMessage: (handler) => void host.on('message', handler),
  send: (message) => host.postMessage(message),
});
