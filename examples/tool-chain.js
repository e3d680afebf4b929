'use strict';
// Two MCP servers behind one tool. A model finds tools by words, then sends one program in the place of many calls.
//
// On the command line the same is: npx isobox mcp --config servers.json --tool-chain

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { InMemoryTransport } = require('@modelcontextprotocol/sdk/inMemory.js');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const z = require('zod');

const { createToolChain, toolChainMcpServer } = require('isobox/tool-chain');

const STOCK = { apples: 12, pears: 0, plums: 7 };

function makeShop() {
  const shop = new McpServer({ name: 'shop', version: '1.0.0' });
  shop.registerTool(
    'count-fruit',
    {
      description: 'How many pieces of a kind of fruit are in stock.',
      inputSchema: { kind: z.string() },
      outputSchema: { count: z.number() },
    },
    async ({ kind }) => ({ content: [], structuredContent: { count: STOCK[kind] ?? 0 } }),
  );
  return shop;
}

function makeMail() {
  const mail = new McpServer({ name: 'mail', version: '1.0.0' });
  mail.registerTool(
    'send',
    {
      description: 'Sends a letter.',
      inputSchema: { to: z.string(), text: z.string() },
      annotations: { openWorldHint: true },
    },
    async ({ to, text }) => ({ content: [{ type: 'text', text: `sent to ${to}: ${text}` }] }),
  );
  return mail;
}

async function main() {
  const chain = createToolChain({
    backends: { shop: { server: makeShop() }, mail: { server: makeMail() } },
    approval: {
      tools: ['mail.send'],
      async ask({ backend, tool, input }) {
        console.log(`\nMay ${backend}.${tool} be called with ${JSON.stringify(input)}? Yes.`);
        return true;
      },
    },
  });
  await chain.ready();

  const client = new Client({ name: 'example', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await toolChainMcpServer(chain).connect(far);
  await client.connect(near);
  const call = async (name, args) =>
    (await client.callTool({ name, arguments: args })).content[0].text;

  console.log('The model looks for tools:\n');
  console.log(
    await call('search_tools', { task_description: 'cuont fruits', brief: false, limit: 1 }),
  );

  const code = `
    const missing = [];
    for (const kind of ['apples', 'pears', 'plums', 'quinces']) {
      if ((await shop.count_fruit({ kind })).count === 0) missing.push(kind);
    }
    return await mail.send({ to: 'orchard', text: 'Please bring ' + missing.join(' and ') });`;
  console.log('\nIts code gives:', await call('call_tool_chain', { code }));

  await client.close();
  await chain.close();
}

main();
