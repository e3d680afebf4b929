'use strict';
// The floor's addon, one build per Node ABI.

const path = require('node:path');

const { platformTag } = require('../../lib/addon-paths.js');

/** @param {string} abi a NODE_MODULE_VERSION */
function floorDirectory(abi) {
  return path.join(__dirname, '..', '..', 'build', `floor-${platformTag()}-${abi}`);
}

/** @returns {{ runIsolates: (threads: number, ms: number) => number }} */
function loadFloor() {
  return require(path.join(floorDirectory(process.versions.modules), 'Release', 'floor.node'));
}

module.exports = { floorDirectory, loadFloor };
