'use strict';
// The guest library of this process, which `web` of a request needs.

const { native } = require('./native.js');

let isInstalled = false;

/** Has guests find it, with code caches that take a moment to make. Throws when there is none. */
function installLibrary() {
  if (isInstalled) return;
  native.installLibrary(require('./web/library.js').compileParts());
  isInstalled = true;
}

/** For a process that must be ready soon, does not know whether its guests will ask for it, and cannot read it later. */
function installLibrarySources() {
  native.installLibrary(require('./web/library.js').readPartsIfThere());
}

module.exports = { installLibrary, installLibrarySources };
