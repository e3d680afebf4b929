import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

import * as mcp from './mcp.js';

export * from './mcp.js';

/** The same, with the SDK's class for `import`. */
export function codeMcpServer(...args: Parameters<typeof mcp.codeMcpServer>): Promise<McpServer>;

declare const entry: Omit<typeof mcp, 'codeMcpServer'> & { codeMcpServer: typeof codeMcpServer };
export default entry;
