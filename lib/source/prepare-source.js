'use strict';

/**
 * A guest's source made ready for V8, within bounds and remembered by content: a module without its
 * types, or what models write as the body of an async function. Small JavaScript is done at once,
 * everything else on a thread that is ended when it takes too long: the loop never waits for a
 * parser of TypeScript, all of which take exponential time for some short texts.
 *
 * @typedef {{ kind: 'module', filename: string, jsx: boolean }
 *   | { kind: 'body', filename: string, language: import('./body-pipeline.js').Language }
 * } PrepareRequest
 * @typedef {{ maxBytes: number, timeoutMs: number }} Limits
 * @typedef {{ code: string, map: import('./position-map.js').PositionMap }} Prepared
 *   `map.original(line, column)` gives the place in the source for one in `code`.
 * @typedef {{ code: string | null, map: import('./position-map.js').PositionMap, error: null }
 *   | { code: null, map: null, error: import('./source-error.js').SourceErrorData }} Outcome
 *   A null `code` stands for the source itself.
 *
 * @typedef {object} PrepareOptions
 * @property {string} [filename] Named in errors. Default `<anonymous>`.
 * @property {number} [maxBytes] The largest source accepted, in UTF-8 bytes. Default 1 MiB.
 * @property {number} [timeoutMs] How long the preparation may take. Default 2000.
 * @typedef {PrepareOptions & { jsx?: boolean }} EraseTypesOptions
 *   `jsx`: whether the source may hold JSX. Default: whether `filename` ends in `.tsx` or `.jsx`.
 * @typedef {PrepareOptions & { language?: import('./body-pipeline.js').Language }} PrepareBodyOptions
 *   `language`: default `typescript`, which takes JavaScript as well. A fence labelled as TypeScript
 *   counts as such under either.
 */

const {
  checkBoolean,
  checkChoice,
  checkNumber,
  checkRecord,
  checkString,
} = require('../checks/options.js');
const { makeJavaScriptBody } = require('./body-pipeline.js');
const { ByteLru, contentKey } = require('./byte-lru.js');
const { eraseJavaScript } = require('./erase-pipeline.js');
const { positionMapFromJSON } = require('./position-map.js');
const { SourceError, errorNameFor } = require('./source-error.js');
const { SourceWorkers } = require('./source-workers.js');

/** Up to this many characters, the JavaScript parser cannot hold up the loop for long. */
const MAX_INLINE_CHARS = 8192;
const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 2000;
const CACHE_BYTES = 16 * 1024 * 1024;
const ENTRY_BYTES = 512;
/** Outcomes that say something about the source, not about the moment. */
const LASTING_CODES = ['ERR_SOURCE_SYNTAX', 'ERR_SOURCE_TOO_COMPLEX'];

const cache = /** @type {InstanceType<typeof ByteLru<Outcome>>} */ (new ByteLru(CACHE_BYTES));
/** @type {Map<string, Promise<Outcome>>} */
const inFlight = new Map();
const workers = new SourceWorkers({ maxThreads: 2, idleTimeoutMs: 60_000 });

/**
 * TypeScript without its types, off the calling thread unless the source is small and JavaScript
 * already. Nothing is checked: source with type errors runs as it would in any runtime that strips
 * types.
 *
 * @param {string} source
 * @param {EraseTypesOptions} [options]
 * @returns {Promise<Prepared>} rejects with a `SourceError` named `TypeScriptTranspileError`
 */
async function eraseTypes(source, options) {
  return prepare(checkString(source, 'source'), ...readModuleOptions(options));
}

/**
 * Gives what is known already, or needs no engine: for callers that would rather not wait a turn.
 *
 * @param {string} source
 * @param {EraseTypesOptions} [options]
 * @returns {Prepared | null} null where only `eraseTypes` can tell
 * @throws {SourceError} named `TypeScriptTranspileError`
 */
function eraseTypesAtOnce(source, options) {
  const [request, limits] = readModuleOptions(options);
  const outcome = lookUp(checkString(source, 'source'), request, limits);
  return outcome === null ? null : reveal(source, request, outcome);
}

/**
 * Guest source as models write it, made into the body of an async function that returns the result:
 * fences are dropped, the last expression is returned, a lone function is called, types are erased.
 *
 * The code is to be compiled as `(async()=>{` + code + `\n})()`, with a column offset that hides
 * what precedes it. It parses as the body of that function and nothing more: text that would close
 * the function and go on behind it is refused here.
 *
 * @param {string} source
 * @param {PrepareBodyOptions} [options]
 * @returns {Promise<Prepared>} rejects with a `SourceError` named `SyntaxError`
 */
async function prepareBody(source, options) {
  const given = checkRecord(options, 'options', ['language', 'filename', 'maxBytes', 'timeoutMs']);
  const { language = 'typescript' } = given;
  const request = /** @type {const} */ ({
    kind: 'body',
    filename: readFilename(given),
    language: checkChoice(language, 'options.language', ['javascript', 'typescript']),
  });
  return prepare(checkString(source, 'source'), request, readLimits(given));
}

/**
 * @param {EraseTypesOptions | undefined} options
 * @returns {[PrepareRequest, Limits]}
 */
function readModuleOptions(options) {
  const given = checkRecord(options, 'options', ['filename', 'jsx', 'maxBytes', 'timeoutMs']);
  const filename = readFilename(given);
  const { jsx = /\.[jt]sx$/i.test(filename) } = given;
  return [{ kind: 'module', filename, jsx: checkBoolean(jsx, 'options.jsx') }, readLimits(given)];
}

/** @param {Record<string, any>} options */
function readFilename({ filename = '<anonymous>' }) {
  return checkString(filename, 'options.filename');
}

/**
 * @param {Record<string, any>} options
 * @returns {Limits}
 */
function readLimits({ maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS }) {
  const range = { min: 1, max: Number.MAX_SAFE_INTEGER };
  return {
    maxBytes: checkNumber(maxBytes, 'options.maxBytes', range),
    timeoutMs: checkNumber(timeoutMs, 'options.timeoutMs', range),
  };
}

/**
 * @param {string} source
 * @param {PrepareRequest} request
 * @param {Limits} limits
 * @returns {Promise<Prepared>} rejects with a `SourceError`
 */
async function prepare(source, request, limits) {
  const outcome =
    lookUp(source, request, limits) ?? (await prepareOnThread(source, request, limits));
  return reveal(source, request, outcome);
}

/**
 * What needs no thread: sources that were prepared before, and small JavaScript.
 *
 * @param {string} source
 * @param {PrepareRequest} request
 * @param {Limits} limits
 * @returns {Outcome | null}
 * @throws {SourceError} for a source that is too large
 */
function lookUp(source, request, limits) {
  refuseLarge(source, request, limits);
  const key = keyOf(source, request);
  return cache.get(key) ?? remember(key, tryInline(source, request));
}

/**
 * @param {string} source
 * @param {PrepareRequest} request
 * @returns {Outcome | null}
 */
function tryInline(source, request) {
  if (source.length > MAX_INLINE_CHARS) return null;
  try {
    const prepared =
      request.kind === 'body'
        ? makeJavaScriptBody(source, request)
        : eraseJavaScript(source, { goal: 'module' });
    if (prepared === null) return null;
    const { code, map } = prepared;
    return { code: code === source ? null : code, map, error: null };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    // A thread has a larger stack.
    if (error.code === 'ERR_SOURCE_TOO_COMPLEX') return null;
    return { code: null, map: null, error: error.toJSON() };
  }
}

/**
 * The same source asked for again while a thread works on it waits for that one answer.
 *
 * @param {string} source
 * @param {PrepareRequest} request
 * @param {Limits} limits
 * @returns {Promise<Outcome>}
 */
function prepareOnThread(source, request, { timeoutMs }) {
  const key = keyOf(source, request);
  const flight = `${key} ${timeoutMs}`;
  let outcome = inFlight.get(flight);
  if (outcome === undefined) {
    outcome = workers.prepare(source, request, timeoutMs).then((reply) => {
      inFlight.delete(flight);
      return remember(key, readReply(reply));
    });
    inFlight.set(flight, outcome);
  }
  return outcome;
}

/**
 * @param {import('./source-workers.js').WorkerReply} reply
 * @returns {Outcome}
 */
function readReply({ code, map, error }) {
  if (error !== null) return { code: null, map: null, error };
  return { code, map: positionMapFromJSON(map), error };
}

/**
 * @param {string} source
 * @param {PrepareRequest} request
 */
function keyOf(source, request) {
  const variant = request.kind === 'module' ? `jsx ${request.jsx}` : request.language;
  return contentKey(`${request.kind} ${variant}`, source);
}

/**
 * @template {Outcome | null} T
 * @param {string} key
 * @param {T} outcome
 * @returns {T}
 */
function remember(key, outcome) {
  if (outcome === null) return outcome;
  if (outcome.error !== null && !LASTING_CODES.includes(outcome.error.code)) return outcome;
  const map = outcome.map?.toJSON();
  const mapChars = map === undefined || map.kind === 'identity' ? 0 : JSON.stringify(map).length;
  cache.set(key, outcome, ENTRY_BYTES + 2 * ((outcome.code?.length ?? 0) + mapChars));
  return outcome;
}

/**
 * @param {string} source
 * @param {PrepareRequest} request
 * @param {Outcome} outcome
 * @returns {Prepared}
 */
function reveal(source, { filename }, { code, map, error }) {
  if (error !== null) throw new SourceError({ ...error, filename });
  return { code: code ?? source, map };
}

/**
 * @param {string} source
 * @param {PrepareRequest} request
 * @param {Limits} limits
 */
function refuseLarge(source, { kind, filename }, { maxBytes }) {
  // Each UTF-16 unit takes one to three bytes: most sources need not be counted.
  if (source.length * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(source);
  if (bytes <= maxBytes) return;
  throw new SourceError({
    name: errorNameFor(kind),
    code: 'ERR_SOURCE_TOO_LARGE',
    reason: `The source has ${bytes} bytes, more than the ${maxBytes} that maxBytes allows`,
    filename,
  });
}

module.exports = { eraseTypes, eraseTypesAtOnce, prepareBody, workers };
