'use strict';

/**
 * One source prepared, with neither cache nor bounds. Runs on the loop thread and on workers alike.
 *
 * @typedef {{ kind: 'module', filename: string, jsx: boolean }
 *   | { kind: 'body', filename: string, language: import('./body-pipeline.js').Language }
 * } PrepareRequest
 * @typedef {{ code: string, map: import('./position-map.js').PositionMap }} Prepared
 */

const { makeBody, makeJavaScriptBody } = require('./body-pipeline.js');
const { erase, eraseJavaScript } = require('./erase-pipeline.js');

/**
 * @param {string} source
 * @param {PrepareRequest} request
 * @returns {Prepared}
 * @throws {import('./source-error.js').SourceError}
 */
function prepare(source, request) {
  if (request.kind === 'body') return makeBody(source, request);
  return erase(source, { ...request, goal: 'module' });
}

/**
 * What can be done without the TypeScript engine, whose time hostile source can make exponential.
 *
 * @param {string} source
 * @param {PrepareRequest} request
 * @returns {Prepared | null} null when it takes the engine
 * @throws {import('./source-error.js').SourceError}
 */
function prepareJavaScript(source, request) {
  if (request.kind === 'body') return makeJavaScriptBody(source, request);
  return eraseJavaScript(source, { goal: 'module' });
}

module.exports = { prepare, prepareJavaScript };
