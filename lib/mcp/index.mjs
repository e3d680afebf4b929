// The same names for `import`; lib/mcp/index.js is the implementation.
import mcp from './index.js';

export const {
  codeMcpServer,
  createMcpToolProvider,
  getMcpToolSourceServerInfo,
  openMcpToolProvider,
} = mcp;
export default mcp;
