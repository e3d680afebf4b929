'use strict';
// Runs one guest and prints what came of it.

const fs = require('node:fs');
const { text } = require('node:stream/consumers');

const { IsolatePool } = require('../pool.js');
const { SourceError, closeSourceWorkers, prepareBody } = require('../source/index.js');
const { EXIT } = require('./exit-codes.js');
const { UnreadableError, loadTools } = require('./load-tools.js');
const { describeFailure, formatValue } = require('./run-report.js');
const { printable } = require('./terminal.js');

/** @typedef {import('../../types/index.js').RunOutcome} RunOutcome */
/** @typedef {import('../../types/index.js').StopCause} StopCause */

/**
 * What each end of a run is to the shell.
 *
 * @type {Readonly<Record<Exclude<StopCause, 'terminated'>, number>>}
 */
const EXIT_CODES = Object.freeze({
  finished: EXIT.ok,
  guest_error: EXIT.failed,
  link_error: EXIT.failed,
  serialization: EXIT.failed,
  deadline: EXIT.limit,
  cpu: EXIT.limit,
  memory: EXIT.limit,
  calls: EXIT.limit,
  output: EXIT.limit,
  queue_full: EXIT.broken,
  exhausted: EXIT.broken,
  disposed: EXIT.broken,
  crashed: EXIT.broken,
});

/** Source that cannot run: the guest's fault unless it says otherwise here. */
const SOURCE_EXIT_CODES = Object.freeze({
  ERR_SOURCE_SYNTAX: EXIT.failed,
  ERR_SOURCE_TOO_LARGE: EXIT.limit,
  ERR_SOURCE_TOO_COMPLEX: EXIT.limit,
  ERR_SOURCE_TIMEOUT: EXIT.limit,
  ERR_SOURCE_ENGINE: EXIT.broken,
});

/** The facts of source that cannot run. */
const NOTHING_RAN = Object.freeze({
  cpuMs: 0,
  queuedMs: 0,
  peakMemoryBytes: 0,
  callCount: 0,
  callBytes: 0,
  calls: [],
});

/**
 * @param {{ file: string } | { code: string }} guest a path, or - for standard input
 * @param {{ tool?: string[], timeout: number, memory: number, host: 'thread' | 'process', json?: boolean, web?: boolean, fetch?: string[] }} options
 * @returns {Promise<number>} the exit code
 * @throws {UnreadableError} for files and tools that cannot be read
 */
async function runGuest(guest, options) {
  const { tool = [], timeout, memory, host, json = false, web = false, fetch: origins } = options;
  const started = performance.now();
  const filename = filenameOf(guest);
  const source = 'code' in guest ? guest.code : await readSource(guest.file);
  const tools = await loadTools(tool);
  const stop = new AbortController();
  let exitCode = 0;
  const onSignal = (/** @type {'SIGINT' | 'SIGTERM'} */ name) => {
    exitCode = name === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
    stop.abort(new Error(`Stopped by ${name}`));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const pool = new IsolatePool({ host, threads: 1, warm: { target: 0 } });
  try {
    const { code, map } = await prepareBody(source, { filename });
    const outcome = await pool.run({
      source: code,
      filename,
      ...tools,
      ...(origins !== undefined ? { web: { fetch: { origins } } } : web && { web }),
      limits: { wallMs: timeout, memoryBytes: memory },
      signal: stop.signal,
      ...(!json && { onLog: printLog }),
    });
    const located = locate(outcome, map, filename);
    print(located, { source, filename, json });
    return outcome.cause === 'terminated' ? exitCode : EXIT_CODES[outcome.cause];
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { name, reason: message, line, column } = error;
    print(
      {
        ok: false,
        cause: 'link_error',
        error: { name, message, filename, line, column, frames: [] },
        logs: [],
        logsTruncated: false,
        facts: { ...NOTHING_RAN, wallMs: performance.now() - started },
      },
      { source, filename, json },
    );
    return SOURCE_EXIT_CODES[error.code];
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await Promise.all([pool.dispose(), closeSourceWorkers()]);
  }
}

/** @param {{ file: string } | { code: string }} guest */
function filenameOf(guest) {
  if ('code' in guest) return '<eval>';
  return guest.file === '-' ? '<stdin>' : guest.file;
}

/** @param {import('../../types/index.js').LogEntry} entry */
function printLog({ text: line = '' }) {
  process.stderr.write(`${printable(line, process.stderr)}\n`);
}

/** @param {string} file */
async function readSource(file) {
  try {
    return file === '-' ? await text(process.stdin) : fs.readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new UnreadableError(
      code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read: ${message}`,
    );
  }
}

/**
 * The outcome with the places of the caller's own text.
 *
 * @param {RunOutcome} outcome
 * @param {import('../source/position-map.js').PositionMap} map
 * @param {string} filename
 * @returns {RunOutcome}
 */
function locate(outcome, map, filename) {
  if (outcome.ok) return outcome;
  /** @type {<T extends { filename?: string, line?: number, column?: number }>(place: T) => T} */
  const move = (place) =>
    place.filename === filename && place.line !== undefined
      ? { ...place, ...map.original(place.line, place.column ?? 1) }
      : place;
  const { error } = outcome;
  return { ...outcome, error: { ...move(error), frames: error.frames.map(move) } };
}

/**
 * @param {RunOutcome} outcome
 * @param {{ source: string, filename: string, json: boolean }} context
 */
function print(outcome, { source, filename, json }) {
  if (json) {
    const { stack: _, ...error } = outcome.ok ? { stack: '' } : outcome.error;
    const report = outcome.ok ? outcome : { ...outcome, error };
    process.stdout.write(`${JSON.stringify(report)}\n`);
  } else if (outcome.ok) {
    if (outcome.value !== undefined) process.stdout.write(`${formatValue(outcome.value)}\n`);
  } else {
    process.stderr.write(`${describeFailure(outcome, { source, filename })}\n`);
  }
}

module.exports = { UnreadableError, printLog, runGuest };
