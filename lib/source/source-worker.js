'use strict';

/**
 * The thread that prepares sources for `SourceWorkers`. It answers each message with exactly one,
 * and may be ended at any moment.
 */

const { parentPort, workerData } = require('node:worker_threads');

const { makeBody } = require('./body-pipeline.js');
const { setMaxDepth } = require('./bounded-parser.js');
const { erase } = require('./erase-pipeline.js');
const { SourceError } = require('./source-error.js');

/**
 * @param {string} source
 * @param {import('./prepare-source.js').PrepareRequest} request
 * @returns {import('./source-workers.js').WorkerReply}
 */
function reply(source, request) {
  try {
    const { code, map } =
      request.kind === 'body'
        ? makeBody(source, request)
        : erase(source, { ...request, goal: 'module' });
    return { code: code === source ? null : code, map: map.toJSON(), error: null };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { code: null, map: null, error: error.toJSON() };
  }
}

setMaxDepth(workerData.maxDepth);
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
// Loads the engine before the first deadline runs.
reply('let ready: boolean', { kind: 'module', filename: '', jsx: false });
port.on('message', ({ source, request }) => port.postMessage(reply(source, request)));
port.postMessage('ready');
