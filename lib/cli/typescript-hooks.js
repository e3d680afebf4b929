'use strict';
// Modules in TypeScript for every line of Node: their types are erased as those of guests are, when they are loaded.

const fs = require('node:fs');
const module_ = require('node:module');
const { fileURLToPath, pathToFileURL } = require('node:url');

const TYPESCRIPT = /^file:.*\.([cm]?)ts$/;

let isRegistered = false;

/** Has `import` and `require` of modules in TypeScript work from now on. */
function allowTypeScript() {
  if (isRegistered) return;
  isRegistered = true;
  const { registerHooks } = /** @type {any} */ (module_);
  if (registerHooks !== undefined) registerHooks({ load });
  else module_.register(pathToFileURL(__filename).href);
}

/**
 * A hook of Node's module loader.
 *
 * @param {string} url
 * @param {object} context
 * @param {(url: string, context: object) => any} nextLoad
 */
function load(url, context, nextLoad) {
  const [, kind] = TYPESCRIPT.exec(url) ?? [];
  if (kind === undefined) return nextLoad(url, context);
  const { eraseTrusted } = require('../source/index.js');
  const filename = fileURLToPath(url);
  const { code } = eraseTrusted(fs.readFileSync(filename, 'utf8'), { filename });
  return { format: formatOf(kind, code), source: code, shortCircuit: true };
}

/**
 * @param {string} kind `m`, `c` or nothing
 * @param {string} code
 */
function formatOf(kind, code) {
  if (kind !== '') return kind === 'm' ? 'module' : 'commonjs';
  return /^\s*(?:import|export)\b/m.test(code) ? 'module' : 'commonjs';
}

module.exports = { allowTypeScript, load };
