'use strict';

/**
 * The TypeScript parser and printer that Node itself strips types with, from the package
 * `@swc/wasm-typescript`. It is WebAssembly: hostile source may overflow its stack or exhaust its
 * memory, which traps instead of ending the process, but leaves the instance unusable. So instances
 * are made here, apart from the module cache, with a ceiling on their memory, and a doubtful one is
 * thrown away.
 *
 * @typedef {object} SwcDiagnostic
 * @property {'InvalidSyntax' | 'UnsupportedSyntax'} code
 * @property {string} message
 * @property {number} [startLine]
 * @property {number} [startColumn]
 * @typedef {{ code: string, map?: string }} SwcOutput
 * @typedef {{ output: SwcOutput, diagnostic: null }
 *   | { output: null, diagnostic: SwcDiagnostic }} SwcResult
 * @typedef {{ transformSync(source: string, options: object): SwcOutput,
 *   __wasm: { memory: { buffer: ArrayBuffer } } }} SwcInstance
 */

const fs = require('node:fs');
const { createRequire } = require('node:module');
const vm = require('node:vm');

const { limitWasmMemory } = require('./wasm-memory-limit.js');

const { WebAssembly } = /** @type {any} */ (globalThis);
const PACKAGE = '@swc/wasm-typescript';
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
/** WebAssembly memory never shrinks: an instance that has grown past this is not kept. */
const MAX_KEPT_MEMORY_BYTES = 64 * 1024 * 1024;

/** The engine broke down; nothing is known about the source but that it was too much. */
class SwcTrap extends Error {}

/** @type {((WebAssembly: object) => SwcInstance) | undefined} */
let evaluatePackage;
/** @type {object | undefined} */
let compiledModule;
/** @type {SwcInstance | undefined} */
let instance;

/**
 * Replaces types by blanks; every character that stays keeps its place.
 *
 * @param {string} source
 * @param {{ isModule: boolean }} options
 * @returns {SwcResult} `UnsupportedSyntax` where blanks are not enough, as for an enum
 */
function stripTypes(source, { isModule }) {
  return callEngine(source, { mode: 'strip-only', module: isModule });
}

/**
 * Prints the program anew without types, with a source map.
 *
 * @param {string} source
 * @param {{ isModule: boolean, filename: string }} options
 * @returns {SwcResult}
 */
function transformTypes(source, { isModule, filename }) {
  return callEngine(source, {
    mode: 'transform',
    module: isModule,
    filename,
    sourceMap: true,
    transform: { nativeClassProperties: true, noEmptyExport: true, tsEnumIsMutable: true },
  });
}

/**
 * @param {string} source
 * @param {object} options
 * @returns {SwcResult}
 */
function callEngine(source, options) {
  const engine = (instance ??= instantiate());
  // Put back only by a call that ended well.
  instance = undefined;
  /** @type {SwcResult} */
  let result;
  try {
    result = { output: engine.transformSync(source, options), diagnostic: null };
  } catch (error) {
    if (!isDiagnostic(error)) throw new SwcTrap(String(error));
    result = { output: null, diagnostic: error };
  }
  if (engine.__wasm.memory.buffer.byteLength <= MAX_KEPT_MEMORY_BYTES) instance = engine;
  return result;
}

/**
 * @param {any} error
 * @returns {error is SwcDiagnostic}
 */
function isDiagnostic(error) {
  return error?.code === 'InvalidSyntax' || error?.code === 'UnsupportedSyntax';
}

/** @returns {SwcInstance} */
function instantiate() {
  evaluatePackage ??= loadPackage();
  return evaluatePackage({
    Instance: WebAssembly.Instance,
    Module: function Module(/** @type {Uint8Array} */ bytes) {
      compiledModule ??= new WebAssembly.Module(limitWasmMemory(bytes, MAX_MEMORY_BYTES));
      return compiledModule;
    },
  });
}

/** @returns {(WebAssembly: object) => SwcInstance} */
function loadPackage() {
  const filename = require.resolve(PACKAGE);
  const parameters = ['exports', 'require', 'module', 'WebAssembly'];
  const evaluate = vm.compileFunction(fs.readFileSync(filename, 'utf8'), parameters, { filename });
  const packageRequire = createRequire(filename);
  return (wasm) => {
    const module = { exports: /** @type {any} */ ({}) };
    evaluate(module.exports, packageRequire, module, wasm);
    return module.exports;
  };
}

module.exports = { stripTypes, transformTypes, SwcTrap };
