'use strict';
// The third tier: code in an isolate, with the bridge to its backends.

const { unlessAborted } = require('../execution/unless-aborted.js');
const { prepareBody } = require('../source/prepare-source.js');
const { SourceError } = require('../source/source-error.js');
const { ToolCallError } = require('./backend-errors.js');
const { bridge } = require('./guest-bridge.js');
const { renderJson } = require('./render-result.js');
const { MAX_RESULT_BYTES, resultTooLarge } = require('./tool-calls.js');

/** @typedef {import('../../types/index.js').RunOutcome} RunOutcome */
/** @typedef {InstanceType<typeof import('./chain-run.js').ChainRun>} ChainRun */
/** @typedef {import('./render-result.js').ContentBlock} ContentBlock */
/** @typedef {{ line: number, column: number }} Place */
/** @typedef {(at: Place) => Place | undefined} Locate from what ran to what was written; undefined in the bridge */

const SHOWN_LOG_LINES = 20;
const SHOWN_LOG_CHARS = 4000;

/** The guest's own failure: what it threw, and where. Its message is the answer. */
class GuestFailure extends ToolCallError {}

/**
 * @param {string} code
 * @param {object} parts
 * @param {import('../../types/index.js').IsolatePool} parts.pool
 * @param {InstanceType<typeof import('./registry.js').Registry>} parts.registry
 * @param {{ call: (input: any) => Promise<string>, readResult: (input: any) => Promise<string> }} parts.host
 * @param {ChainRun} parts.run
 * @param {number} parts.heapBytes
 * @returns {Promise<{ text: string, content: ContentBlock[] }>} rejects with a ToolCallError
 */
async function runCode(code, { pool, registry, host, run, heapBytes }) {
  const prepared = await unlessAborted(prepare(code), run.signal);
  if (prepared === undefined) throw run.signal.reason;
  const { request, place } = bridge(prepared.code, registry, host);
  const outcome = await pool.run({
    ...request,
    filename: 'chain.ts',
    signal: run.signal,
    limits: {
      // The run's own deadline can stand still. This one holds even if the loop does not come round to it.
      cpuMs: run.timeoutMs,
      memoryBytes: heapBytes,
      resultBytes: MAX_RESULT_BYTES,
      valueBytes: MAX_RESULT_BYTES,
    },
  });
  if (!outcome.ok) {
    const locate = (/** @type {Place} */ at) => {
      const own = place(at);
      return own && prepared.map.original(own.line, own.column);
    };
    throw new GuestFailure(`${reasonOf(outcome, locate, run, heapBytes)}${lastLines(outcome)}`);
  }
  const text = outcome.value.slice(1);
  return outcome.value[0] === 's' ? { text, content: [] } : renderJson(text);
}

/** @param {string} code */
async function prepare(code) {
  try {
    return await prepareBody(code, { filename: 'chain.ts' });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { name, reason, line, column } = error;
    const at = line === undefined ? '' : ` (line ${line}, column ${column})`;
    throw new GuestFailure(`${name}: ${reason}${at}`);
  }
}

/**
 * @param {Extract<RunOutcome, { ok: false }>} outcome
 * @param {Locate} locate
 * @param {ChainRun} run
 * @param {number} heapBytes
 * @returns {string}
 */
function reasonOf({ cause, error }, locate, run, heapBytes) {
  switch (cause) {
    case 'guest_error':
    case 'link_error':
      // What the host threw has its own words, the same as in the other tiers.
      if (error.hostCode !== undefined) return error.message;
      return `${headOf(error)}${placeOf(error, locate)}`;
    case 'terminated':
      return run.signal.reason.message;
    case 'deadline':
    case 'cpu':
      return `The call timed out after ${run.timeoutMs} ms`;
    case 'memory':
      return `The code used more than the ${heapBytes} bytes of memory it may have`;
    case 'output':
      return resultTooLarge().message;
    default:
      return `${cause}: ${error.message}`;
  }
}

/** @param {import('../../types/index.js').RunError} error */
function headOf({ name, message, isObject }) {
  if (isObject === false) return `Uncaught ${message}`;
  return message === '' ? name : `${name}: ${message}`;
}

/**
 * @param {import('../../types/index.js').RunError} error
 * @param {Locate} locate
 * @returns {string} the innermost place in the guest's own text, if there is one
 */
function placeOf({ frames, line, column }, locate) {
  const places = line === undefined ? frames : [...frames, { line, column: column ?? 1 }];
  for (const place of places) {
    const at = locate(place);
    if (at !== undefined) return ` (line ${at.line}, column ${at.column})`;
  }
  return '';
}

/** @param {RunOutcome} outcome @returns {string} of its console, to see what it was about to do */
function lastLines({ logs, logsTruncated }) {
  if (logs.length === 0) return '';
  const lines = logs.slice(-SHOWN_LOG_LINES).map(({ text }) => text ?? '');
  const text = lines.join('\n').slice(-SHOWN_LOG_CHARS);
  const more = logsTruncated ? ' that were kept' : '';
  return `\n\nConsole, last ${lines.length} lines${more}:\n${text}`;
}

module.exports = { runCode };
