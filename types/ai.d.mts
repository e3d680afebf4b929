import * as ai from './ai.js';

export * from './ai.js';
export default ai;
