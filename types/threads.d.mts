import * as threads from './threads.js';

export * from './threads.js';
export default threads;
