import * as runCodeModule from './run-code.js';

export * from './run-code.js';
export default runCodeModule;
