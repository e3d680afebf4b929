'use strict';

/**
 * Sources prepared within bounds and remembered by content. Small JavaScript is done at once,
 * everything else on a thread that is ended when it takes too long: the loop never waits for a
 * parser of TypeScript, all of which take exponential time for some short texts.
 *
 * @typedef {import('./prepare-pipeline.js').PrepareRequest} PrepareRequest
 * @typedef {import('./prepare-pipeline.js').Prepared} Prepared
 * @typedef {{ maxBytes: number, timeoutMs: number }} Limits
 * @typedef {{ code: string | null, map: import('./position-map.js').PositionMap, error: null }
 *   | { code: null, map: null, error: import('./source-error.js').SourceErrorData }} Outcome
 *   A null `code` stands for the source itself.
 */

const { ByteLru, contentKey } = require('./byte-lru.js');
const { positionMapFromJSON } = require('./position-map.js');
const { prepareJavaScript } = require('./prepare-pipeline.js');
const { SourceError } = require('./source-error.js');
const { SourceWorkers } = require('./source-workers.js');

/** Up to this many characters, the JavaScript parser cannot hold up the loop for long. */
const MAX_INLINE_CHARS = 8192;
const CACHE_BYTES = 16 * 1024 * 1024;
const ENTRY_BYTES = 512;
/** Outcomes that say something about the source, not about the moment. */
const LASTING_CODES = ['ERR_SOURCE_SYNTAX', 'ERR_SOURCE_TOO_COMPLEX'];

const cache = /** @type {InstanceType<typeof ByteLru<Outcome>>} */ (new ByteLru(CACHE_BYTES));
/** @type {Map<string, Promise<Outcome>>} */
const inFlight = new Map();
const workers = new SourceWorkers({ maxThreads: 2, idleTimeoutMs: 60_000 });

/**
 * @param {string} source
 * @param {PrepareRequest} request
 * @param {Limits} limits
 * @returns {Promise<Prepared>} rejects with a `SourceError`
 */
async function prepareSource(source, request, limits) {
  refuseLarge(source, request, limits);
  const key = keyOf(source, request);
  const outcome =
    cache.get(key) ??
    remember(key, tryInline(source, request)) ??
    (await prepareOnThread(key, source, request, limits));
  return reveal(source, request, outcome);
}

/**
 * What needs no thread: sources that were prepared before, and small JavaScript.
 *
 * @param {string} source
 * @param {PrepareRequest} request
 * @param {Limits} limits
 * @returns {Prepared | null} null for what `prepareSource` has to be asked for
 * @throws {SourceError}
 */
function prepareSourceAtOnce(source, request, limits) {
  refuseLarge(source, request, limits);
  const key = keyOf(source, request);
  const outcome = cache.get(key) ?? remember(key, tryInline(source, request));
  return outcome === null ? null : reveal(source, request, outcome);
}

/**
 * @param {string} source
 * @param {PrepareRequest} request
 * @returns {Outcome | null}
 */
function tryInline(source, request) {
  if (source.length > MAX_INLINE_CHARS) return null;
  const outcome = attempt(source, () => prepareJavaScript(source, request));
  // A thread has a larger stack.
  return outcome?.error?.code === 'ERR_SOURCE_TOO_COMPLEX' ? null : outcome;
}

/**
 * The same source asked for again while a thread works on it waits for that one answer.
 *
 * @param {string} key
 * @param {string} source
 * @param {PrepareRequest} request
 * @param {Limits} limits
 * @returns {Promise<Outcome>}
 */
function prepareOnThread(key, source, request, { timeoutMs }) {
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
 * @param {() => Prepared | null} action
 * @returns {Outcome | null}
 */
function attempt(source, action) {
  try {
    const prepared = action();
    if (prepared === null) return null;
    const { code, map } = prepared;
    return { code: code === source ? null : code, map, error: null };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { code: null, map: null, error: error.toJSON() };
  }
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
function refuseLarge(source, request, { maxBytes }) {
  // Each UTF-16 unit takes one to three bytes: most sources need not be counted.
  if (source.length * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(source);
  if (bytes <= maxBytes) return;
  const reason = `The source has ${bytes} bytes, more than the ${maxBytes} that maxBytes allows`;
  throw new SourceError(
    /** @type {any} */ (failure(request, 'ERR_SOURCE_TOO_LARGE', reason).error),
  );
}

/**
 * @param {PrepareRequest} request
 * @param {import('./source-error.js').SourceErrorCode} code
 * @param {string} reason
 * @returns {Outcome}
 */
function failure({ kind, filename }, code, reason) {
  const name = kind === 'module' ? 'TypeScriptTranspileError' : 'SyntaxError';
  return { code: null, map: null, error: { name, code, reason, filename } };
}

module.exports = { prepareSource, prepareSourceAtOnce, cache, workers };
