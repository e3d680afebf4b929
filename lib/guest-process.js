'use strict';
// The program of a guest process, or of the zygote that guest processes are forked from: serves the pool of the host that
// started it, until that one ends it.

const { installLibrarySources } = require('./guest-library.js');
const { native } = require('./native.js');

installLibrarySources();

const [program, script, host, sandbox, isolates] = process.argv;
if (isolates === undefined) {
  native.serveGuests(Number(host), sandbox);
} else {
  native.serveZygote(Number(host), sandbox, Number(isolates), program, script);
}
