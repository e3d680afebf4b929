'use strict';
// Where the guest library lies. `npm run compile` makes it, and the package ships it.

const path = require('node:path');

const LIBRARY_FILE = path.join(__dirname, '..', '..', 'build', 'guest-library.json');

module.exports = { LIBRARY_FILE };
