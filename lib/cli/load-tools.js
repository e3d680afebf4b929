'use strict';
// Host functions from modules: `--tool name=module`.

const path = require('node:path');
const { pathToFileURL } = require('node:url');

/** A file or tool that cannot be read; its message is for people. */
class UnreadableError extends Error {}

const SHAPE = /^([\p{ID_Start}$_][\p{ID_Continue}$]*)=(.+)$/u;

/**
 * @typedef {(input: any, context: import('../../types/index.js').CallContext) => unknown} Tool
 * @typedef {{ namespaces: Record<string, Record<string, Tool>>, globals: Record<string, Tool> }} Tools
 */

/**
 * @param {string[]} declarations as `name=module`, where module is a path or a package's name
 * @returns {Promise<Tools>} modules of several functions as namespaces, those of a default function alone as globals
 */
async function loadTools(declarations) {
  /** @type {Tools} */
  const tools = { namespaces: {}, globals: {} };
  for (const declaration of declarations) {
    const [, name, specifier] = SHAPE.exec(declaration) ?? [];
    if (name === undefined) {
      throw new UnreadableError(
        `--tool takes name=module, such as shop=./shop.js, not '${declaration}'`,
      );
    }
    if (name in tools.namespaces || name in tools.globals) {
      throw new UnreadableError(`two tools have the name ${name}`);
    }
    const { named, lone } = functionsOf(await load(specifier));
    if (Object.keys(named).length > 0) tools.namespaces[name] = named;
    else if (lone !== undefined) tools.globals[name] = lone;
    else throw new UnreadableError(`the tool ${name} has no functions: ${specifier} exports none`);
  }
  return tools;
}

/**
 * @param {string} specifier
 * @returns {string | undefined} undefined for a package's name
 */
function fileOf(specifier) {
  const isPath = /^\.{0,2}\//.test(specifier) || /\.[cm]?[jt]s$/.test(specifier);
  return isPath ? path.resolve(specifier) : undefined;
}

/**
 * @param {string[]} declarations
 * @returns {string[]} the files among their modules
 */
function toolFiles(declarations) {
  return declarations.flatMap((one) => fileOf(SHAPE.exec(one)?.[2] ?? '') ?? []);
}

/** @param {string} specifier */
async function load(specifier) {
  const file = fileOf(specifier);
  try {
    const target = file ?? require.resolve(specifier, { paths: [process.cwd()] });
    if (/\.[cm]?ts$/.test(target)) require('./typescript-hooks.js').allowTypeScript();
    return await import(pathToFileURL(target).href);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const reason = message.replace(/ imported from .*$|\nRequire stack:[^]*$/, '');
    throw new UnreadableError(`the tool module ${specifier} does not load: ${reason}`);
  }
}

/**
 * The functions of a module. What a CommonJS module exports is its default export.
 *
 * @param {Record<string, any>} module
 */
function functionsOf(module) {
  const fallback = module.default;
  const own = typeof fallback === 'object' && fallback !== null ? fallback : {};
  const named = Object.fromEntries(
    Object.entries({ ...own, ...module }).filter(
      ([name, value]) =>
        typeof value === 'function' && name !== 'default' && name !== 'module.exports',
    ),
  );
  return { named, lone: typeof fallback === 'function' ? fallback : undefined };
}

module.exports = { UnreadableError, loadTools, toolFiles };
