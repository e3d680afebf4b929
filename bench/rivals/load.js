'use strict';
// The rivals live outside the repository's own packages, one installation per Node ABI.

const { createRequire } = require('node:module');
const path = require('node:path');

/** @param {string} abi a NODE_MODULE_VERSION */
function rivalsDirectory(abi) {
  return path.join(__dirname, '..', '..', '.cache', 'rivals', `abi${abi}`);
}

/** @param {string} name a package in rivals/package.json */
function loadRival(name) {
  return createRequire(path.join(rivalsDirectory(process.versions.modules), 'package.json'))(name);
}

module.exports = { loadRival, rivalsDirectory };
