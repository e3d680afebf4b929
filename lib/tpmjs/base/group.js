'use strict';
// Programs in process groups of their own: started under limits of the system, and ended with all that they started.

const { spawn } = require('node:child_process');

const { native } = require('../../native.js');

// POSIX sh sets the limits and becomes the program. $0 is processor time in seconds, $1 the size of a file in blocks of 512 bytes.
const UNDER_LIMITS = 'ulimit -c 0; ulimit -t "$0"; ulimit -f "$1"; shift; exec "$@"';

/**
 * @typedef {object} GroupOptions
 * @property {string} cwd
 * @property {Record<string, string | undefined>} env
 * @property {number} cpuMs processor time, so that it ends even when nobody is left to end it
 * @property {number} fileBytes the longest file that it can write
 * @property {number} [extraPipes] descriptors from 3 on
 */

/**
 * @param {string} program
 * @param {string[]} args
 * @param {GroupOptions} options
 */
function startGroup(program, args, { cwd, env, cpuMs, fileBytes, extraPipes = 0 }) {
  const limits = [String(Math.ceil(cpuMs / 1000)), String(Math.ceil(fileBytes / 512))];
  const child = native.withoutInheritance(() =>
    spawn('/bin/sh', ['-c', UNDER_LIMITS, ...limits, program, ...args], {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...Array(extraPipes).fill('pipe')],
    }),
  );
  // It may end before it has read anything.
  child.stdin?.on('error', () => {});
  return child;
}

/** @param {import('node:child_process').ChildProcess} child */
function killGroup(child) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone.
  }
}

/**
 * @typedef {object} Ended
 * @property {number | null} code
 * @property {string} stdout
 * @property {string} stderr
 * @property {'timeout' | 'aborted' | undefined} stopped
 */

/**
 * Runs a program to its end. Nothing of its group is left when this settles.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {GroupOptions & { timeoutMs: number, signal?: AbortSignal, maxOutputBytes?: number }} options
 * @returns {Promise<Ended>}
 */
function runGroup(program, args, { timeoutMs, signal, maxOutputBytes = 2 ** 20, ...options }) {
  return new Promise((resolve, reject) => {
    const child = startGroup(program, args, options);
    /** @type {Ended['stopped']} */
    let stopped;
    const stop = (/** @type {'timeout' | 'aborted'} */ cause) => {
      stopped ??= cause;
      killGroup(child);
    };
    const onAbort = () => stop('aborted');
    const timer = setTimeout(stop, timeoutMs, 'timeout');
    const stdout = collect(child.stdout, maxOutputBytes);
    const stderr = collect(child.stderr, maxOutputBytes);
    const leave = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      killGroup(child);
    };
    child.once('error', (error) => {
      leave();
      reject(error);
    });
    child.once('exit', leave);
    child.once('close', (code) =>
      resolve({ code, stdout: stdout.text(), stderr: stderr.text(), stopped }),
    );
    child.stdin?.end();
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * @param {import('node:stream').Readable | null} stream
 * @param {number} maxBytes what comes after that is dropped
 */
function collect(stream, maxBytes) {
  /** @type {Buffer[]} */
  const chunks = [];
  let size = 0;
  stream?.on('data', (chunk) => {
    if (size < maxBytes) chunks.push(chunk);
    size += chunk.length;
  });
  return { text: () => Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8') };
}

module.exports = { collect, killGroup, runGroup, startGroup };
