import * as isobox from './index.js';

export * from './index.js';
export default isobox;
