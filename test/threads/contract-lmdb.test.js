'use strict';

const path = require('node:path');

const { describeEngine } = require('./contract.js');
const { newDirectory } = require('./support.js');

describeEngine('LMDB', {
  newAddress: newDirectory,
  engineModule: path.join(__dirname, '..', '..', 'lib', 'threads', 'store', 'lmdb-engine.js'),
  engineName: 'LmdbEngine',
});
