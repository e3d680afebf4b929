'use strict';
// The parent's side of a subject's process.

const { fork } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');

// Far beyond the longest block.
const BLOCK_BOUND_MS = 120_000;
const END_MS = 5000;

/** @param {import('node:child_process').ChildProcess} child */
function describeEnd({ exitCode, signalCode }) {
  return `its process ended with ${signalCode ?? `exit code ${exitCode}`}`;
}

class SubjectProcess {
  #child;

  /**
   * @param {{ execPath: string, file: string, system: string, isQuick: boolean }} options
   */
  constructor({ execPath, file, system, isQuick }) {
    // Only isolated-vm needs the flag; no other system gets it.
    const execArgv = system.startsWith('isolated-vm') ? ['--no-node-snapshot'] : [];
    const spawnedAt = process.hrtime.bigint();
    const args = [file, system, String(isQuick), String(spawnedAt)];
    this.#child = fork(path.join(__dirname, 'subject.js'), args, { execPath, execArgv });
  }

  /**
   * @param {string} caseName
   * @returns {Promise<number[]>} rejects when the block fails, takes too long or the process dies
   */
  async measure(caseName) {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(describeEnd(child));
    const settled = new AbortController();
    const { signal } = settled;
    const timer = setTimeout(() => child.kill('SIGKILL'), BLOCK_BOUND_MS);
    try {
      const answer = once(child, 'message', { signal }).then(([message]) => message);
      const death = once(child, 'exit', { signal }).then(() => ({ error: describeEnd(child) }));
      child.send(caseName);
      const { samples, error } = await Promise.race([answer, death]);
      if (error !== undefined) throw new Error(error);
      return samples;
    } finally {
      clearTimeout(timer);
      settled.abort();
    }
  }

  /** A subject may want to clean up; one that does not end by itself is killed. */
  end() {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    this.#child.once('exit', () => clearTimeout(timer));
  }
}

module.exports = { SubjectProcess };
