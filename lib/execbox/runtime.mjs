// The same names for `import`; lib/execbox/runtime.js is the implementation.
import runtime from './runtime.js';

export const {
  DEFAULT_EXECUTOR_RUNTIME_OPTIONS,
  ExecuteFailure,
  createExecutionContext,
  createTimeoutExecuteResult,
  createToolCallDispatcher,
  extractProviderManifests,
  formatConsoleLine,
  getExecutionTimeoutMessage,
  isExecuteFailure,
  isJsonSerializable,
  isKnownExecuteErrorCode,
  normalizeCode,
  normalizeThrownMessage,
  normalizeThrownName,
  resolveExecutorRuntimeOptions,
  truncateLogs,
} = runtime;
export default runtime;
