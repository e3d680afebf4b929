'use strict';
// The program of a guest process: serves the pool of the host that started it, until that one ends it.

const { native } = require('./native.js');

const { installLibraryIfThere } = require('./web/library.js');

// Later it could not be read.
installLibraryIfThere();

const [, , host, sandbox] = process.argv;
native.serveGuests(Number(host), sandbox);
