'use strict';
// One execution on a pool, from the guest's source to the result its caller sees.

const { codeFrame, placeOfName } = require('../hints/code-frame.js');
const {
  TIMEOUT_MESSAGE,
  failureResult,
  isExecuteErrorCode,
  timeoutResult,
} = require('./failures.js');
const { prepareGuest } = require('./guest-source.js');
const { toPausableLimits, toRunLimits } = require('./runtime-options.js');
const { unlessAborted } = require('./unless-aborted.js');

/** @typedef {import('../../types/execbox.js').ExecuteErrorCode} ExecuteErrorCode */
/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */
/** @typedef {import('../../types/index.js').RunOutcome} RunOutcome */
/** @typedef {(line: number, column: number) => { line: number, column: number }} Locate to the source as it was given */
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
 * @param {Pick<import('../../types/index.js').IsolatePool, 'run'>} pool
 * @param {object} execution
 * @param {string} execution.code
 * @param {import('./runtime-options.js').RuntimeOptions} execution.options
 * @param {Record<string, Record<string, import('../../types/index.js').HostFunction>>} execution.namespaces
 * @param {AbortSignal} [execution.signal]
 * @param {() => void} [execution.onStart] called once, before anything of the guest runs or the result is there
 * @param {(line: string) => void} [execution.onLog] called for each line that is kept, as it comes
 * @param {InstanceType<typeof import('./deadline.js').Deadline>} [execution.deadline] in the place of the pool's; begins
 *   with the guest
 * @param {import('../../types/index.js').Web} [execution.web]
 * @returns {Promise<ExecuteResult>} never rejects
 */
async function runGuest(pool, execution) {
  const { code, options, namespaces, signal, onStart = () => {}, onLog, deadline, web } = execution;
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  const prepared = await unlessAborted(prepareGuest(code, namespaces), signal);
  onStart();
  if (prepared === undefined) {
    return timeoutResult('aborted', { durationMs: elapsed() });
  }
  if (!prepared.ok) {
    const { code: failure, message, details } = prepared;
    return failureResult(failure, message, { durationMs: elapsed(), details });
  }
  try {
    deadline?.resume();
    const outcome = await pool.run({
      ...prepared.request,
      namespaces,
      web,
      signal,
      limits: deadline === undefined ? toRunLimits(options) : toPausableLimits(options),
      ...(onLog && { onLog: ({ text = '' }) => onLog(text) }),
    });
    const result = toExecuteResult(outcome, code, prepared.locate);
    return deadline?.isOver && !result.ok ? timeoutResult(options.timeoutMs, result) : result;
  } catch (error) {
    // The pool refuses requests by throwing; nothing of the guest has run.
    const { message } = /** @type {Error} */ (error);
    return failureResult('internal_error', message, { durationMs: elapsed() });
  }
}

/**
 * @param {RunOutcome} outcome
 * @param {string} source as it was given
 * @param {Locate} locate
 * @returns {ExecuteResult}
 */
function toExecuteResult(outcome, source, locate) {
  const logs = outcome.logs.map(({ text }) => text ?? '');
  const durationMs = Math.max(0, outcome.facts.wallMs - outcome.facts.queuedMs);
  if (outcome.ok) {
    const { value: result, hint } = outcome;
    return { ok: true, result, ...(hint !== undefined && { hint }), logs, durationMs };
  }
  const code = codeOf(outcome);
  const details = describeDetails(outcome, source, locate);
  return failureResult(code, messageFor(outcome, details), { logs, durationMs, details });
}

/**
 * @param {Extract<RunOutcome, { ok: false }>} outcome
 * @param {string} source
 * @param {Locate} locate
 * @returns {Omit<import('../../types/execbox.js').ExecuteError, 'code' | 'message'>} nothing for errors of the host
 */
function describeDetails({ cause, error }, source, locate) {
  if (error.hostCode !== undefined) return {};
  const { name, hint } = error;
  const isGuests = cause === 'guest_error' || cause === 'link_error';
  if (!isGuests || error.line === undefined) {
    return { ...(isGuests && { name }), ...(hint !== undefined && { hint }) };
  }
  const at = placeOfName(source, locate(error.line, error.column ?? 1), error.message);
  const frame = codeFrame(source, at.line, at.column);
  return { name, ...at, ...(frame && { frame }), ...(hint !== undefined && { hint }) };
}

/** @param {Extract<RunOutcome, { ok: false }>} outcome */
function codeOf({ cause, error }) {
  if (cause !== 'guest_error' || error.hostCode === undefined) return CODES[cause];
  return isExecuteErrorCode(error.hostCode) ? error.hostCode : 'tool_error';
}

/**
 * @param {Extract<RunOutcome, { ok: false }>} outcome
 * @param {{ line?: number, column?: number }} place
 */
function messageFor({ cause, error }, { line, column }) {
  if (CODES[cause] === 'timeout') return TIMEOUT_MESSAGE;
  if (cause === 'link_error' && line !== undefined) {
    return `${error.name}: ${error.message} (${line}:${column})`;
  }
  return error.message;
}

module.exports = { runGuest };
