// The types of isobox/mcp beside those of the SDK, for `require`. mcp.mts is the same for `import`. Checked by tsc;
// never run.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { IsolateExecutor } from 'isobox/execbox';
import {
  codeMcpServer,
  createMcpToolProvider,
  getMcpToolSourceServerInfo,
  openMcpToolProvider,
  type CatalogueSearch,
  type McpToolProvider,
} from 'isobox/mcp';

async function providers(client: Client, server: McpServer, lowLevel: Server): Promise<string> {
  await using docs = await createMcpToolProvider(client, { namespace: 'docs' });
  const provider: McpToolProvider = await createMcpToolProvider(server, {
    results: 'envelope',
    clientInfo: { name: 'test', version: '1.0.0' },
  });
  await createMcpToolProvider(lowLevel);
  await createMcpToolProvider({ client });
  const handle = await openMcpToolProvider({ server, serverInfo: { name: 'a', version: '1' } });
  const info = handle.serverInfo ?? getMcpToolSourceServerInfo({ client });
  void info?.name;
  await handle.close();
  // @ts-expect-error: a name is no source
  void createMcpToolProvider('docs');
  // @ts-expect-error: there is no such form
  void createMcpToolProvider(client, { results: 'raw' });
  await new IsolateExecutor().execute('1', [docs, provider, handle.provider]);
  await provider.close();
  return provider.types;
}

async function servers(client: Client, server: McpServer): Promise<McpServer> {
  const executor = new IsolateExecutor();
  await codeMcpServer({ client }, { executor, namespace: 'docs', mode: 'split' });
  const wrapped = await codeMcpServer(
    [
      { name: 'a', client },
      { name: 'b', server },
    ],
    {
      executor,
      names: { search: 'find' },
      instructions: 'Be quick.',
      onUpstreamError: ({ message }) => console.error(message),
      maxTextChars: 100,
      maxAnswerBytes: 2 ** 20,
    },
  );
  await wrapped.connect(new StdioServerTransport());
  wrapped.server.onclose = () => {};
  wrapped.registerTool('extra', {}, async () => ({ content: [] }));
  // A code server can be the upstream of another.
  await codeMcpServer(wrapped, { executor });
  // @ts-expect-error: it needs an executor
  void codeMcpServer(client, {});
  // @ts-expect-error: of several, each needs a name
  void codeMcpServer([{ client }], { executor });
  return wrapped;
}

function search(found: CatalogueSearch): string {
  return found.tools.map(({ namespace, safeName }) => `${namespace}.${safeName}`).join(found.types);
}

export { providers, search, servers };
