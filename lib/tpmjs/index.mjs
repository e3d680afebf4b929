// The same names for `import`; lib/tpmjs/index.js is the implementation.
import tpmjs from './index.js';

export const { checkExecutor, createExecutor } = tpmjs;
export default tpmjs;
