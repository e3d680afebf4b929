'use strict';

/** Everything about a guest's source before V8 sees it. The other files here are internal. */

const { eraseTypes, eraseTypesAtOnce } = require('./erase-types.js');
const { stripFences } = require('./fences.js');
const { prepareBody } = require('./guest-body.js');
const { workers } = require('./prepare-source.js');
const { SourceError } = require('./source-error.js');

/**
 * Starts the thread that erases types, so that the first TypeScript source need not wait for it.
 */
function warmSourceWorkers() {
  workers.warm();
}

/** Ends the threads that erase types; they start again when they are needed. */
function closeSourceWorkers() {
  return workers.close();
}

module.exports = {
  eraseTypes,
  eraseTypesAtOnce,
  prepareBody,
  stripFences,
  SourceError,
  warmSourceWorkers,
  closeSourceWorkers,
};
