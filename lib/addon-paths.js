'use strict';
// The names of native binaries: which platform they are for, and where a local build puts them. Shared by the loader and the
// build scripts.

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

/**
 * @param {string} [arch] the running Node's by default
 * @returns {string} platform, C library (only where it is not the usual one) and architecture: `linux-x64`.
 */
function platformTag(arch = process.arch) {
  const libc = isMusl() ? '-musl' : '';
  return `${process.platform}${libc}-${arch}`;
}

/**
 * @param {string} root the package's directory
 * @param {string} [abi] the NODE_MODULE_VERSION; the running Node's by default
 * @param {string} [tag] the platform; the running Node's by default
 * @returns {string} the directory of the local build for this ABI; one each, so that Node versions do not collide
 */
function buildDirectory(root, abi = process.versions.modules, tag = platformTag()) {
  return path.join(root, 'build', `${tag}-${abi}`);
}

/**
 * @param {string} root the package's directory
 * @param {string} [abi] the NODE_MODULE_VERSION; the running Node's by default
 * @param {string} [tag] the platform; the running Node's by default
 * @returns {string} the locally built binary for this ABI
 */
function builtPath(root, abi, tag) {
  return path.join(buildDirectory(root, abi, tag), 'Release', 'isobox.node');
}

module.exports = { buildDirectory, builtPath, platformTag };
