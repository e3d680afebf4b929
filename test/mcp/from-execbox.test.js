'use strict';
// What users of execbox wrote for it does here what it does there.

const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const z = require('zod');

const {
  codeMcpServer,
  createMcpToolProvider,
  getMcpToolSourceServerInfo,
  openMcpToolProvider,
} = require('../../lib/mcp/index.js');
const {
  closeAfterTest,
  connectClient,
  makeAnsweringServer,
  makeServer,
  useExecutor,
} = require('./upstreams.js');

const { version } = require('../../package.json');

const INFO = { name: 'upstream', version: '1.0.0' };

const makeLibrary = () =>
  makeServer((server) => {
    server.registerTool(
      'find-books',
      {
        description: 'Finds books.',
        inputSchema: { author: z.string() },
        outputSchema: { titles: z.array(z.string()) },
      },
      async ({ author }) => ({
        content: [{ type: 'text', text: `books of ${author}` }],
        structuredContent: { titles: [`${author}, collected`] },
      }),
    );
  });

/** A code server as execbox’s users make one, and its client. */
async function wrap(source, options) {
  const server = await codeMcpServer(source, { executor: useExecutor(), ...options });
  closeAfterTest(server);
  return { server, client: await connectClient(server) };
}

describe('a provider', () => {
  test('gives the whole result of a call', async () => {
    const { provider, close } = await openMcpToolProvider({ server: makeLibrary() });
    closeAfterTest({ close });
    const code = 'const { structuredContent, content } = await mcp.find_books({ author: "Ende" });';
    expect(
      await useExecutor().execute(`${code} [structuredContent.titles, content[0].text]`, [
        provider,
      ]),
    ).toMatchObject({ ok: true, result: [['Ende, collected'], 'books of Ende'] });
    expect(provider.name).toBe('mcp');
    expect(provider.originalToSafeName).toEqual({ 'find-books': 'find_books' });
    expect(provider.types).toContain('structuredContent?:');
  });

  test('gives a failed call as a result that says so', async () => {
    const answer = { isError: true, content: [{ type: 'text', text: 'no such book' }] };
    const client = await connectClient(makeAnsweringServer(() => answer));
    const provider = await createMcpToolProvider({ client });
    expect(await useExecutor().execute('await mcp.get({})', [provider])).toMatchObject({
      ok: true,
      result: answer,
    });
  });

  test('knows the server it came from', async () => {
    const client = await connectClient(makeLibrary());
    expect((await openMcpToolProvider({ client })).serverInfo).toMatchObject(INFO);
    const serverInfo = { name: 'named', version: '2.0.0' };
    expect((await openMcpToolProvider({ client, serverInfo })).serverInfo).toEqual(serverInfo);
    const handle = await openMcpToolProvider({ server: makeLibrary() });
    closeAfterTest(handle);
    expect(handle.serverInfo).toBe(undefined);
  });

  test('and so do sources', async () => {
    const client = await connectClient(makeLibrary());
    const serverInfo = { name: 'named', version: '2.0.0' };
    expect(getMcpToolSourceServerInfo({ client })).toMatchObject(INFO);
    expect(getMcpToolSourceServerInfo(client)).toMatchObject(INFO);
    expect(getMcpToolSourceServerInfo({ client, serverInfo })).toEqual(serverInfo);
    expect(getMcpToolSourceServerInfo({ server: makeLibrary(), serverInfo })).toEqual(serverInfo);
    expect(getMcpToolSourceServerInfo({ server: makeLibrary() })).toBe(undefined);
  });
});

describe('a code server', () => {
  test('runs code that reads structured content', async () => {
    const { client } = await wrap({ client: await connectClient(makeLibrary()) });
    const code = '(await mcp.find_books({ author: "Ende" })).structuredContent.titles[0]';
    const ran = await client.callTool({ name: 'mcp_execute_code', arguments: { code } });
    expect(ran.isError).toBe(false);
    expect(ran.structuredContent).toMatchObject({ ok: true, result: 'Ende, collected' });
  });

  test('tells models how tools answer', async () => {
    const description = async (results) => {
      const { client } = await wrap(makeLibrary(), { results });
      return JSON.stringify((await client.listTools()).tools);
    };
    expect(await description(undefined)).toContain('look at structuredContent first');
    expect(await description('value')).toContain('A tool that fails throws');
  });

  test('searches with the names of all tools in both directions', async () => {
    const { client } = await wrap({ server: makeLibrary() }, { namespace: 'library' });
    const search = async (query) =>
      (await client.callTool({ name: 'mcp_search_tools', arguments: { query } })).structuredContent;
    const names = {
      namespace: 'library',
      originalToSafeName: { 'find-books': 'find_books' },
      safeToOriginalName: { find_books: 'find-books' },
    };
    expect(await search('books')).toMatchObject({ ...names, total: 1 });
    expect(await search('weather')).toMatchObject({ ...names, total: 0 });
  });

  test.each([
    ['as its one upstream', {}, INFO],
    ['as it is told to', { serverInfo: { name: 'mine', version: '3.0.0' } }, { name: 'mine' }],
  ])('introduces itself %s', async (_name, options, expected) => {
    const { client } = await wrap({ client: await connectClient(makeLibrary()) }, options);
    expect(client.getServerVersion()).toMatchObject(expected);
  });

  test('introduces itself as isobox where it knows nothing, or there are several', async () => {
    const upstreams = [{ name: 'a', client: await connectClient(makeLibrary()) }];
    for (const source of [{ server: makeLibrary() }, upstreams]) {
      const { client } = await wrap(source);
      expect(client.getServerVersion()).toEqual({ name: 'isobox', version });
    }
  });

  test('is an McpServer, to which more can be registered', async () => {
    const { server, client } = await wrap({ server: makeLibrary() }, { mode: 'single' });
    expect(server).toBeInstanceOf(McpServer);
    server.registerTool('extra', { inputSchema: { n: z.number() } }, async ({ n }) => ({
      content: [{ type: 'text', text: String(n + 1) }],
    }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['mcp_code', 'extra']);
    expect(await client.callTool({ name: 'extra', arguments: { n: 1 } })).toMatchObject({
      content: [{ text: '2' }],
    });
    expect(server.isConnected()).toBe(true);
    await server.close();
    expect(server.isConnected()).toBe(false);
  });

  test('closes what it opened when it cannot be made', async () => {
    const library = makeLibrary();
    // A name that the SDK does not take.
    const options = { executor: useExecutor(), names: { execute: 'constructor' } };
    await expect(codeMcpServer({ server: library }, options)).rejects.toThrow('constructor');
    expect(library.isConnected()).toBe(false);
  });
});
