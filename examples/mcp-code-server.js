'use strict';
// An MCP server with two tools, wrapped: its client sees tools that search and run code in place of the two.
//
// On the command line the same is: npx isobox mcp --config servers.json

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { InMemoryTransport } = require('@modelcontextprotocol/sdk/inMemory.js');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const z = require('zod');

const { IsolateExecutor } = require('isobox/execbox');
const { codeMcpServer } = require('isobox/mcp');

const STOCK = { apples: 12, pears: 0, plums: 7 };

function makeShop() {
  const shop = new McpServer({ name: 'shop', version: '1.0.0' });
  shop.registerTool(
    'list-fruit',
    { description: 'All kinds of fruit.', outputSchema: { kinds: z.array(z.string()) } },
    async () => ({ content: [], structuredContent: { kinds: Object.keys(STOCK) } }),
  );
  shop.registerTool(
    'count-fruit',
    {
      description: 'How many of a kind there are.',
      inputSchema: { kind: z.string() },
      outputSchema: { count: z.number() },
    },
    async ({ kind }) => ({ content: [], structuredContent: { count: STOCK[kind] } }),
  );
  return shop;
}

async function main() {
  const executor = new IsolateExecutor({ timeoutMs: 1000 });
  const server = await codeMcpServer(makeShop(), {
    executor,
    namespace: 'shop',
    results: 'value',
  });

  const client = new Client({ name: 'example', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);

  const found = await client.callTool({
    name: 'mcp_search_tools',
    arguments: { query: 'fruit' },
  });
  console.log('The model finds:\n');
  console.log(found.content[0].text);

  // One request in the place of four.
  const code = [
    'const { kinds } = await shop.list_fruit();',
    'const counts = await Promise.all(kinds.map((kind) => shop.count_fruit({ kind })));',
    'console.log(kinds.length + " kinds");',
    'counts.reduce((sum, { count }) => sum + count, 0)',
  ].join('\n');
  const ran = await client.callTool({ name: 'mcp_execute_code', arguments: { code } });
  console.log('\nIts code gives:', ran.structuredContent);

  await client.close();
  await server.close();
  await executor.dispose();
}

main();
