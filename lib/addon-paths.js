'use strict';
// Where the native binary of one Node ABI lives, prebuilt or built locally. Shared by the loader and the build scripts.

const fs = require('node:fs');
const path = require('node:path');

/** @returns {boolean} whether musl's loader, and so not glibc, has loaded the running Node. */
function isMusl() {
  if (process.platform !== 'linux') return false;
  try {
    return fs.readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-');
  } catch {
    return false;
  }
}

/** @returns {string} platform, C library (only where it is not the usual one) and architecture: `linux-x64`. */
function platformTag() {
  const libc = isMusl() ? '-musl' : '';
  return `${process.platform}${libc}-${process.arch}`;
}

/**
 * @param {string} root the package's directory
 * @param {string} [abi] the NODE_MODULE_VERSION; the running Node's by default
 * @returns {string} the prebuilt binary that the package ships for this ABI
 */
function prebuiltPath(root, abi = process.versions.modules) {
  return path.join(root, 'prebuilds', platformTag(), `isobox-abi${abi}.node`);
}

/**
 * @param {string} root the package's directory
 * @param {string} [abi] the NODE_MODULE_VERSION; the running Node's by default
 * @returns {string} the directory of the local build for this ABI; one each, so that Node versions do not collide
 */
function buildDirectory(root, abi = process.versions.modules) {
  return path.join(root, 'build', `${platformTag()}-${abi}`);
}

/**
 * @param {string} root the package's directory
 * @param {string} [abi] the NODE_MODULE_VERSION; the running Node's by default
 * @returns {string} the locally built binary for this ABI
 */
function builtPath(root, abi = process.versions.modules) {
  return path.join(buildDirectory(root, abi), 'Release', 'isobox.node');
}

module.exports = { buildDirectory, builtPath, platformTag, prebuiltPath };
