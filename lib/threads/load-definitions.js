'use strict';
// The definitions of a folder: `agents/{agents,prompts,tools,models,hooks,effects,handlers}/*.mjs`, as default exports, and endpoints
// in `agents/api/`, whose paths and methods are those of their files: `reports/[id].get.mjs` is `GET /reports/:id`.

const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const { ThreadError, messageOf } = require('./base/errors.js');

const LISTS = ['agents', 'prompts', 'models', 'hooks'];
const BY_NAME = ['tools', 'effects', 'handlers'];

/**
 * @param {string} folder
 * @returns {Promise<Record<string, any>>} as `createThreadRuntime` takes them
 */
async function loadDefinitions(folder) {
  const root = path.resolve(folder, 'agents');
  if (!fs.existsSync(root)) {
    throw new ThreadError(
      'ERR_ISOBOX_THREAD_DEFINITION',
      `There are no definitions: ${root} is not there. Agents are in agents/agents/*.mjs`,
    );
  }
  /** @type {Record<string, any>} */
  const found = {};
  for (const kind of LISTS) {
    found[kind] = (await loadKind(root, kind)).map(({ definition }) => definition);
  }
  for (const kind of BY_NAME) {
    const entries = await loadKind(root, kind);
    found[kind] = Object.fromEntries(entries.map(({ name, definition }) => [name, definition]));
  }
  const endpoints = await loadKind(root, 'api');
  found.endpoints = Object.fromEntries(
    endpoints.map(({ name, definition }) => [endpointName(name), definition]),
  );
  return found;
}

/** @param {string} file without its extension */
function endpointName(file) {
  const [, place, method = 'get'] = /** @type {RegExpExecArray} */ (
    /^(.*?)(?:\.(get|post|put|patch|delete))?$/.exec(file)
  );
  return `${method.toUpperCase()} /${place.replace(/\[([^\]]*)\]/g, ':$1')}`;
}

/**
 * @param {string} root
 * @param {string} kind
 */
async function loadKind(root, kind) {
  const directory = path.join(root, kind);
  if (!fs.existsSync(directory)) return [];
  // Only endpoints lie deeper.
  const names = fs.readdirSync(directory, { recursive: kind === 'api', encoding: 'utf8' });
  const files = names.filter((name) => /\.[cm]?js$/.test(name)).sort();
  return Promise.all(files.map((name) => loadFile(directory, name, kind)));
}

/**
 * @param {string} directory
 * @param {string} file
 * @param {string} kind
 */
async function loadFile(directory, file, kind) {
  const name = file.replaceAll(path.sep, '/').replace(/\.[cm]?js$/, '');
  const shown = path.join('agents', kind, file);
  let module;
  try {
    module = await import(pathToFileURL(path.join(directory, file)).href);
  } catch (error) {
    throw new ThreadError('ERR_ISOBOX_THREAD_DEFINITION', `${shown}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (module.default === undefined) {
    throw new ThreadError('ERR_ISOBOX_THREAD_DEFINITION', `${shown} has no default export`);
  }
  return { name, definition: module.default };
}

module.exports = { loadDefinitions };
