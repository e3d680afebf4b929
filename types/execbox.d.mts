import * as execbox from './execbox.js';

export * from './execbox.js';
export default execbox;
