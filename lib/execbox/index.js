'use strict';

const {
  EXECUTE_ERROR_CODES,
  ExecuteFailure,
  isExecuteFailure,
  isExecuteFailureResult,
  isExecuteSuccess,
} = require('../execution/failures.js');
const { IsolateExecutor } = require('./isolate-executor.js');
const { resolveProvider } = require('./resolve-provider.js');

module.exports = {
  EXECUTE_ERROR_CODES,
  ExecuteFailure,
  IsolateExecutor,
  isExecuteFailure,
  isExecuteFailureResult,
  isExecuteSuccess,
  resolveProvider,
};
