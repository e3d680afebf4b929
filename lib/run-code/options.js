'use strict';
// What callers of runCode pass in, checked in the contract's order and read once. Whatever is wrong is an
// `InvalidOptions`, which becomes a result: runCode never throws and its handle never rejects.

const { textOf } = require('../foreign-text.js');
const { isBindableName } = require('../names.js');
const { native } = require('../native.js');
const { isRecord } = require('../checks/options.js');
const { effectiveMemoryLimit } = require('./limits.js');
const { isBareSpecifier, isRelativeSpecifier, normalizePath } = require('./module-paths.js');

const KNOWN_OPTIONS = new Set([
  'execute',
  'imports',
  'globals',
  'modules',
  'language',
  'memoryLimitBytes',
  'filename',
  'report',
]);

const LANGUAGES = new Set(['typescript', 'javascript']);

const DEFAULT_FILENAME = '<runCode>';

/** The entry's place when its name is no path of a guest's source. */
const ENTRY_NAME = '<entry>';

class InvalidOptions extends Error {
  /**
   * @param {string} message
   * @param {{ specifier?: string, detail?: string }} [more]
   */
  constructor(message, { specifier, detail } = {}) {
    super(message);
    this.name = 'InvalidCodeExecutionOptions';
    this.specifier = specifier;
    this.stack = `${this.name}: ${message}${detail === undefined ? '' : `\n    ${detail}`}`;
  }
}

/** @param {string} why the pool's words */
function badArguments(why) {
  const detail = why.replace(/^value/, 'execute.args');
  return new InvalidOptions('SerializationError: value is not transferable', { detail });
}

/**
 * @typedef {object} ModuleSource
 * @property {string} path from the root of the graph; also its name in errors
 * @property {string} source
 *
 * @typedef {object} RunPlan
 * @property {string} source
 * @property {boolean} isTypeScript
 * @property {string} filename
 * @property {string} entryPath
 * @property {string} exportName
 * @property {unknown[]} args
 * @property {number} memoryLimitBytes the effective limit
 * @property {number} requestedMemoryBytes
 * @property {Record<string, object>} imports
 * @property {ModuleSource[]} modules
 * @property {Record<string, unknown>} globals
 * @property {((value: unknown) => unknown) | undefined} report
 */

/**
 * @param {unknown} source
 * @param {unknown} given
 * @param {{ memoryLimitBytes: number, maxMemoryLimitBytes: number }} defaults
 * @returns {RunPlan}
 */
function readOptions(source, given, defaults) {
  const options = readKnown(given);
  const isTypeScript = readLanguage(options.language) === 'typescript';
  const { exportName, args } = readExecute(options.execute);
  try {
    const requestedMemoryBytes = readMemory(options.memoryLimitBytes, defaults.memoryLimitBytes);
    const ceiling = defaults.maxMemoryLimitBytes;
    const imports = readImports(options.imports);
    const modules = readModules(options.modules);
    const globals = readGlobals(options.globals);
    const report = readReport(options.report, globals);
    if (typeof source !== 'string') throw new InvalidOptions('runCode source must be a string');
    return {
      source,
      isTypeScript,
      ...readFilename(options.filename),
      exportName,
      args,
      memoryLimitBytes: effectiveMemoryLimit(requestedMemoryBytes, ceiling),
      requestedMemoryBytes,
      imports,
      modules,
      globals,
      report,
    };
  } catch (error) {
    // Arguments that cannot be sent are found when they are, which does not happen now; they stand earlier in the
    // order of checks.
    const why = native.whyNotClonable(args, { list: [], index: new Map() });
    throw why === null ? error : badArguments(why);
  }
}

/** @param {unknown} given */
function readKnown(given) {
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw new InvalidOptions('runCode options must be an object');
  /** @type {Record<string, unknown>} */
  const options = {};
  for (const key of Object.keys(given)) {
    if (!KNOWN_OPTIONS.has(key)) throw new InvalidOptions(`Unknown runCode option: ${key}`);
    options[key] = given[key];
  }
  return options;
}

/** @param {unknown} language */
function readLanguage(language) {
  if (!language) return 'typescript';
  if (!LANGUAGES.has(/** @type {string} */ (language))) {
    throw new InvalidOptions(`Unsupported runCode language: ${textOf(language)}`);
  }
  return language;
}

/** @param {unknown} execute */
function readExecute(execute) {
  if (execute === undefined) return { exportName: 'default', args: [] };
  if (!isRecord(execute)) throw new InvalidOptions('runCode execute must be an object');
  const { fn = 'default', args = [] } = execute;
  if (typeof fn !== 'string' || fn === '') {
    throw new InvalidOptions('runCode execute.fn must be a non-empty string');
  }
  if (!Array.isArray(args)) throw new InvalidOptions('runCode execute.args must be an array');
  return { exportName: fn, args: [...args] };
}

/**
 * @param {unknown} limit
 * @param {number} fallback
 */
function readMemory(limit, fallback) {
  if (limit === undefined) return fallback;
  if (typeof limit !== 'number' || !Number.isFinite(limit) || limit <= 0) {
    throw new InvalidOptions('memoryLimitBytes must be a positive finite number');
  }
  return limit;
}

/**
 * Copies the own enumerable properties; thenables become promises, which the pool hands over as such.
 *
 * @param {Record<string, any>} given
 * @returns {Record<string, unknown>} without a prototype, so that no name means anything to it
 */
function copyValues(given) {
  const copy = Object.create(null);
  for (const key of Object.keys(given)) {
    const value = given[key];
    const isThenable =
      typeof value === 'object' && value !== null && typeof value.then === 'function';
    copy[key] = isThenable ? adopt(value) : value;
  }
  return copy;
}

/** @param {PromiseLike<unknown>} thenable */
function adopt(thenable) {
  const promise = Promise.resolve(thenable);
  // Rejecting before the guest awaits it, or without a run to await it, is no fault of the host's.
  promise.catch(() => {});
  return promise;
}

/** @param {unknown} imports */
function readImports(imports) {
  /** @type {Record<string, object>} */
  const read = Object.create(null);
  if (!imports) return read;
  if (!isRecord(imports)) throw new InvalidOptions('runCode imports must be an object');
  for (const specifier of Object.keys(imports)) {
    if (!isBareSpecifier(specifier)) {
      throw new InvalidOptions(`runCode imports only accept bare specifiers: ${specifier}`, {
        specifier,
      });
    }
    const namespace = imports[specifier];
    if (!isRecord(namespace)) {
      throw new InvalidOptions(`runCode import namespace must be an object: ${specifier}`, {
        specifier,
      });
    }
    read[specifier] = copyValues(namespace);
    const unnamable = Object.keys(read[specifier]).find((name) => !isWellFormed(name));
    if (unnamable !== undefined) {
      const message = `runCode import has a key that cannot be an export name: ${specifier}`;
      throw new InvalidOptions(message, { specifier });
    }
  }
  return read;
}

/** @param {string} text whether it has no lone surrogates, as the names of exports must not */
function isWellFormed(text) {
  return !/\p{Surrogate}/u.test(text);
}

/** @param {unknown} modules */
function readModules(modules) {
  /** @type {ModuleSource[]} */
  const read = [];
  if (!modules) return read;
  if (!isRecord(modules)) throw new InvalidOptions('runCode modules must be an object');
  const paths = new Set();
  for (const specifier of Object.keys(modules)) {
    if (!isRelativeSpecifier(specifier)) {
      throw new InvalidOptions(`runCode modules only accept relative specifiers: ${specifier}`, {
        specifier,
      });
    }
    const source = modules[specifier];
    if (typeof source !== 'string') {
      throw new InvalidOptions(`runCode module source must be a string: ${specifier}`, {
        specifier,
      });
    }
    const path = readPath(specifier);
    if (path === '') {
      throw new InvalidOptions(
        `runCode module path cannot resolve to the module graph root: ${specifier}`,
        { specifier },
      );
    }
    if (paths.has(path)) {
      throw new InvalidOptions(`runCode modules give one path twice: ${specifier}`, { specifier });
    }
    paths.add(path);
    read.push({ path, source });
  }
  return read;
}

/** @param {string} specifier */
function readPath(specifier) {
  const path = normalizePath(specifier);
  if (path === null) {
    throw new InvalidOptions(`runCode module path cannot escape the module graph: ${specifier}`, {
      specifier,
    });
  }
  return path;
}

/** @param {unknown} globals */
function readGlobals(globals) {
  if (!globals) return Object.create(null);
  if (!isRecord(globals)) throw new InvalidOptions('runCode globals must be an object');
  const read = copyValues(globals);
  for (const name of Object.keys(read)) {
    if (isBindableName(name)) continue;
    throw new InvalidOptions(`runCode globals cannot bind the name: ${name}`);
  }
  return read;
}

/**
 * @param {unknown} report
 * @param {Record<string, unknown>} globals
 */
function readReport(report, globals) {
  if (report === undefined || report === null) return undefined;
  if (typeof report !== 'function') throw new InvalidOptions('runCode report must be a function');
  if ('report' in globals) {
    throw new InvalidOptions('runCode report and globals.report are one name: give only one');
  }
  return /** @type {(value: unknown) => unknown} */ (report);
}

/** @param {unknown} given */
function readFilename(given) {
  if (given !== undefined && given !== null && typeof given !== 'string') {
    throw new InvalidOptions('runCode filename must be a string');
  }
  const filename = given || DEFAULT_FILENAME;
  const path = filename.startsWith('<') ? '' : readPath(filename);
  // Only the folder matters, but for a name that would make the entry a JSON module.
  const entryPath = path.endsWith('.json')
    ? path.slice(0, path.lastIndexOf('/') + 1) + ENTRY_NAME
    : path;
  return { filename, entryPath };
}

module.exports = { InvalidOptions, badArguments, readOptions };
