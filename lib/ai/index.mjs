// The same names for `import`; lib/ai/index.js is the implementation.
import ai from './index.js';

export const { codeFunction, codeTool } = ai;
export default ai;
