'use strict';
// Runs a function in a Node process of its own, with a bound: for what may crash, hang or end the process.

const { spawn } = require('node:child_process');
const path = require('node:path');

const MAIN = path.join(__dirname, 'child-main.js');

/** What Node and V8 print when they give up. Nothing of it may appear, whatever the exit code says. */
const CRASH_TEXT =
  /assert|check failed|fatal error|fatal javascript|out of memory|segmentation|std::|terminate called|native stack trace/i;

/**
 * @typedef {object} ChildResult
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal `SIGKILL` when the bound was reached
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} ms from start to end of the process
 * @property {any[]} reports what the function passed to `report`, in order
 */

/**
 * @param {(tools: typeof import('./child-tools.js'), args: any) => unknown} body moved as text: it sees only its
 *   parameters and Node's globals
 * @param {{ args?: unknown, boundMs?: number, execArgv?: string[], cwd?: string }} [options]
 * @returns {Promise<ChildResult>}
 */
function runChild(body, { args = null, boundMs = 20_000, execArgv = [], cwd } = {}) {
  return runNode([...execArgv, MAIN, String(body), JSON.stringify(args)], { boundMs, cwd });
}

/**
 * @param {string[]} argv for Node
 * @param {{ boundMs?: number, cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<ChildResult>}
 */
function runNode(argv, { boundMs = 20_000, cwd, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(process.execPath, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const bound = setTimeout(() => child.kill('SIGKILL'), boundMs);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(bound);
      const ms = performance.now() - start;
      resolve({ code, signal, ms, ...output, reports: readReports(output.stdout) });
    });
  });
}

/** @param {string} stdout */
function readReports(stdout) {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{"report":'))
    .map((line) => JSON.parse(line).report);
}

module.exports = { CRASH_TEXT, runChild, runNode };
