'use strict';
// A worker thread as a shell.

const path = require('node:path');
const { Worker } = require('node:worker_threads');

const { Shell } = require('./shell.js');

const ENTRY = path.join(__dirname, 'shell-worker.js');

function createWorkerShell() {
  const worker = new Worker(ENTRY, { env: {}, execArgv: [], argv: [], stdin: false });
  const shell = new Shell({
    send: (message) => worker.postMessage(message),
    hold: () => worker.ref(),
    unhold: () => worker.unref(),
    kill: () => void worker.terminate(),
  });
  let failure = '';
  worker.on('message', (message) => shell.receive(message));
  worker.on('error', (error) => {
    failure = `: ${error?.message}`;
  });
  worker.on('exit', (code) =>
    shell.end({ code, message: `The worker ended (exit code ${code})${failure}` }),
  );
  return { shell, ready: shell.ready };
}

module.exports = { createWorkerShell };
