'use strict';

const { createRunCode } = require('./create-run-code.js');
const {
  DEFAULT_MAX_MEMORY_LIMIT_BYTES,
  DEFAULT_MEMORY_LIMIT_BYTES,
  MIN_MEMORY_LIMIT_BYTES,
} = require('./limits.js');
const { threadState } = require('./thread-state.js');

module.exports = {
  DEFAULT_MAX_MEMORY_LIMIT_BYTES,
  DEFAULT_MEMORY_LIMIT_BYTES,
  MIN_MEMORY_LIMIT_BYTES,
  createRunCode,
  runCode: createRunCode(),
  threadState,
};
