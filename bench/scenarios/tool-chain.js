'use strict';
// One call of an MCP tool through call_tool_chain, by tier, beside the SDK's client alone. The server is in the same process,
// so that what the chain adds is seen.

const { expectAnswer, timeEach } = require('../harness/timing.js');

/** By case: how the same call is written. */
const CODES = {
  'direct JSON': '{"tool":"b.add","arguments":{"a":42,"b":1}}',
  'one call': 'const r = await b.add({ a: 42, b: 1 });\nreturn r;',
  'code in an isolate': 'const input = { a: 42 };\ninput.b = 1;\nreturn await b.add(input);',
};

function makeServer() {
  const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
  const {
    CallToolRequestSchema,
    ListToolsRequestSchema,
  } = require('@modelcontextprotocol/sdk/types.js');
  const server = new Server({ name: 'b', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: 'add', inputSchema: { type: 'object' } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const { a, b } = /** @type {any} */ (params.arguments);
    return { content: [{ type: 'text', text: String(a + b) }] };
  });
  return server;
}

/**
 * @param {(caseName: string) => Promise<any>} call
 * @param {import('../harness/contract.d.ts').SubjectOptions} options
 * @returns {import('../harness/contract.d.ts').Subject}
 */
function measureCalls(call, { isQuick }) {
  const plan = { count: isQuick ? 20 : 100, pauseMs: 2 };
  return {
    measure: (caseName) =>
      timeEach(async () => expectAnswer((await call(caseName)).content[0].text, '43'), plan),
  };
}

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
async function toolChain(options) {
  const { createToolChain } = require('isobox/tool-chain');
  const chain = createToolChain({ backends: { b: { server: makeServer() } } });
  await chain.ready();
  return measureCalls((caseName) => {
    const code = CODES[/** @type {keyof typeof CODES} */ (caseName)];
    return chain.callToolChain({ code });
  }, options);
}

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
async function client(options) {
  const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
  const { InMemoryTransport } = require('@modelcontextprotocol/sdk/inMemory.js');
  const [near, far] = InMemoryTransport.createLinkedPair();
  const caller = new Client({ name: 'bench', version: '1.0.0' });
  await makeServer().connect(far);
  await caller.connect(near);
  return measureCalls(() => caller.callTool({ name: 'add', arguments: { a: 42, b: 1 } }), options);
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'One call of an MCP tool through call_tool_chain, by tier',
  unit: 'µs',
  better: 'lower',
  cases: Object.keys(CODES),
  rounds: { full: 8, quick: 2 },
  process: 'kept',
  systems: { isobox: toolChain, 'MCP client': client },
};
