// The same names for `import`; lib/threads/index.js is the implementation.
import threads from './index.js';

export const {
  createThreadRuntime,
  defineAgent,
  defineEffect,
  defineHandler,
  defineHook,
  defineModel,
  definePrompt,
  defineThreadEndpoint,
  defineTool,
} = threads;
export default threads;
