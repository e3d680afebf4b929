// The same names for `import`; lib/index.js is the implementation.
import isobox from './index.js';

export const { DEFAULT_LIMITS, IsolatePool } = isobox;
export default isobox;
