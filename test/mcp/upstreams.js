'use strict';
// Servers, clients and executors of the SDK's own, connected in memory, and closed after each test.

const { PassThrough } = require('node:stream');

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { InMemoryTransport } = require('@modelcontextprotocol/sdk/inMemory.js');
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const {
  CallToolRequestSchema,
  ListToolsRequestSchema,
} = require('@modelcontextprotocol/sdk/types.js');

const { IsolateExecutor } = require('../../lib/execbox/index.js');
const { codeMcpServer } = require('../../lib/mcp/index.js');

const ANY_OBJECT = Object.freeze({ type: 'object' });

/** @type {{ close(): Promise<void> }[]} */
const open = [];
/** @type {InstanceType<typeof IsolateExecutor> | undefined} */
let executor;

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
afterAll(() => executor?.dispose());

/** One for the whole file, made when it is first needed. */
function useExecutor() {
  executor ??= new IsolateExecutor({ timeoutMs: 5000 });
  return executor;
}

/**
 * @template {{ close(): Promise<void> }} T
 * @param {T} closable
 */
function closeAfterTest(closable) {
  open.push(closable);
  return closable;
}

/** A server with the tools a test gives it: `(server) => server.registerTool(…)`. */
function makeServer(register) {
  const server = new McpServer({ name: 'upstream', version: '1.0.0' });
  register(server);
  return server;
}

/**
 * A server that says whatever a test wants, beyond what the SDK's own would.
 *
 * @param {{ list?: (params: any) => any, call?: (params: any, extra: any) => any }} handlers
 */
function makeRawServer({ list = () => ({ tools: [] }), call = () => ({ content: [] }) }) {
  const server = new Server({ name: 'raw', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => list(params ?? {}));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => call(params, extra));
  return server;
}

/** One tool `get` that answers with what `answer` gives. */
function makeAnsweringServer(answer) {
  return makeRawServer({
    list: () => ({ tools: [{ name: 'get', inputSchema: ANY_OBJECT }] }),
    call: answer,
  });
}

/** Both ends of a connection: objects handed over in memory, or lines of JSON as between processes. */
const LINKS = {
  'in memory': () => InMemoryTransport.createLinkedPair(),
  'as lines of JSON': () => {
    const [there, back] = [new PassThrough(), new PassThrough()];
    const options = { maxBufferSize: 2 ** 28 };
    return [
      new StdioServerTransport(back, there, options),
      new StdioServerTransport(there, back, options),
    ];
  },
};

/** A client of the SDK, connected to a server. */
async function connectClient(server, link = 'in memory') {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const [near, far] = LINKS[link]();
  await server.connect(far);
  await client.connect(near);
  return closeAfterTest(client);
}

/**
 * A code server over an upstream, as a client sees it. Tools give values unless a test asks for envelopes.
 *
 * @param {any} upstream
 * @param {{ link?: keyof typeof LINKS, [option: string]: any }} [options] `link` is how its client is connected
 */
async function useCodeServer(upstream, { link, ...options } = {}) {
  const server = await codeMcpServer(upstream, {
    executor: useExecutor(),
    results: 'value',
    ...options,
  });
  closeAfterTest(server);
  const client = await connectClient(server, link);
  /** @type {(name: string, args: any, requestOptions?: any) => Promise<any>} */
  const call = (name, args, requestOptions) =>
    client.callTool({ name, arguments: args }, undefined, requestOptions);
  return {
    client,
    server,
    call,
    /** @type {(code: string, requestOptions?: any) => Promise<any>} the structured content of an execution */
    run: async (code, requestOptions) =>
      (await call('mcp_execute_code', { code }, requestOptions)).structuredContent,
  };
}

module.exports = {
  ANY_OBJECT,
  LINKS,
  closeAfterTest,
  connectClient,
  makeAnsweringServer,
  makeRawServer,
  makeServer,
  useCodeServer,
  useExecutor,
};
