'use strict';
// Tools of an MCP server as a guest namespace.

const z = require('zod');

const { createMcpToolProvider, openMcpToolProvider } = require('../../lib/mcp/index.js');
const { sleep } = require('../support/time.js');
const {
  ANY_OBJECT,
  closeAfterTest,
  connectClient,
  makeAnsweringServer,
  makeRawServer,
  makeServer,
  useExecutor,
} = require('./upstreams.js');

const makeDocs = () =>
  makeServer((server) => {
    server.registerTool(
      'search-docs',
      {
        description: 'Finds pages.',
        inputSchema: { query: z.string() },
        outputSchema: { hits: z.array(z.string()) },
      },
      async ({ query }) => ({ content: [], structuredContent: { hits: [query, 'two'] } }),
    );
    server.registerTool('ping', { description: 'Answers.' }, async () => ({
      content: [{ type: 'text', text: 'pong' }],
    }));
  });

/** Tools give values unless a test asks for envelopes. */
const useProvider = async (source, options) =>
  closeAfterTest(await createMcpToolProvider(source, { results: 'value', ...options }));

const run = async (source, code, options) =>
  useExecutor().execute(code, [await useProvider(source, options)]);

describe('sources', () => {
  test.each([
    ['a Client', async () => connectClient(makeDocs())],
    ['{ client }', async () => ({ client: await connectClient(makeDocs()) })],
    ['an McpServer', async () => makeDocs()],
    ['a Server', async () => makeDocs().server],
    ['{ server }', async () => ({ server: makeDocs() })],
  ])('%s is one', async (_name, makeSource) => {
    const code = '[(await mcp.search_docs({ query: "one" })).hits, await mcp.ping()]';
    expect(await run(await makeSource(), code)).toMatchObject({
      ok: true,
      result: [['one', 'two'], 'pong'],
    });
  });

  test.each([[undefined], [null], ['docs'], [{}], [{ client: {} }], [() => {}]])(
    '%p is none',
    async (/** @type {any} */ source) => {
      await expect(createMcpToolProvider(source)).rejects.toThrow(
        'source must be a Client, an McpServer or a Server of the MCP SDK',
      );
    },
  );

  test('a client that is not connected is refused, with what to do', async () => {
    const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
    const client = new Client({ name: 'test', version: '1.0.0' });
    await expect(createMcpToolProvider(client)).rejects.toThrow('await client.connect(transport)');
  });

  test('a server that is connected already is refused, and stays connected', async () => {
    const server = makeDocs();
    const client = await connectClient(server);
    await expect(createMcpToolProvider(server)).rejects.toThrow(/already connected/i);
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  test('closing ends the connection that was made here; the server can be used again', async () => {
    const server = makeDocs();
    const provider = await createMcpToolProvider(server);
    await provider.close();
    expect(server.isConnected()).toBe(false);
    expect(await useExecutor().execute('await mcp.ping()', [provider])).toMatchObject({
      error: { code: 'tool_error', message: expect.stringContaining('not connected any more') },
    });
    const again = await useProvider(server);
    expect(await useExecutor().execute('await mcp.ping()', [again])).toMatchObject({ ok: true });
  });

  test('closing leaves a caller’s client alone', async () => {
    const client = await connectClient(makeDocs());
    const provider = await createMcpToolProvider(client);
    await provider.close();
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  test('a server that cannot list its tools is closed again', async () => {
    const server = makeRawServer({
      list: () => {
        throw new Error('no catalogue today');
      },
    });
    await expect(createMcpToolProvider(server)).rejects.toThrow(
      'Cannot list the tools of the MCP server raw: MCP error -32603: no catalogue today',
    );
    expect(server.transport).toBeUndefined();
  });

  test('openMcpToolProvider gives a handle', async () => {
    const server = makeDocs();
    const handle = await openMcpToolProvider({ server }, { results: 'value' });
    const result = await useExecutor().execute('await mcp.ping()', [handle.provider]);
    await handle.close();
    expect(result).toMatchObject({ ok: true, result: 'pong' });
    expect(server.isConnected()).toBe(false);
  });
});

describe('options', () => {
  test('the namespace is an option', async () => {
    expect(await run(makeDocs(), 'await docs.ping()', { namespace: 'docs' })).toMatchObject({
      result: 'pong',
    });
  });

  test.each([
    [{ name: 'docs' }, "Unknown option 'name'"],
    [{ namespace: 'not an identifier' }, 'Invalid provider namespace'],
    [{ results: 'raw' }, "options.results must be one of 'value', 'envelope'"],
  ])('%j is refused', async (/** @type {any} */ options, message) => {
    const server = makeDocs();
    await expect(createMcpToolProvider(server, options)).rejects.toThrow(message);
    expect(server.isConnected()).toBe(false);
  });

  test('a server sees the client info it is given', async () => {
    const server = makeDocs();
    await useProvider(server, { clientInfo: { name: 'my-agent', version: '2.0.0' } });
    expect(server.server.getClientVersion()).toEqual({ name: 'my-agent', version: '2.0.0' });
  });
});

describe('the catalogue', () => {
  test('names are made safe, and calls go out under the original ones', async () => {
    const called = [];
    const server = makeRawServer({
      list: () => ({
        tools: ['search-docs', 'search.docs', '1tool', 'default', '__proto__'].map((name) => ({
          name,
          inputSchema: ANY_OBJECT,
        })),
      }),
      call: ({ name }) => {
        called.push(name);
        return { content: [] };
      },
    });
    const code =
      'for (const name of Object.keys(mcp)) await mcp[name](); Object.keys(mcp).join(" ")';
    expect(await run(server, code)).toMatchObject({
      result: 'search_docs search_docs__2 _1tool default_ proto',
    });
    expect(called).toEqual(['search-docs', 'search.docs', '1tool', 'default', '__proto__']);
  });

  test('declarations for prompts come from the schemas', async () => {
    const { types } = await useProvider(makeDocs(), { namespace: 'docs' });
    expect(types).toBe(
      [
        'declare namespace docs {',
        '  /** Finds pages. */',
        '  function search_docs(input: {',
        '    query: string;',
        '  }): Promise<{',
        '    hits: string[];',
        '  }>;',
        '  /** Answers. */',
        '  function ping(input?: Record<string, unknown>): Promise<unknown>;',
        '}',
      ].join('\n'),
    );
  });

  test('a server without tools is an empty namespace', async () => {
    const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
    const server = new McpServer({ name: 'empty', version: '1.0.0' });
    expect(await run(server, 'Object.keys(mcp)')).toMatchObject({ ok: true, result: [] });
  });
});

describe('schemas', () => {
  const query = { type: 'object', required: ['query'], properties: { query: { type: 'string' } } };

  test('input that does not fit never reaches the server', async () => {
    let calls = 0;
    const server = makeRawServer({
      list: () => ({ tools: [{ name: 'get', inputSchema: query }] }),
      call: () => ({ content: [{ type: 'text', text: String((calls += 1)) }] }),
    });
    expect(await run(server, 'await mcp.get({ query: 5 })')).toMatchObject({
      error: {
        code: 'validation_error',
        message: 'Invalid input for tool get: input/query must be string',
      },
    });
    expect(calls).toBe(0);
  });

  test.each([
    ['does not fit', { structuredContent: { query: 1 }, content: [] }],
    ['is missing', { content: [{ type: 'text', text: 'nothing structured' }] }],
  ])('structured content that %s is a validation_error', async (_name, answer) => {
    const server = makeRawServer({
      list: () => ({ tools: [{ name: 'get', inputSchema: ANY_OBJECT, outputSchema: query }] }),
      call: () => answer,
    });
    expect(await run(server, 'await mcp.get()')).toMatchObject({
      error: {
        code: 'validation_error',
        message: expect.stringMatching(/^Invalid output for tool get/),
      },
    });
  });

  test('without $schema they are 2020-12, as MCP says', async () => {
    const inputSchema = {
      type: 'object',
      properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false } },
    };
    const server = makeRawServer({ list: () => ({ tools: [{ name: 'get', inputSchema }] }) });
    expect(await run(server, 'await mcp.get({ pair: ["a", "b"] })')).toMatchObject({
      error: { code: 'validation_error' },
    });
  });

  test.each([
    ['of draft 4', { n: { type: 'number', minimum: 1, exclusiveMinimum: true } }],
    ['with a reference to nowhere', { n: { $ref: 'https://example.com/n.json' } }],
    ['with a pattern that is none', { n: { type: 'string', pattern: '(' } }],
    ['with array items of draft 7', { n: { type: 'array', items: [{ type: 'number' }] } }],
  ])(
    'one %s still declares the tool, and leaves the check to the server',
    async (_, properties) => {
      const inputSchema = { type: 'object', properties };
      const server = makeRawServer({
        list: () => ({
          tools: [
            { name: 'odd', inputSchema, outputSchema: inputSchema },
            { name: 'get', inputSchema: query },
          ],
        }),
        call: () => ({ content: [], structuredContent: { n: [1] } }),
      });
      const provider = await useProvider(server);
      expect(provider.types).toContain('n?:');
      expect(provider.tools.odd.inputSchema).toEqual(inputSchema);
      expect(await useExecutor().execute('await mcp.odd({ n: [1] })', [provider])).toMatchObject({
        ok: true,
        result: { n: [1] },
      });
      expect(await useExecutor().execute('await mcp.get({})', [provider])).toMatchObject({
        error: { code: 'validation_error' },
      });
    },
  );
});

describe('results', () => {
  const text = (value) => ({ type: 'text', text: value });
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

  test.each([
    [
      'structured content comes first',
      { content: [text('said')], structuredContent: { a: 1 } },
      { a: 1 },
    ],
    ['one text is a string', { content: [text('said')] }, 'said'],
    ['several texts are lines', { content: [text('a'), text('b')] }, 'a\nb'],
    ['no content is an empty string', { content: [] }, ''],
    [
      'other content is given as it is',
      { content: [text('a'), image] },
      [{ type: 'text', text: 'a' }, image],
    ],
  ])('%s', async (_name, answer, expected) => {
    expect(
      await run(
        makeAnsweringServer(() => answer),
        'await mcp.get()',
      ),
    ).toMatchObject({
      ok: true,
      result: expected,
    });
  });

  test('as an envelope they are whole, as in execbox', async () => {
    const answer = { content: [text('said')], structuredContent: { a: 1 } };
    const server = makeAnsweringServer(() => answer);
    expect(await run(server, 'await mcp.get()', { results: 'envelope' })).toMatchObject({
      ok: true,
      result: answer,
    });
  });

  test('an envelope’s structured content is checked and declared too', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const server = makeRawServer({
      list: () => ({ tools: [{ name: 'get', inputSchema: ANY_OBJECT, outputSchema }] }),
      call: () => ({ content: [], structuredContent: { n: 'one' } }),
    });
    const provider = await useProvider(server, { results: 'envelope' });
    expect(provider.types).toMatch(/structuredContent\?: \{\s+n\?: number;/);
    expect(await useExecutor().execute('await mcp.get()', [provider])).toMatchObject({
      error: {
        code: 'validation_error',
        message: 'Invalid output for tool get: output/structuredContent/n must be number',
      },
    });
  });

  test.each([
    [{ isError: true, content: [text('no such page')] }, 'no such page'],
    [{ isError: true, content: [text('a'), image, text('b')] }, 'a\nb'],
    [{ isError: true, content: [] }, 'The tool get failed and did not say why'],
    [{ isError: true, content: [text('said')], structuredContent: { a: 1 } }, 'said'],
  ])('%j is thrown', async (answer, message) => {
    const server = makeAnsweringServer(() => answer);
    expect(await run(server, 'await mcp.get()')).toMatchObject({
      ok: false,
      error: { code: 'tool_error', message },
    });
    const caught = 'mcp.get().catch((error) => [error.code, error.message])';
    expect(
      await run(
        makeAnsweringServer(() => answer),
        caught,
      ),
    ).toMatchObject({
      result: ['tool_error', message],
    });
  });

  test('a protocol error is thrown too', async () => {
    const server = makeAnsweringServer(() => {
      throw new Error('out of order');
    });
    expect(await run(server, 'await mcp.get()')).toMatchObject({
      error: { code: 'tool_error', message: 'MCP error -32603: out of order' },
    });
  });

  test('answers may come in any order', async () => {
    const server = makeAnsweringServer(async ({ arguments: { ms } }) => {
      await sleep(ms);
      return { content: [text(String(ms))] };
    });
    const code = 'await Promise.all([30, 20, 10, 0].map((ms) => mcp.get({ ms })))';
    expect(await run(server, code)).toMatchObject({ result: ['30', '20', '10', '0'] });
  });
});
