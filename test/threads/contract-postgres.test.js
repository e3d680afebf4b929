'use strict';

const path = require('node:path');

const { describeEngine } = require('./contract.js');
const { usePostgres } = require('./postgres.js');

const server = usePostgres();

describeEngine('PostgreSQL', {
  newAddress: () => server.newDatabase(),
  engineModule: path.join(__dirname, '..', '..', 'lib', 'threads', 'store', 'postgres-engine.js'),
  engineName: 'PostgresEngine',
});
