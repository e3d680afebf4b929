import * as mcp from './mcp.js';

export * from './mcp.js';
export default mcp;
