'use strict';

/**
 * Guest source as models write it, made into the body of an async function that returns the result:
 * fences are dropped, the last expression is returned, a lone function is called, types are erased.
 *
 * The code is to be compiled as `(async()=>{` + code + `\n})()`, with a column offset that hides
 * what precedes it. It parses as the body of that function and nothing more: text that would close
 * the function and go on behind it is refused here.
 *
 * @typedef {object} PrepareBodyOptions
 * @property {'javascript' | 'typescript'} [language] Default `typescript`, which takes JavaScript
 *   as well. A fence labelled as TypeScript counts as such under either.
 * @property {string} [filename] Named in errors. Default `<anonymous>`.
 * @property {number} [maxBytes] The largest source accepted, in UTF-8 bytes. Default 1 MiB.
 * @property {number} [timeoutMs] How long the preparation may take. Default 2000.
 * @typedef {import('./prepare-pipeline.js').Prepared & { kind: 'function' }} PreparedBody
 *   `map.original(line, column)` gives the place in the source for one in `code`.
 */

const { prepareSource } = require('./prepare-source.js');
const options = require('./source-options.js');

/**
 * Prepares a body, off the calling thread unless the source is small JavaScript.
 *
 * @param {string} source
 * @param {PrepareBodyOptions} [given]
 * @returns {Promise<PreparedBody>} rejects with a `SourceError` named `SyntaxError`
 */
async function prepareBody(source, given) {
  const { request, limits } = readRequest(given);
  const prepared = await prepareSource(options.readSource(source), request, limits);
  return { ...prepared, kind: 'function' };
}

/** @param {PrepareBodyOptions | undefined} given */
function readRequest(given) {
  const read = options.readOptions(given, {
    language: /** @type {unknown} */ ('typescript'),
    filename: /** @type {unknown} */ ('<anonymous>'),
    maxBytes: /** @type {unknown} */ (options.MAX_BYTES),
    timeoutMs: /** @type {unknown} */ (options.TIMEOUT_MS),
  });
  const { language } = read;
  if (language !== 'javascript' && language !== 'typescript') {
    throw new TypeError("language must be 'javascript' or 'typescript'");
  }
  const filename = options.readFilename(read.filename);
  const request = /** @type {const} */ ({ kind: 'body', filename, language });
  return { request, limits: options.readLimits(read) };
}

module.exports = { prepareBody };
