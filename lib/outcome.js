'use strict';
// What a run's caller gets: the native outcome in the public shape.

const { shapeLogs } = require('./log-entries.js');
const { native } = require('./native.js');

/** What a cause means, for people. Guest errors speak for themselves. */
const SENTENCES = Object.freeze({
  deadline: ['DeadlineError', 'The run reached its deadline'],
  cpu: ['CpuLimitError', 'The run used up its CPU time'],
  memory: ['MemoryLimitError', 'The run reached its memory limit'],
  calls: ['CallLimitError', 'The run made more host calls, or larger ones, than it may'],
  output: ['OutputLimitError', 'The result is larger than it may be'],
  terminated: ['TerminatedError', 'The run was terminated'],
  queue_full: ['QueueFullError', 'The queue is full: wait for runs to end, or raise maxQueued'],
  exhausted: [
    'PoolExhaustedError',
    'The system has no room for the threads of the pool: allow the process more threads or memory. Runs are taken again when there is room',
  ],
  disposed: ['PoolDisposedError', 'The pool is disposed of'],
  crashed: [
    'GuestCrashError',
    'The engine failed in this guest, or the process of the guest ended',
  ],
});

/** @param {string} count of lost threads */
const lostThreads = (count) =>
  `No thread is left (lost to guests that do not stop: ${count}). A pool replaces lost threads up to maxStuck and maxStuckBytes, and takes runs again when threads come back. With host: 'process' such guests end together with their process`;

/**
 * @param {{ functionName: string, filename: string, line: number, column: number }} frame
 */
function formatFrame({ functionName, filename, line, column }) {
  const place = `${filename}:${line}:${column}`;
  return functionName ? `    at ${functionName} (${place})` : `    at ${place}`;
}

/**
 * @param {any} report as the native side gives it
 * @returns {any} with a stack made of the frames V8 recorded, not of text the guest wrote
 */
function shapeError(report) {
  const head = report.message ? `${report.name}: ${report.message}` : report.name;
  return { ...report, stack: [head, ...report.frames.map(formatFrame)].join('\n') };
}

/**
 * @param {import('../types/internal/native.js').NativeOutcome} native
 * @param {object[]} liveLogs what came before
 * @param {(slot: number) => string} nameOf
 */
function shapeOutcome(
  [causeIndex, value, error, reason, logContents, logNumbers, logsTruncated, numbers],
  liveLogs,
  nameOf,
) {
  const logs = [...liveLogs, ...shapeLogs(logContents, logNumbers)];
  const cause = native.stopCauses[causeIndex];
  const facts = shapeFacts(numbers, nameOf);
  if (cause === 'finished') return { ok: true, value, cause, logs, logsTruncated, facts };
  return { ok: false, error: describeEnd(cause, error, reason), cause, logs, logsTruncated, facts };
}

/**
 * @param {string} cause
 * @param {any} report
 * @param {string} reason
 */
function describeEnd(cause, report, reason) {
  const sentence = SENTENCES[/** @type {keyof typeof SENTENCES} */ (cause)];
  if (sentence === undefined || report.message !== '') return shapeError(report);
  const [name, message] = sentence;
  const said = cause === 'exhausted' && reason ? lostThreads(reason) : reason;
  return { name, message: said || message, frames: [] };
}

const RUN_NUMBERS = 6;
const CALL_NUMBERS = 5;

/**
 * @param {Float64Array} numbers in the native side's order
 * @param {(slot: number) => string} nameOf
 */
function shapeFacts(numbers, nameOf) {
  const [wallMs, cpuMs, queuedMs, peakMemoryBytes, callCount, callBytes] = numbers;
  const calls = [];
  for (let at = RUN_NUMBERS; at < numbers.length; at += CALL_NUMBERS) {
    const ms = numbers[at + 1];
    calls.push({
      name: nameOf(numbers[at]),
      ms: Number.isNaN(ms) ? null : ms, // null: still open when the run ended
      bytesOut: numbers[at + 2],
      bytesIn: numbers[at + 3],
      ok: numbers[at + 4] === 1,
    });
  }
  return { wallMs, cpuMs, queuedMs, peakMemoryBytes, callCount, callBytes, calls };
}

module.exports = { formatFrame, shapeError, shapeOutcome };
