'use strict';
// Loads the native addon: the prebuilt binary of the running Node's ABI and platform, else the local build.

const fs = require('node:fs');
const path = require('node:path');

const { builtPath, platformTag, prebuiltPath } = require('./addon-paths.js');

/**
 * @typedef {object} Attempt
 * @property {string} origin what the binary is
 * @property {string} file where it was looked for
 * @property {string} reason why it did not load
 * @property {unknown} [cause] what the dynamic loader threw
 */

/** No binary could be loaded. The message lists every attempt and the commands that help. */
class NativeLoadError extends Error {
  /**
   * @param {string} root
   * @param {Attempt[]} attempts
   */
  constructor(root, attempts) {
    super(describeFailure(root, attempts), { cause: attempts.find(({ cause }) => cause)?.cause });
    this.name = 'NativeLoadError';
    this.code = 'ERR_ISOBOX_NATIVE_LOAD';
    this.attempts = attempts;
  }
}

/**
 * @param {string} root
 * @param {Attempt[]} attempts
 */
function describeFailure(root, attempts) {
  const { node, modules } = process.versions;
  const shipped = listPrebuilt(root);
  return [
    `isobox has no native binary for Node ${node} (ABI ${modules}) on ${platformTag()}.`,
    'Tried:',
    ...attempts.map(({ origin, file, reason }) => `  - ${origin} ${file}\n      ${reason}`),
    shipped.length > 0
      ? `This copy of the package has prebuilt binaries: ${shipped.join(', ')}.`
      : 'This copy of the package has no prebuilt binaries.',
    'Build it for this Node (needs cmake and a C++20 compiler):',
    `  node ${path.join(root, 'scripts', 'build.js')}`,
    'or, where npm may run the install scripts of isobox:',
    '  npm rebuild isobox',
  ].join('\n');
}

/**
 * @param {string} root
 * @returns {string[]} the prebuilt binaries in the package, as `linux-x64/isobox-abi115.node`
 */
function listPrebuilt(root) {
  try {
    return fs
      .readdirSync(path.join(root, 'prebuilds'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.node'))
      .sort();
  } catch {
    return [];
  }
}

/**
 * @param {string} root the package's directory
 * @returns {{ addon: import('../types/internal/native.js').NativeAddon, origin: string, file: string,
 *   attempts: Attempt[] }} the addon's exports, where they come from, and what was tried before
 * @throws {NativeLoadError} when no binary loads
 */
function findNative(root) {
  const candidates = [
    { origin: 'prebuilt binary', file: prebuiltPath(root) },
    { origin: 'local build', file: builtPath(root) },
  ];
  /** @type {Attempt[]} */
  const attempts = [];
  for (const { origin, file } of candidates) {
    if (!fs.existsSync(file)) {
      attempts.push({ origin, file, reason: 'no such file' });
      continue;
    }
    try {
      return { addon: require(file), origin, file, attempts };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      attempts.push({ origin, file, reason, cause });
    }
  }
  throw new NativeLoadError(root, attempts);
}

/**
 * @param {string} root the package's directory
 * @throws {NativeLoadError} when no binary loads
 */
function loadNative(root) {
  return findNative(root).addon;
}

/** The binary this process runs, and where it was found. */
const loaded = findNative(path.dirname(__dirname));

module.exports = { loadNative, loaded, native: loaded.addon };
