'use strict';
// One execution on a pool, from the guest's source to the result its caller sees.

const { TIMEOUT_MESSAGE, failureResult, isExecuteErrorCode } = require('./failures.js');
const { prepareSource } = require('./guest-source.js');
const { toRunLimits } = require('./runtime-options.js');
const { unlessAborted } = require('./unless-aborted.js');

/** @typedef {import('../../types/execbox.js').ExecuteErrorCode} ExecuteErrorCode */
/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */
/** @typedef {import('../../types/index.js').RunOutcome} RunOutcome */
/** @typedef {Exclude<import('../../types/index.js').StopCause, 'finished'>} FailureCause */

/**
 * What each stop cause is to callers. A guest error the host made has the host's code instead: see `codeOf`.
 *
 * @type {Readonly<Record<FailureCause, ExecuteErrorCode>>}
 */
const CODES = Object.freeze({
  deadline: 'timeout',
  cpu: 'timeout',
  terminated: 'timeout',
  memory: 'memory_limit',
  serialization: 'serialization_error',
  output: 'serialization_error',
  guest_error: 'runtime_error',
  link_error: 'runtime_error',
  calls: 'runtime_error',
  queue_full: 'internal_error',
  exhausted: 'internal_error',
  disposed: 'internal_error',
  crashed: 'internal_error',
});

/**
 * @param {import('../../types/index.js').IsolatePool} pool
 * @param {object} execution
 * @param {string} execution.code
 * @param {import('./runtime-options.js').RuntimeOptions} execution.options
 * @param {Record<string, Record<string, import('../../types/index.js').HostFunction>>} execution.namespaces
 * @param {AbortSignal} [execution.signal]
 * @param {() => void} [execution.onStart] called once, before anything of the guest runs or the result is there
 * @returns {Promise<ExecuteResult>} never rejects
 */
async function runGuest(pool, { code, options, namespaces, signal, onStart = () => {} }) {
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  const prepared = await unlessAborted(prepareSource(code), signal);
  onStart();
  if (prepared === undefined) {
    return failureResult('timeout', TIMEOUT_MESSAGE, { durationMs: elapsed() });
  }
  if (!prepared.ok) {
    return failureResult(prepared.code, prepared.message, { durationMs: elapsed() });
  }
  try {
    const outcome = await pool.run({
      ...prepared.request,
      namespaces,
      signal,
      limits: toRunLimits(options),
    });
    return toExecuteResult(outcome, prepared.locate);
  } catch (error) {
    // The pool refuses requests by throwing; nothing of the guest has run.
    const { message } = /** @type {Error} */ (error);
    return failureResult('internal_error', message, { durationMs: elapsed() });
  }
}

/**
 * @param {RunOutcome} outcome
 * @param {(line: number, column: number) => { line: number, column: number }} locate
 * @returns {ExecuteResult}
 */
function toExecuteResult(outcome, locate) {
  const logs = outcome.logs.map(({ text }) => text ?? '');
  const durationMs = Math.max(0, outcome.facts.wallMs - outcome.facts.queuedMs);
  if (outcome.ok) return { ok: true, result: outcome.value, logs, durationMs };
  const code = codeOf(outcome);
  return failureResult(code, messageFor(outcome, code, locate), { logs, durationMs });
}

/** @param {Extract<RunOutcome, { ok: false }>} outcome */
function codeOf({ cause, error }) {
  if (cause !== 'guest_error' || error.hostCode === undefined) return CODES[cause];
  return isExecuteErrorCode(error.hostCode) ? error.hostCode : 'tool_error';
}

/**
 * @param {Extract<RunOutcome, { ok: false }>} outcome
 * @param {ExecuteErrorCode} code
 * @param {(line: number, column: number) => { line: number, column: number }} locate
 */
function messageFor({ cause, error }, code, locate) {
  if (CODES[cause] === 'timeout') return TIMEOUT_MESSAGE;
  if (cause === 'link_error' && error.line !== undefined) {
    const { line, column } = locate(error.line, error.column ?? 1);
    return `${error.name}: ${error.message} (${line}:${column})`;
  }
  return error.message;
}

module.exports = { runGuest };
