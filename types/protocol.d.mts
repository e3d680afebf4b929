import * as protocol from './protocol.js';

export * from './protocol.js';
export default protocol;
