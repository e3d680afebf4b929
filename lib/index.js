'use strict';

const { DEFAULT_LIMITS } = require('./limits.js');
const { IsolatePool } = require('./pool.js');

module.exports = { DEFAULT_LIMITS, IsolatePool };
