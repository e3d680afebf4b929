'use strict';
// A tool that needs a real Node, in a process of its own, used once: nothing of the executor's environment, a scratch folder,
// Node's permission model, and limits that the executor watches from outside.

const fs = require('node:fs');
const path = require('node:path');
const { StringDecoder } = require('node:string_decoder');

const { Failure } = require('../base/failures.js');
const { collect, killGroup, startGroup } = require('../base/group.js');
const { readAnswer, readOutput } = require('./answer.js');

const MAIN = path.join(__dirname, 'process-main.mjs');
const LIB = path.join(__dirname, '..', '..');
const LOOK_MS = 50;
const MAX_LOG_BYTES = 64 * 2 ** 10;
const MiB = 2 ** 20;
/** Of all that a tool tells, by the longest output: JSON text inside JSON text takes more room. */
const TOTAL_FACTOR = 4;
/** Where the permission model has left the stage of an experiment, its flag has another name. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

/** @typedef {{ folder: string, scratch: string, allow: readonly string[] }} Place */

/**
 * @param {Place} place
 * @param {import('../guest/driver.js').Ask} ask
 * @param {{ limits: import('./isolate.js').RunLimits & { processMemoryBytes: number }, signal: AbortSignal, told?: import('./isolate.js').Told }} how
 * @returns {Promise<{ text: string, value: unknown }>}
 */
async function runInProcess({ folder, scratch, allow }, ask, { limits, signal, told }) {
  const { executionTimeoutMs, processMemoryBytes, maxOutputBytes } = limits;
  const child = startGroup(
    process.execPath,
    [...nodeFlags(folder, scratch, allow, processMemoryBytes), MAIN],
    {
      cwd: scratch,
      env: {},
      cpuMs: executionTimeoutMs + 5000,
      fileBytes: processMemoryBytes,
      extraPipes: 1,
    },
  );
  /** @type {InstanceType<typeof Failure> | undefined} */
  let stopped;
  const stop = (/** @type {InstanceType<typeof Failure>} */ failure) => {
    stopped ??= failure;
    killGroup(child);
  };
  const tooLong = new Failure('timeout', `The tool took more than ${executionTimeoutMs} ms`);
  const timer = setTimeout(stop, executionTimeoutMs, tooLong);
  const watch = watchMemory(child.pid, processMemoryBytes, () =>
    stop(new Failure('threw', `The tool took more than ${processMemoryBytes} bytes of memory`)),
  );
  const onAbort = () => killGroup(child);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  forwardLog(child.stdout, 'log', told);
  forwardLog(child.stderr, 'error', told);
  const stderr = collect(child.stderr, MAX_LOG_BYTES);
  child.stdin?.end(JSON.stringify({ entry: path.join(folder, 'isobox-entry.mjs'), ask }));
  try {
    const answer = await readLines(child, maxOutputBytes, told, stop);
    signal.throwIfAborted();
    if (stopped !== undefined) throw stopped;
    if (answer !== undefined) return readAnswer(answer, maxOutputBytes);
    throw failureOfEnd(child, stderr.text(), processMemoryBytes);
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener('abort', onAbort);
    killGroup(child);
  }
}

/**
 * @param {string} folder
 * @param {string} scratch
 * @param {readonly string[]} allow
 * @param {number} memoryBytes
 */
function nodeFlags(folder, scratch, allow, memoryBytes) {
  // Node 20 fails a check of its own when a path is given twice.
  const readable = new Set([folder, fs.realpathSync(folder), LIB, scratch]);
  return [
    PERMISSION,
    ...[...readable].map((place) => `--allow-fs-read=${path.join(place, '*')}`),
    `--allow-fs-write=${path.join(scratch, '*')}`,
    ...allow.map((what) => `--allow-${what}`),
    `--max-old-space-size=${Math.ceil(memoryBytes / MiB)}`,
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
  ];
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} maxBytes
 * @param {import('./isolate.js').Told | undefined} told
 * @param {(failure: InstanceType<typeof Failure>) => void} stop
 * @returns {Promise<any>} the answer; undefined when it ended without one
 */
function readLines(child, maxBytes, told, stop) {
  const pipe = /** @type {import('node:stream').Readable} */ (child.stdio[3]);
  return new Promise((resolve, reject) => {
    let rest = '';
    let size = 0;
    pipe.setEncoding('utf8');
    pipe.on('data', (/** @type {string} */ text) => {
      try {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        size += text.length;
        if (size > maxBytes * TOTAL_FACTOR) {
          throw new Failure('threw', `The tool's output has more than ${maxBytes} bytes`);
        }
        for (const line of lines) {
          const said = JSON.parse(line);
          if (said.emitted !== undefined) told?.output(readOutput(said.emitted, maxBytes).value);
          else resolve(said.answer);
        }
      } catch (error) {
        stop(error instanceof Failure ? error : new Failure('threw', 'The tool gave no answer'));
      }
    });
    child.once('error', reject);
    child.once('exit', () => killGroup(child));
    child.once('close', () => resolve(undefined));
  });
}

/**
 * @param {import('node:stream').Readable | null} stream
 * @param {string} level
 * @param {import('./isolate.js').Told | undefined} told
 */
function forwardLog(stream, level, told) {
  const decoder = new StringDecoder('utf8');
  let left = MAX_LOG_BYTES;
  stream?.on('data', (chunk) => {
    if (left > 0) told?.log({ level, text: decoder.write(chunk.subarray(0, left)).trimEnd() });
    left -= chunk.length;
  });
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} stderr
 * @param {number} memoryBytes
 */
function failureOfEnd(child, stderr, memoryBytes) {
  if (child.signalCode === 'SIGABRT') {
    return new Failure('threw', `The tool took more than ${memoryBytes} bytes of memory`);
  }
  const how = child.signalCode ?? `code ${child.exitCode}`;
  const last = stderr.trim().split('\n').at(-1);
  return new Failure(
    'threw',
    `The tool's process ended with ${how} and no answer${last ? `: ${last}` : ''}`,
  );
}

/**
 * @param {number | undefined} pid
 * @param {number} maxBytes resident memory, of the process itself
 * @param {() => void} onOver
 */
function watchMemory(pid, maxBytes, onOver) {
  return setInterval(() => {
    fs.readFile(`/proc/${pid}/status`, 'utf8', (error, text) => {
      const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(text ?? '') ?? [];
      if (!error && kilobytes !== undefined && Number(kilobytes) * 1024 > maxBytes) onOver();
    });
  }, LOOK_MS);
}

module.exports = { runInProcess };
