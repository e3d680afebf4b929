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

const { MAX_SOURCE_BYTES, MAX_ERASURE_MS } = require('./limits.js');

const JSX_NAME = /\.[jt]sx$/;
const TYPESCRIPT_NAME = /\.[mc]?ts$/;

/**
 * @param {string} filename
 * @param {boolean} jsx
 */
function erasureOptions(filename, jsx) {
  return { filename, jsx, maxBytes: MAX_SOURCE_BYTES, timeoutMs: MAX_ERASURE_MS };
}

/**
 * @param {string} source
 * @param {string} filename
 * @returns {Promise<Erased>}
 */
async function erase(source, filename) {
  const { eraseTypes } = require('../source/index.js');
  const isJsx = JSX_NAME.test(filename);
  try {
    return await eraseTypes(source, erasureOptions(filename, isJsx));
  } catch (error) {
    if (isJsx || TYPESCRIPT_NAME.test(filename)) throw error;
    // A name like `<runCode>` or `main.js` does not say whether there may be JSX in it.
    try {
      return await eraseTypes(source, erasureOptions(filename, true));
    } catch {
      throw error;
    }
  }
}

/**
 * @param {string} source
 * @param {string} filename
 * @returns {Erased | null}
 */
function eraseAtOnce(source, filename) {
  // Loaded when it is needed: hosts of JavaScript never do.
  const { eraseTypesAtOnce } = require('../source/index.js');
  try {
    return eraseTypesAtOnce(source, erasureOptions(filename, JSX_NAME.test(filename)));
  } catch {
    return null; // the other way through looks at it again, and says what is wrong
  }
}

/** @param {import('./options.js').RunPlan} plan */
function filesOf({ source, filename, modules }) {
  const typed = modules.filter(({ path }) => !path.endsWith('.json'));
  return [{ path: filename, source }, ...typed];
}

/**
 * @param {import('./options.js').RunPlan} plan
 * @param {Erased[]} erased in the order of `filesOf`
 * @returns {RunnableSources}
 */
function assemble(plan, erased) {
  const runnable = plainSources(plan);
  for (const [index, { path }] of filesOf(plan).entries()) {
    const { code, map } = erased[index];
    runnable.maps.set(path, map);
    if (index === 0) runnable.entry = code;
    else runnable.modules[path] = code;
  }
  return runnable;
}

/**
 * @param {import('./options.js').RunPlan} plan
 * @returns {RunnableSources} the sources as they are
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
 * @returns {RunnableSources | null} null when it takes a thread to erase the types
 */
function sourcesAtOnce(plan) {
  if (!plan.isTypeScript) return plainSources(plan);
  /** @type {Erased[]} */
  const erased = [];
  for (const { path, source } of filesOf(plan)) {
    const one = eraseAtOnce(source, path);
    if (one === null) return null;
    erased.push(one);
  }
  return assemble(plan, erased);
}

/**
 * @param {import('./options.js').RunPlan} plan
 * @returns {Promise<RunnableSources>} rejects with a `SourceError` for TypeScript that does not parse
 */
async function erasedSources(plan) {
  const files = filesOf(plan);
  return assemble(plan, await Promise.all(files.map(({ path, source }) => erase(source, path))));
}

module.exports = { erasedSources, sourcesAtOnce };
