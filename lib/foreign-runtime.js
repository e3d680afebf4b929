'use strict';
// Runtimes that cannot run the addon, which is made for the V8 of Node itself.

const RUNTIMES = Object.freeze({
  bun: {
    name: 'Bun',
    why: 'Bun has the engine JavaScriptCore, and isobox makes isolates of V8',
    instead: 'Run this program with node instead of bun.',
  },
  deno: {
    name: 'Deno',
    why: 'Deno does not offer the C++ interface of V8 to addons',
    instead: 'Run this program with node instead of deno.',
  },
  electron: {
    name: 'Electron',
    why: 'Electron has a V8 of its own, for which there is no binary',
    instead: 'Keep isobox out of the processes of Electron.',
  },
});

/**
 * @param {Pick<NodeJS.Process, 'arch' | 'execArgv' | 'env'> & { versions: Record<string, string | undefined> }} runtime
 *   such as `process`
 * @returns {string | undefined} what to do, when isobox does not run in it
 */
function describeForeignRuntime({ arch, execArgv, env, versions }) {
  // That Node starts from a snapshot whose read-only objects are not those of a new isolate: V8 crashes when it makes one.
  const isSnapshotUnfit = arch === 'arm64' && /^20\./.test(versions.node ?? '');
  const flags = [...execArgv, ...(env.NODE_OPTIONS ?? '').split(/\s+/)];
  if (isSnapshotUnfit && !flags.includes('--no-node-snapshot')) {
    return [
      `isobox needs one flag on Node ${versions.node} for arm64: start it with \`node --no-node-snapshot\`, or set`,
      'NODE_OPTIONS=--no-node-snapshot. Node 22 and later need no flag.',
    ].join('\n');
  }
  const found = Object.entries(RUNTIMES).find(([key]) => versions[key] !== undefined);
  if (found === undefined) return undefined;
  const [key, { name, why, instead }] = found;
  return [
    `isobox does not run in ${name} ${versions[key]}: ${why}.`,
    `${instead} Or start \`node node_modules/isobox/bin/isobox.js runner\` as a child process, with Node 20 or later,`,
    'and talk to it over its standard input and output: docs/runner.md in the package says how.',
  ].join('\n');
}

module.exports = { describeForeignRuntime };
