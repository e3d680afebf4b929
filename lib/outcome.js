'use strict';
// What a run's caller gets: the native outcome in the public shape.

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
    'Too many guests never came back and hold their threads: make a new pool, or run such guests in a process of their own',
  ],
  disposed: ['PoolDisposedError', 'The pool is disposed of'],
  crashed: ['GuestCrashError', 'The engine failed in this guest'],
});

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
 * @param {any} native
 * @param {(slot: number) => string} nameOf
 */
function shapeOutcome(native, nameOf) {
  const { cause, reason, logs, logsTruncated, facts } = native;
  const common = { cause, logs, logsTruncated, facts: shapeFacts(facts, nameOf) };
  if (cause === 'finished') return { ok: true, value: native.value, ...common };
  const sentence = SENTENCES[/** @type {keyof typeof SENTENCES} */ (cause)];
  if (sentence === undefined || native.error.message !== '') {
    return { ok: false, error: shapeError(native.error), ...common };
  }
  const [name, message] = sentence;
  return { ok: false, error: { name, message: reason || message, frames: [] }, ...common };
}

/**
 * @param {any} facts
 * @param {(slot: number) => string} nameOf
 */
function shapeFacts(facts, nameOf) {
  for (const call of facts.calls) {
    call.name = nameOf(call.slot);
    delete call.slot;
  }
  return facts;
}

module.exports = { shapeError, shapeOutcome };
