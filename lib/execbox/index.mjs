// The same names for `import`; lib/execbox/index.js is the implementation.
import execbox from './index.js';

export const {
  EXECUTE_ERROR_CODES,
  ExecuteFailure,
  IsolateExecutor,
  isExecuteFailure,
  isExecuteFailureResult,
  isExecuteSuccess,
  resolveProvider,
} = execbox;
export default execbox;
