import * as runtime from './execbox-runtime.js';

export * from './execbox-runtime.js';
export default runtime;
