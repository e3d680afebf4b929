'use strict';
// `isobox` as a child process, with what it printed.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const BIN = path.join(__dirname, '..', '..', 'bin', 'isobox.js');

/**
 * @param {string[]} args
 * @param {{ input?: string, cwd?: string, env?: NodeJS.ProcessEnv, bin?: string, onStart?: (child: import('node:child_process').ChildProcessWithoutNullStreams) => void }} [options]
 * @returns {Promise<{ code: number | null, signal: string | null, stdout: string, stderr: string }>}
 */
function isobox(args, { input = '', cwd, env = {}, bin = BIN, onStart = () => {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd,
      env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env },
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    const output = { stdout: '', stderr: '' };
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name].setEncoding('utf8').on('data', (text) => {
        output[name] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    onStart(child);
  });
}

/** A directory with files, for the tests of a file. */
function useFiles(files) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-cli-'));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    fs.writeFileSync(path.join(directory, name), text);
  }
  afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}

module.exports = { BIN, isobox, useFiles };
