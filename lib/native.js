'use strict';
// Loads the native addon: a local build, else the binary in the package of this platform.

const fs = require('node:fs');
const path = require('node:path');

const { platformTag } = require('./addon-paths.js');
const { describeForeignRuntime } = require('./foreign-runtime.js');

/**
 * The packages that hold binaries, one per platform. Their names stand in `require` as they are: tools that trace files
 * read them there.
 *
 * @type {Record<string, () => { file: string }>}
 */
const PLATFORM_PACKAGES = {
  'linux-x64': () => require('@isobox/linux-x64'),
  'linux-arm64': () => require('@isobox/linux-arm64'),
  'linux-musl-x64': () => require('@isobox/linux-musl-x64'),
  'linux-musl-arm64': () => require('@isobox/linux-musl-arm64'),
  'darwin-x64': () => require('@isobox/darwin-x64'),
  'darwin-arm64': () => require('@isobox/darwin-arm64'),
};

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
   * @param {string} message
   * @param {Attempt[]} attempts
   */
  constructor(message, attempts) {
    super(message, { cause: attempts.find(({ cause }) => cause)?.cause });
    this.name = 'NativeLoadError';
    this.code = 'ERR_ISOBOX_NATIVE_LOAD';
    this.attempts = attempts;
  }
}

/** @param {Attempt[]} attempts */
function describeFailure(attempts) {
  const { node, modules } = process.versions;
  const tag = platformTag();
  return [
    `isobox has no native binary for Node ${node} (ABI ${modules}) on ${tag}.`,
    'Tried:',
    ...attempts.map(({ origin, file, reason }) => `  - ${origin} ${file}\n      ${reason}`),
    ...(tag in PLATFORM_PACKAGES
      ? [
          `The package @isobox/${tag} has the binaries of this platform. It is an optional dependency of isobox, which npm`,
          'leaves out with --omit=optional, and with a lock file or node_modules from another platform. Install again:',
          '  npm install --include=optional isobox',
          'or build it for this Node (needs cmake and a C++20 compiler):',
        ]
      : ['Build it for this Node (needs cmake and a C++20 compiler):']),
    `  node ${path.join(path.dirname(__dirname), 'scripts', 'build.js')}`,
  ].join('\n');
}

/** @returns {{ origin: string, file: string }[]} where a binary may be, in the order in which they are tried */
function listCandidates() {
  const tag = platformTag();
  const built = path.join(
    __dirname,
    '..',
    'build',
    `${tag}-${process.versions.modules}`,
    'Release',
    'isobox.node',
  );
  const candidates = [{ origin: 'local build', file: built }];
  if (Object.hasOwn(PLATFORM_PACKAGES, tag)) {
    candidates.push({ origin: 'package', file: findInPackage(tag) });
  }
  return candidates;
}

/**
 * @param {string} tag
 * @returns {string} the file in the platform's package, or the name of that package where it is not installed
 */
function findInPackage(tag) {
  try {
    return PLATFORM_PACKAGES[tag]().file;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'MODULE_NOT_FOUND') throw error;
    return `@isobox/${tag}`;
  }
}

/**
 * @returns {{ addon: import('../types/internal/native.js').NativeAddon, origin: string, file: string,
 *   attempts: Attempt[] }} the addon's exports, where they come from, and what was tried before
 * @throws {NativeLoadError} when no binary loads
 */
function loadNative() {
  const foreign = describeForeignRuntime(process);
  if (foreign !== undefined) throw new NativeLoadError(foreign, []);
  /** @type {Attempt[]} */
  const attempts = [];
  for (const { origin, file } of listCandidates()) {
    if (!fs.existsSync(file)) {
      const reason = path.isAbsolute(file) ? 'no such file' : 'not installed';
      attempts.push({ origin, file, reason });
      continue;
    }
    try {
      return { addon: require(file), origin, file, attempts };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      attempts.push({ origin, file, reason, cause });
    }
  }
  throw new NativeLoadError(describeFailure(attempts), attempts);
}

/** The binary this process runs, and where it was found. */
const loaded = loadNative();

module.exports = { loaded, native: loaded.addon };
