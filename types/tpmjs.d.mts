import * as tpmjs from './tpmjs.js';

export * from './tpmjs.js';
export default tpmjs;
