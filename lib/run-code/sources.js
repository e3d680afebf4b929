'use strict';
// From the caller's sources to the JavaScript that runs, with a way back for positions.

/**
 * @typedef {import('../source/position-map.js').PositionMap} PositionMap
 *
 * @typedef {object} RunnableSources
 * @property {string} entry
 * @property {Record<string, string>} modules by path
 * @property {Map<string, PositionMap>} maps by the name a file has in errors; JavaScript has none
 *
 * @typedef {{ code: string, map: PositionMap }} Erased
 */

const JSX_NAME = /\.[jt]sx$/;
const TYPESCRIPT_NAME = /\.[mc]?ts$/;

/**
 * @param {string} source
 * @param {string} filename
 * @returns {Promise<Erased>}
 */
async function erase(source, filename) {
  // The engine behind it is large, and hosts of JavaScript never need it.
  const { eraseTypes } = require('../source/erase-types.js');
  if (JSX_NAME.test(filename)) return eraseTypes(source, { filename, jsx: true });
  try {
    return await eraseTypes(source, { filename, jsx: false });
  } catch (error) {
    if (TYPESCRIPT_NAME.test(filename)) throw error;
    // A name like `<runCode>` or `main.js` does not say whether there may be JSX in it.
    try {
      return await eraseTypes(source, { filename, jsx: true });
    } catch {
      throw error;
    }
  }
}

/** @param {string} path */
function isJson(path) {
  return path.endsWith('.json');
}

/**
 * @param {import('./options.js').RunPlan} plan
 * @returns {RunnableSources}
 */
function plainSources({ source, modules }) {
  return {
    entry: source,
    modules: Object.fromEntries(modules.map((module) => [module.path, module.source])),
    maps: new Map(),
  };
}

/**
 * @param {import('./options.js').RunPlan} plan
 * @returns {Promise<RunnableSources>} rejects with a `SourceError` for TypeScript that does not parse
 */
async function erasedSources(plan) {
  const { filename, modules } = plan;
  const erased = await Promise.all([
    erase(plan.source, filename),
    ...modules.map(({ path, source }) => (isJson(path) ? undefined : erase(source, path))),
  ]);
  const runnable = plainSources(plan);
  runnable.entry = erased[0].code;
  runnable.maps.set(filename, erased[0].map);
  for (const [index, { path }] of modules.entries()) {
    const result = erased[index + 1];
    if (result === undefined) continue;
    runnable.modules[path] = result.code;
    runnable.maps.set(path, result.map);
  }
  return runnable;
}

module.exports = { erasedSources, plainSources };
