'use strict';
// A tool in an isolate of its own, used once.

const { Failure } = require('../base/failures.js');
const { readAnswer, readOutput } = require('./answer.js');

/** @typedef {import('../guest/driver.js').Ask} Ask */
/**
 * @typedef {object} Told what is heard of a tool before it ends
 * @property {(value: unknown) => void} output
 * @property {(entry: { level: string, text: string }) => void} log
 */
/**
 * @typedef {object} RunLimits
 * @property {number} executionTimeoutMs
 * @property {number} memoryBytes
 * @property {number} maxOutputBytes
 * @property {boolean} allowPrivateAddresses
 */

/**
 * The request for a tool: the one place that says what guests find around them.
 *
 * @param {string} code
 * @param {Ask} ask
 * @param {(text: unknown) => void} emit
 * @param {boolean} allowPrivate whether `fetch` may go to addresses that are not public
 * @returns {import('../../../types/index.js').RunRequest}
 */
function guestRequest(code, ask, emit, allowPrivate) {
  return {
    source: code,
    kind: 'module',
    filename: 'tool.js',
    values: 'clone',
    module: { imports: { 'isobox:request': { ask, emit } } },
    web: { node: true, env: ask.env, fetch: { origins: ['*'], allowPrivate } },
    intrinsics: { codeGeneration: true },
  };
}

/**
 * @param {InstanceType<typeof import('../../pool.js').IsolatePool>} pool
 * @param {string} code
 * @param {Ask} ask
 * @param {{ limits: RunLimits, signal: AbortSignal, told?: Told }} how
 * @returns {Promise<{ text: string, value: unknown }>}
 */
async function runInIsolate(pool, code, ask, { limits, signal, told }) {
  const { executionTimeoutMs, memoryBytes, maxOutputBytes } = limits;
  const emit = (/** @type {unknown} */ text) =>
    told?.output(readOutput(text, maxOutputBytes).value);
  const outcome = await pool.run({
    ...guestRequest(code, ask, emit, limits.allowPrivateAddresses),
    limits: {
      wallMs: executionTimeoutMs,
      memoryBytes,
      resultBytes: maxOutputBytes * 2,
      valueBytes: maxOutputBytes * 2,
      callBytes: maxOutputBytes * 4,
      logChars: 2 ** 20,
    },
    signal,
    ...(told && {
      onLog: ({ level, text }) => told.log({ level, text: text ?? '' }),
    }),
  });
  if (outcome.ok) return readAnswer(outcome.value, maxOutputBytes);
  signal.throwIfAborted();
  throw failureOf(outcome, limits);
}

/**
 * @param {Extract<import('../../../types/index.js').RunOutcome, { ok: false }>} outcome
 * @param {RunLimits} limits
 */
function failureOf({ cause, error }, { executionTimeoutMs, memoryBytes, maxOutputBytes }) {
  switch (cause) {
    case 'deadline':
    case 'cpu':
      return new Failure('timeout', `The tool took more than ${executionTimeoutMs} ms`);
    case 'memory':
      return new Failure('threw', `The tool took more than ${memoryBytes} bytes of memory`);
    case 'calls':
    case 'output':
    case 'serialization':
      return new Failure('threw', `The tool's output has more than ${maxOutputBytes} bytes`);
    // The driver answers for whatever a tool throws: this was thrown before there was a tool.
    case 'guest_error':
    case 'link_error':
      return new Failure('notImported', `The package threw when it was imported: ${error.message}`);
    case 'queue_full':
    case 'exhausted':
    case 'disposed':
      return new Failure('busy', 'The executor has no room for another tool. Try again later');
    default:
      return new Failure('internal', `The tool's isolate ended: ${cause}`);
  }
}

module.exports = { runInIsolate };
