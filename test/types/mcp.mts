// The SDK has other classes for `import` than for `require`; both fit. Checked by tsc; never run.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { IsolateExecutor } from 'isobox/execbox';
import mcp, { codeMcpServer, createMcpToolProvider, type McpToolProvider } from 'isobox/mcp';

async function sources(client: Client, server: McpServer, lowLevel: Server): Promise<void> {
  const providers: McpToolProvider[] = [
    await createMcpToolProvider(client),
    await createMcpToolProvider(server),
    await mcp.createMcpToolProvider(lowLevel),
    await createMcpToolProvider({ server }),
  ];
  await new IsolateExecutor().execute('1', providers);
  const wrapped: McpServer = await codeMcpServer([{ name: 'a', client }], {
    executor: new IsolateExecutor(),
  });
  await wrapped.connect(new StdioServerTransport());
  await wrapped.close();
  const same: McpServer = await mcp.codeMcpServer(wrapped, { executor: new IsolateExecutor() });
  await same.close();
}

export { sources };
