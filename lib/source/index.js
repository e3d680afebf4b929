'use strict';

/** Everything about a guest's source before V8 sees it. The other files here are internal. */

const { makeJavaScriptBody } = require('./body-pipeline.js');
const { erase } = require('./erase-pipeline.js');
const { eraseTypes, eraseTypesAtOnce, prepareBody, workers } = require('./prepare-source.js');
const { SourceError } = require('./source-error.js');

/** Ends the threads that erase types; they start again when they are needed. */
function closeSourceWorkers() {
  return workers.close();
}

/**
 * Types erased at once, on the calling thread and without bounds: for modules of the host's own.
 *
 * @param {string} source
 * @param {{ filename: string }} options
 * @returns {{ code: string }}
 * @throws {SourceError}
 */
function eraseTrusted(source, { filename }) {
  return erase(source, { filename, jsx: false, goal: 'module' });
}

module.exports = {
  SourceError,
  closeSourceWorkers,
  eraseTrusted,
  eraseTypes,
  eraseTypesAtOnce,
  makeJavaScriptBody,
  prepareBody,
};
