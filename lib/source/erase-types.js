'use strict';

/**
 * TypeScript without its types. Nothing is checked: source with type errors runs as it would in any
 * runtime that strips types.
 *
 * @typedef {object} EraseTypesOptions
 * @property {string} [filename] Named in errors. Default `<anonymous>`.
 * @property {boolean} [jsx] Whether the source may hold JSX. Default: whether `filename` ends in
 *   `.tsx` or `.jsx`.
 * @property {number} [maxBytes] The largest source accepted, in UTF-8 bytes. Default 1 MiB.
 * @property {number} [timeoutMs] How long erasing may take. Default 2000.
 * @typedef {import('./prepare-pipeline.js').Prepared} Erased
 *   `map.original(line, column)` gives the place in the source for one in `code`.
 */

const { prepareSource, prepareSourceAtOnce } = require('./prepare-source.js');
const options = require('./source-options.js');

/**
 * Erases types, off the calling thread unless the source is small and JavaScript already.
 *
 * @param {string} source
 * @param {EraseTypesOptions} [given]
 * @returns {Promise<Erased>} rejects with a `SourceError` named `TypeScriptTranspileError`
 */
async function eraseTypes(source, given) {
  const { request, limits } = readRequest(given);
  return prepareSource(options.readSource(source), request, limits);
}

/**
 * Gives what is known already, or needs no engine: for callers that would rather not wait a turn.
 *
 * @param {string} source
 * @param {EraseTypesOptions} [given]
 * @returns {Erased | null} null where only `eraseTypes` can tell
 * @throws {import('./source-error').SourceError} named `TypeScriptTranspileError`
 */
function eraseTypesAtOnce(source, given) {
  const { request, limits } = readRequest(given);
  return prepareSourceAtOnce(options.readSource(source), request, limits);
}

/** @param {EraseTypesOptions | undefined} given */
function readRequest(given) {
  const read = options.readOptions(given, {
    filename: /** @type {unknown} */ ('<anonymous>'),
    jsx: /** @type {unknown} */ (undefined),
    maxBytes: /** @type {unknown} */ (options.MAX_BYTES),
    timeoutMs: /** @type {unknown} */ (options.TIMEOUT_MS),
  });
  const filename = options.readFilename(read.filename);
  const { jsx = /\.[jt]sx$/i.test(filename) } = read;
  if (typeof jsx !== 'boolean') throw new TypeError('jsx must be a boolean');
  const request = /** @type {const} */ ({ kind: 'module', filename, jsx });
  return { request, limits: options.readLimits(read) };
}

module.exports = { eraseTypes, eraseTypesAtOnce };
