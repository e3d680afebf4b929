'use strict';
// What backends and tools are called in guest code.

const vm = require('node:vm');

const { assignSafeNames, isIdentifier, isReservedName } = require('../execbox/safe-names.js');

/** Globals of the bridge itself. */
const BRIDGE_GLOBALS = Object.freeze([
  '__backends',
  '__interfaces',
  '__getToolInterface',
  '__readResult',
  'require',
  'process',
  'module',
  'exports',
  'Buffer',
]);

/** What guests have anyway: a backend must not take the place of JSON. @type {Set<string> | undefined} */
let globalNames;

/** @param {string} name */
function isGlobalName(name) {
  globalNames ??= new Set([
    ...vm.runInNewContext('Object.getOwnPropertyNames(globalThis)'),
    ...BRIDGE_GLOBALS,
    'console',
    'main',
  ]);
  return globalNames.has(name);
}

/**
 * Every character that no identifier has becomes an underscore, a leading digit gets one in front, a reserved word one
 * behind.
 *
 * @param {string} name
 */
function sanitizeName(name) {
  const plain = name.replace(/[^A-Za-z0-9_$]/g, '_').replace(/^(?=[0-9])/, '_');
  if (plain === '') return '_unnamed';
  return isReservedName(plain) ? `${plain}_` : plain;
}

/** @param {string} name */
function sanitizeBackendName(name) {
  const plain = sanitizeName(name);
  return isGlobalName(plain) ? `${plain}_` : plain;
}

/**
 * @param {string[]} names
 * @param {(name: string) => string} sanitize
 * @returns {Map<string, string>} names that need no change keep theirs, whoever else would get them
 */
function assignNames(names, sanitize) {
  const isSafe = (/** @type {string} */ name) => isIdentifier(name) && sanitize(name) === name;
  const ordered = [...names.filter(isSafe), ...names.filter((name) => !isSafe(name))];
  return assignSafeNames(ordered, sanitize);
}

module.exports = { assignNames, isGlobalName, sanitizeBackendName, sanitizeName };
