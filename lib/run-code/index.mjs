// The same names for `import`; lib/run-code/index.js is the implementation.
import runCodeModule from './index.js';

export const {
  DEFAULT_MAX_MEMORY_LIMIT_BYTES,
  DEFAULT_MEMORY_LIMIT_BYTES,
  MIN_MEMORY_LIMIT_BYTES,
  createRunCode,
  runCode,
  threadState,
} = runCodeModule;
export default runCodeModule;
