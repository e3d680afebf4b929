'use strict';
// The program of a guest process, or of the zygote that guest processes are forked from: serves the pool of the host that
// started it, until that one ends it.

const { native } = require('./native.js');

const { installLibraryIfThere } = require('./web/library.js');

// Later it could not be read.
installLibraryIfThere();

const [program, script, host, sandbox, isolates] = process.argv;
if (isolates === undefined) {
  native.serveGuests(Number(host), sandbox);
} else {
  native.serveZygote(Number(host), sandbox, Number(isolates), program, script);
}
