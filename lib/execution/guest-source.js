'use strict';
// Guest source as models write it, made ready for the pool.

const { codeFrame } = require('../hints/code-frame.js');
const { hintForSource } = require('../hints/hints.js');
const { prepareBody } = require('../source/index.js');
const { TIMEOUT_MESSAGE } = require('./failures.js');

/** @typedef {import('../../types/execbox.js').ExecuteErrorCode} ExecuteErrorCode */

/**
 * What source that cannot run is to callers. All the rest is the guest's own fault: a `runtime_error`.
 *
 * @type {Readonly<Record<string, ExecuteErrorCode>>}
 */
const CODES = Object.freeze({ ERR_SOURCE_TIMEOUT: 'timeout', ERR_SOURCE_ENGINE: 'internal_error' });

/**
 * @typedef {{ ok: true, request: { source: string, kind: 'function' },
 *   locate: (line: number, column: number) => { line: number, column: number } }} Prepared
 * @typedef {{ ok: false, code: ExecuteErrorCode, message: string,
 *   details: Omit<import('../../types/execbox.js').ExecuteError, 'code' | 'message'> }} Refused
 */

/**
 * Bounded by two seconds of its own, most of which only the first TypeScript of a process comes near.
 *
 * @param {string} code
 * @param {Record<string, Record<string, unknown>>} namespaces for hints
 * @returns {Promise<Prepared | Refused>}
 */
async function prepareGuest(code, namespaces) {
  try {
    const { code: source, map } = await prepareBody(code);
    return {
      ok: true,
      request: { source, kind: 'function' },
      locate: (line, column) => map.original(line, column),
    };
  } catch (thrown) {
    const error = /** @type {Error & { code?: string, line?: number, column?: number }} */ (thrown);
    const failure = CODES[error.code ?? ''] ?? 'runtime_error';
    const message = failure === 'timeout' ? TIMEOUT_MESSAGE : describe(error);
    const details = failure === 'runtime_error' ? detailsOf(error, code, namespaces) : {};
    return { ok: false, code: failure, message, details };
  }
}

/**
 * @param {{ name: string, message: string, line?: number, column?: number }} error
 * @returns {string} with the place in the caller's text
 */
function describe({ name, message, line, column }) {
  const place = line === undefined ? '' : ` (${line}:${column ?? 1})`;
  return `${name}: ${message}${place}`;
}

/**
 * @param {{ name: string, message: string, line?: number, column?: number }} error
 * @param {string} source
 * @param {Record<string, Record<string, unknown>>} namespaces
 */
function detailsOf({ name, message, line, column = 1 }, source, namespaces) {
  const functions = Object.entries(namespaces).map(
    ([space, members]) => /** @type {const} */ ([space, Object.keys(members)]),
  );
  const hint = hintForSource(name, message, { source, namespaces: new Map(functions) });
  const frame = line === undefined ? undefined : codeFrame(source, line, column);
  return {
    name,
    ...(line !== undefined && { line, column }),
    ...(frame && { frame }),
    ...(hint && { hint }),
  };
}

module.exports = { prepareGuest };
