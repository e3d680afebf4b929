'use strict';
// The guest library of this process: read and compiled when a run first asks for it.

const fs = require('node:fs');
const vm = require('node:vm');

const { native } = require('../native.js');
const { LIBRARY_FILE } = require('./library-file.js');

let isInstalled = false;

function readParts() {
  try {
    return JSON.parse(fs.readFileSync(LIBRARY_FILE, 'utf8')).parts;
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new Error(
      `The guest library, which 'web' needs, cannot be read: ${message}. In a checkout, run: npm run compile`,
      { cause: error },
    );
  }
}

/** Has guests find the library. Throws when there is none. */
function installLibrary() {
  if (isInstalled) return;
  const parts = readParts().map(
    (/** @type {{ name: string, source: string }} */ { name, source }) => {
      const script = new vm.Script(source, { filename: `isobox-internal:${name}` });
      return { name, source, cache: script.createCachedData() };
    },
  );
  native.installLibrary(parts);
  isInstalled = true;
}

module.exports = { installLibrary };
