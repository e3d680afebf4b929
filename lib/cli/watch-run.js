'use strict';
// `isobox run --watch`: a file runs again whenever it or a file of its tools has changed, in a process of its own.

const { spawn } = require('node:child_process');
const { EventEmitter, once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');

const { EXIT } = require('./exit-codes.js');
const { toolFiles } = require('./load-tools.js');

/** Editors replace files in many ways; looking at them finds every one. */
const LOOK_EVERY_MS = 100;

/** @typedef {{ tool?: string[], timeout: number, memory: number, host: 'thread' | 'process', json?: boolean }} RunOptions */

/**
 * @param {string} file
 * @param {RunOptions} options of `isobox run`
 * @returns {Promise<number>} the exit code, when a signal ends it
 */
async function watchRun(file, options) {
  const files = [path.resolve(file), ...toolFiles(options.tool ?? [])];
  const args = argumentsOf(file, options);
  const stop = new AbortController();
  const changes = new EventEmitter();
  const tell = () => changes.emit('change');
  for (const one of files) fs.watchFile(one, { interval: LOOK_EVERY_MS }, tell);
  const onSignal = (/** @type {'SIGINT' | 'SIGTERM'} */ name) => {
    stop.abort(name === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
    tell();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  while (!stop.signal.aborted) {
    const changed = once(changes, 'change');
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    const ended = once(child, 'close');
    if ((await Promise.race([ended, changed.then(() => 'changed')])) !== 'changed') {
      console.error(`isobox run: waits for changes of ${file}`);
      await changed;
    }
    child.kill();
    await ended;
  }
  for (const one of files) fs.unwatchFile(one);
  process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  return stop.signal.reason;
}

/**
 * @param {string} file
 * @param {RunOptions} options
 */
function argumentsOf(file, { tool = [], timeout, memory, host, json = false }) {
  return [
    path.join(__dirname, '..', '..', 'bin', 'isobox.js'),
    ...['run', '--timeout', String(timeout), '--memory', String(memory), '--host', host],
    ...tool.flatMap((one) => ['--tool', one]),
    ...(json ? ['--json'] : []),
    ...['--', file],
  ];
}

module.exports = { watchRun };
