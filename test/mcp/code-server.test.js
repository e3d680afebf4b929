'use strict';
// The code server as its clients see it.

const z = require('zod');

const { codeMcpServer } = require('../../lib/mcp/index.js');
const {
  ANY_OBJECT,
  connectClient,
  makeAnsweringServer,
  makeRawServer,
  makeServer,
  useCodeServer,
  useExecutor,
} = require('./upstreams.js');

const TOOLS = {
  'search-docs': ['Finds pages of the documentation.', { query: z.string() }],
  'create-issue': ['Writes down a problem.', { title: z.string(), labels: z.array(z.string()) }],
  'close-issue': ['Ends the life of a problem.', { number: z.number() }],
};

const makeTracker = () =>
  makeServer((server) => {
    for (const [name, [description, inputSchema]] of Object.entries(TOOLS)) {
      server.registerTool(name, { description, inputSchema }, async (input) => ({
        content: [{ type: 'text', text: `${name} ${JSON.stringify(input)}` }],
      }));
    }
  });

describe('the three tools', () => {
  test('are search, execute, and both in one', async () => {
    const { client } = await useCodeServer(makeTracker());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'mcp_search_tools',
      'mcp_execute_code',
      'mcp_code',
    ]);
    expect(tools[2].description).toContain('function create_issue(input: {');
    expect(client.getServerVersion()).toEqual({
      name: 'isobox',
      version: require('../../package.json').version,
    });
  });

  test.each([
    ['split', ['mcp_search_tools', 'mcp_execute_code']],
    ['single', ['mcp_code']],
  ])('mode %s has %j', async (mode, expected) => {
    const { client } = await useCodeServer(makeTracker(), { mode });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expected);
  });

  test('may have other names, which their descriptions use', async () => {
    const names = { search: 'find', execute: 'run', single: 'do' };
    const { client, call } = await useCodeServer(makeTracker(), { names });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['find', 'run', 'do']);
    expect(JSON.stringify(tools)).not.toContain('mcp_');
    expect(await call('run', { code: '1 + 1' })).toMatchObject({
      structuredContent: { ok: true, result: 2 },
    });
  });

  test('have no anyOf, oneOf or allOf at the root of an input schema: model providers refuse those', async () => {
    const { client } = await useCodeServer(makeTracker());
    for (const { inputSchema } of (await client.listTools()).tools) {
      expect(Object.keys(inputSchema)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/Of$/)]),
      );
    }
  });

  test('a catalogue too large for a description is left to searches', async () => {
    const { client } = await useCodeServer(makeTracker(), { maxTextChars: 200 });
    const { tools } = await client.listTools();
    expect(tools[2].description).not.toContain('declare namespace');
    expect(tools[2].description).toContain('give a query');
  });
});

describe('searching', () => {
  const search = async (args, options) => {
    const { call } = await useCodeServer(makeTracker(), options);
    return call('mcp_search_tools', args);
  };
  const namesFound = async (args) =>
    (await search(args)).structuredContent.tools.map(({ safeName }) => safeName);

  test.each([
    [{}, ['search_docs', 'create_issue', 'close_issue']],
    [{ query: '' }, ['search_docs', 'create_issue', 'close_issue']],
    [{ query: 'search-docs' }, ['search_docs']],
    [{ query: 'DOCUMENTATION' }, ['search_docs']],
    [{ query: 'close issue' }, ['close_issue', 'create_issue']],
    [{ query: 'labels' }, ['create_issue']],
    [{ query: 'issue', limit: 1 }, ['create_issue']],
    [{ query: 'weather' }, []],
    [{ query: '(((' }, ['search_docs', 'create_issue', 'close_issue']],
  ])('%j finds %j', async (args, expected) => {
    expect(await namesFound(args)).toEqual(expected);
  });

  test('tells all about the tools, in structure and in TypeScript', async () => {
    const { structuredContent, content } = await search({ query: 'issue', limit: 1 });
    expect(structuredContent).toMatchObject({
      total: 2,
      tools: [
        {
          namespace: 'mcp',
          safeName: 'create_issue',
          originalName: 'create-issue',
          description: 'Writes down a problem.',
          inputSchema: { type: 'object', required: ['title', 'labels'] },
        },
      ],
    });
    expect(structuredContent.types).toContain('function create_issue(input: {');
    expect(structuredContent.types).not.toContain('close_issue');
    expect(content).toEqual([
      { type: 'text', text: `The best 1 of 2 tools:\n\n${structuredContent.types}` },
    ]);
  });

  test('says so when nothing is found', async () => {
    expect(await search({ query: 'weather' })).toMatchObject({
      content: [{ text: expect.stringContaining('No tool was found') }],
      structuredContent: { total: 0, tools: [], types: '' },
    });
  });
});

describe('executing', () => {
  test('gives result, logs and time, in structure and as text', async () => {
    const { call } = await useCodeServer(makeTracker());
    const code = 'console.log("looking"); (await mcp.search_docs({ query: "a" })).length';
    const { content, structuredContent, isError } = await call('mcp_execute_code', { code });
    expect(structuredContent).toEqual({
      ok: true,
      result: 'search-docs {"query":"a"}'.length,
      logs: ['looking'],
      durationMs: expect.any(Number),
    });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
    expect(isError).toBe(false);
  });

  test('TypeScript and code fences are understood', async () => {
    const { run } = await useCodeServer(makeTracker());
    const code = '```ts\nconst n: number = 41;\nn + 1\n```';
    expect(await run(code)).toMatchObject({ ok: true, result: 42 });
  });

  test.each([
    ['throw new Error("mine")', 'runtime_error', 'mine'],
    ['1 +', 'runtime_error', expect.any(String)],
    ['() => () => 1', 'serialization_error', expect.any(String)],
    ['await mcp.search_docs({})', 'validation_error', expect.stringContaining('query')],
    ['await mcp.missing()', 'runtime_error', expect.stringContaining('missing')],
  ])('%s is an error with its code and what was logged', async (code, errorCode, message) => {
    const { call } = await useCodeServer(makeTracker());
    const logged =
      code.startsWith('()') || code === '1 +' ? code : `console.log("before"); ${code}`;
    expect(await call('mcp_execute_code', { code: logged })).toMatchObject({
      isError: true,
      structuredContent: {
        ok: false,
        error: { code: errorCode, message },
        logs: logged === code ? [] : ['before'],
      },
      content: [{ type: 'text', text: expect.stringContaining(`"code":"${errorCode}"`) }],
    });
  });

  test('undefined is no result', async () => {
    const { run } = await useCodeServer(makeTracker());
    expect(await run('undefined')).toEqual({
      ok: true,
      logs: [],
      durationMs: expect.any(Number),
      result: undefined,
    });
  });

  test('text is cut where it is too long, and says so; structured content is not', async () => {
    const { call } = await useCodeServer(makeTracker(), { maxTextChars: 100 });
    const { content, structuredContent } = await call('mcp_execute_code', {
      code: '"x".repeat(1000)',
    });
    expect(structuredContent.result).toHaveLength(1000);
    expect(content[0].text).toMatch(/^\{"ok":true,"result":"x+\n… \d+ more characters$/);
  });

  test.each([1, 2, 20, 25, 26, 27, 28, 40, 100, 999, 1000, 1040])(
    'no text is longer than %d characters, with what it says of being cut',
    async (maxTextChars) => {
      const { call } = await useCodeServer(makeTracker(), { maxTextChars });
      const code = '"😀".repeat(500)';
      const answers = [
        await call('mcp_execute_code', { code }),
        await call('mcp_code', { code, query: 'issue' }),
        await call('mcp_code', {}),
        await call('mcp_search_tools', {}),
      ];
      for (const { text } of answers.flatMap(({ content }) => content)) {
        expect(text.length).toBeLessThanOrEqual(maxTextChars);
        expect(text.length).toBeGreaterThan(0);
        // What is cut says so where there is room for it, and how much is missing is right.
        const [, kept, left] = /^([^]*)\n… (\d+) more characters$/.exec(text) ?? [];
        if (left !== undefined) expect(kept.length + Number(left)).toBeGreaterThan(maxTextChars);
      }
      const { text } = answers[0].content[0];
      const whole = JSON.stringify(answers[0].structuredContent).length;
      if (maxTextChars >= 40 && maxTextChars < whole) expect(text).toMatch(/more characters$/);
    },
  );

  test.each([16, 17, 18, 19])('no surrogate pair is cut in two, at %d characters', async (n) => {
    const { call } = await useCodeServer(makeTracker(), { maxTextChars: n + 10 });
    const { content } = await call('mcp_execute_code', { code: '"😀".repeat(100)' });
    expect(content[0].text.isWellFormed()).toBe(true);
  });

  test('an executor that breaks its promise is an internal_error', async () => {
    const executor = {
      execute: async () => {
        throw new Error('gone');
      },
    };
    const { run } = await useCodeServer(makeTracker(), { executor });
    expect(await run('1')).toMatchObject({ error: { code: 'internal_error', message: 'gone' } });
  });

  test('many at once do not see each other', async () => {
    const server = makeAnsweringServer(({ arguments: { n } }) => ({
      content: [],
      structuredContent: { n },
    }));
    const { run } = await useCodeServer(server);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        run(`globalThis.seen = (globalThis.seen ?? 0) + 1; (await mcp.get({ n: ${n} })).n * seen`),
      ),
    );
    expect(results.map(({ result }) => result)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });
});

describe('searching and executing in one', () => {
  test('a query alone searches', async () => {
    const { call } = await useCodeServer(makeTracker());
    const { structuredContent, content, isError } = await call('mcp_code', { query: 'docs' });
    expect(structuredContent).toEqual({
      catalogue: expect.objectContaining({
        total: 1,
        types: expect.stringContaining('search_docs'),
      }),
    });
    expect(content).toHaveLength(1);
    expect(isError).toBeFalsy();
  });

  test('code alone runs', async () => {
    const { call } = await useCodeServer(makeTracker());
    expect((await call('mcp_code', { code: '[1]' })).structuredContent).toEqual({
      ok: true,
      result: [1],
      logs: [],
      durationMs: expect.any(Number),
    });
  });

  test('both do both, also when the code fails', async () => {
    const { call } = await useCodeServer(makeTracker());
    const args = { code: 'await mcp.find_docs()', query: 'docs' };
    expect(await call('mcp_code', args)).toMatchObject({
      isError: true,
      structuredContent: {
        ok: false,
        error: { code: 'runtime_error' },
        catalogue: { tools: [{ safeName: 'search_docs' }] },
      },
      content: [{ type: 'text' }, { text: expect.stringContaining('search_docs') }],
    });
  });

  test('neither is refused', async () => {
    const { call } = await useCodeServer(makeTracker());
    expect(await call('mcp_code', {})).toMatchObject({
      isError: true,
      content: [{ text: 'mcp_code needs code to run, a query to search for, or both' }],
    });
  });
});

describe('wrong requests', () => {
  test.each([
    ['no code', 'mcp_execute_code', {}, 'code'],
    ['no arguments', 'mcp_execute_code', undefined, 'code'],
    ['a number as code', 'mcp_execute_code', { code: 5 }, 'code'],
    ['no tools to show', 'mcp_search_tools', { limit: 0 }, 'limit'],
    ['too many tools to show', 'mcp_search_tools', { limit: 1e9 }, 'limit'],
    ['a long query', 'mcp_search_tools', { query: 'x'.repeat(1001) }, 'query'],
    ['a tool that is not there', 'search-docs', { query: 'a' }, 'search-docs'],
  ])('%s is answered for the model to read', async (_name, tool, args, word) => {
    const { call } = await useCodeServer(makeTracker());
    expect(await call(tool, args)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(word) }],
    });
  });
});

describe('several upstreams', () => {
  const upstreams = (...names) => names.map((name) => ({ name, server: makeTracker() }));

  test('have a namespace each, by their names', async () => {
    const { run, call } = await useCodeServer(upstreams('my-tracker', 'other tracker', '3rd'));
    const code = '[await my_tracker.close_issue({ number: 1 }), typeof other_tracker, typeof _3rd]';
    expect(await run(code)).toMatchObject({
      result: ['close-issue {"number":1}', 'object', 'object'],
    });
    const { structuredContent } = await call('mcp_search_tools', { query: 'other close' });
    expect(structuredContent.tools[0]).toMatchObject({
      namespace: 'other_tracker',
      safeName: 'close_issue',
    });
    // There is no one namespace, and one name may be that of several tools.
    expect(Object.keys(structuredContent)).toEqual(['total', 'tools', 'types']);
  });

  test('names that collide when made safe are numbered', async () => {
    const { run } = await useCodeServer(upstreams('a-b', 'a.b'));
    expect(await run('[typeof a_b, typeof a_b__2]')).toMatchObject({
      result: ['object', 'object'],
    });
  });

  test('when one cannot be used, none is left open, and all reasons are told', async () => {
    const good = makeTracker();
    const broken = (reason) =>
      makeRawServer({
        list: () => {
          throw new Error(reason);
        },
      });
    const opening = codeMcpServer(
      [
        { name: 'good', server: good },
        { name: 'bad', server: broken('first reason') },
        { name: 'worse', server: broken('second reason') },
      ],
      { executor: useExecutor() },
    );
    await expect(opening).rejects.toThrow(/first reason[^]*second reason/);
    expect(good.isConnected()).toBe(false);
  });

  test.each([
    [[], 'at least one upstream'],
    [[{ server: {} }], 'upstream[0].name must be a string'],
    [[undefined], 'upstream[0].name must be a string'],
    [[{ name: 'a' }], 'must be a Client, an McpServer or a Server'],
    [upstreams('a', 'a'), 'Two upstreams have the same name'],
    [upstreams('undefined'), 'Invalid provider namespace'],
  ])('%p is refused', async (/** @type {any} */ given, message) => {
    await expect(codeMcpServer(given, { executor: useExecutor() })).rejects.toThrow(message);
  });
});

describe('options and ends', () => {
  test.each([
    [undefined, 'options.executor must be an executor'],
    [{ executor: {} }, 'options.executor must be an executor'],
    [{ executor: { execute() {} }, mode: 'triple' }, 'options.mode must be one of'],
    [{ executor: { execute() {} }, names: { search: 'a', execute: 'a' } }, 'must differ'],
    [{ executor: { execute() {} }, names: { find: 'a' } }, "Unknown option 'find'"],
    [{ executor: { execute() {} }, maxTextChars: 0 }, 'options.maxTextChars'],
    [{ executor: { execute() {} }, timeoutMs: 5 }, "Unknown option 'timeoutMs'"],
  ])('%j is refused', async (/** @type {any} */ options, message) => {
    const upstream = makeTracker();
    await expect(codeMcpServer(upstream, options)).rejects.toThrow(message);
    expect(upstream.isConnected()).toBe(false);
  });

  test('closing ends what was connected here, and leaves the caller’s client and executor', async () => {
    const owned = makeTracker();
    const client = await connectClient(makeTracker());
    const { server } = await useCodeServer([
      { name: 'owned', server: owned },
      { name: 'lent', client },
    ]);
    await server.close();
    await server.close();
    expect(owned.isConnected()).toBe(false);
    expect((await client.listTools()).tools).toHaveLength(3);
    expect(await useExecutor().execute('1')).toMatchObject({ ok: true });
  });

  test('a code server can be the upstream of another', async () => {
    const inner = await codeMcpServer(makeTracker(), { executor: useExecutor(), results: 'value' });
    const { run } = await useCodeServer(inner);
    const code =
      '(await mcp.mcp_execute_code({ code: "await mcp.close_issue({ number: 7 })" })).result';
    expect(await run(code)).toMatchObject({ result: 'close-issue {"number":7}' });
  });

  test('structured content fits the output schemas that are declared', async () => {
    const { client, call } = await useCodeServer(makeTracker());
    // From here on the client checks every answer.
    await client.listTools();
    await call('mcp_search_tools', { query: 'issue' });
    await call('mcp_execute_code', { code: '({ a: [1, "two", null] })' });
    await call('mcp_code', { code: 'undefined', query: 'docs' });
    await call('mcp_code', { query: 'nothing like it' });
    expect((await call('mcp_execute_code', { code: 'throw 1' })).isError).toBe(true);
  });

  test('tools of every schema are shown', async () => {
    const { call } = await useCodeServer(
      makeRawServer({ list: () => ({ tools: [{ name: 'bare', inputSchema: ANY_OBJECT }] }) }),
    );
    expect((await call('mcp_search_tools', {})).structuredContent).toEqual({
      total: 1,
      tools: [
        { namespace: 'mcp', safeName: 'bare', originalName: 'bare', inputSchema: ANY_OBJECT },
      ],
      types: expect.any(String),
      namespace: 'mcp',
      originalToSafeName: { bare: 'bare' },
      safeToOriginalName: { bare: 'bare' },
    });
  });
});
