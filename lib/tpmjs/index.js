'use strict';
// isobox/tpmjs: an executor of TPMJS tools.

const { checkExecutor } = require('./check/check-executor.js');
const { createExecutor } = require('./executor.js');

module.exports = { checkExecutor, createExecutor };
