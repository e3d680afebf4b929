'use strict';
// Runtimes that look like Node and cannot load the addon, which is made for the V8 of Node itself.

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
 * @param {Record<string, string | undefined>} versions `process.versions`
 * @returns {string | undefined} what to do, when the program runs in one of them
 */
function describeForeignRuntime(versions) {
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
