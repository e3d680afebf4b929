'use strict';
// What a code server does for the models that use it: search, instructions, annotations, images.

const { closeAfterTest, makeRawServer, makeServer, useCodeServer } = require('./upstreams.js');

const IMAGE = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const LINK = { type: 'resource_link', uri: 'file:///a.txt', name: 'a' };

const makeCamera = () =>
  makeServer((server) => {
    const give =
      (...content) =>
      async () => ({ content });
    server.registerTool('shoot', {}, give({ type: 'text', text: 'a picture' }, IMAGE));
    server.registerTool('link', {}, give(LINK));
  });

describe('searching', () => {
  const names = ['create_issue', 'close_issue', 'list_pull_requests', 'sendMessage'];
  const useTools = () =>
    useCodeServer(
      makeRawServer({
        list: () => ({
          tools: names.map((name) => ({
            name,
            description: `${name.replace('_', 's a ')} of the tracker`,
            inputSchema: { type: 'object' },
          })),
        }),
      }),
    );

  test.each([
    ['typing errors', 'creaet isue', 'create_issue'],
    ['a missing letter', 'pul request', 'list_pull_requests'],
    ['words in a name', 'send message', 'sendMessage'],
    ['the best first', 'close an issue of the tracker', 'close_issue'],
  ])('finds by %s', async (_name, query, expected) => {
    const { call } = await useTools();
    for (const tool of ['mcp_search_tools', 'mcp_code']) {
      const { structuredContent } = await call(tool, { query });
      const { tools } = structuredContent.catalogue ?? structuredContent;
      expect(tools[0].originalName).toBe(expected);
    }
  });
});

describe('instructions', () => {
  test.each([
    [
      'both',
      /Find tools with mcp_search_tools, then send code that calls them to mcp_execute_code/,
    ],
    ['split', /Find tools with mcp_search_tools/],
    ['single', /Send a query to mcp_code to find tools, then code that calls them/],
  ])('of mode %s say how its tools are used', async (mode, expected) => {
    const { client } = await useCodeServer([{ name: 'camera', server: makeCamera() }], { mode });
    expect(client.getInstructions()).toMatch(expected);
    expect(client.getInstructions()).toContain('the namespace camera');
  });

  test('may be others', async () => {
    const { client } = await useCodeServer(makeCamera(), { instructions: 'Be quick.' });
    expect(client.getInstructions()).toBe('Be quick.');
  });
});

test('annotations tell what searches from what may do anything', async () => {
  const { client } = await useCodeServer(makeCamera());
  const { tools } = await client.listTools();
  expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([true, false, false]);
  expect(tools.map(({ annotations }) => annotations?.destructiveHint)).toEqual([
    undefined,
    true,
    true,
  ]);
});

describe('images and the like are content', () => {
  test.each(['value', 'envelope'])('with results as %s', async (results) => {
    const { call } = await useCodeServer(makeCamera(), { results });
    const { content, structuredContent } = await call('mcp_execute_code', {
      code: '({ taken: await mcp.shoot(), link: await mcp.link() })',
    });
    expect(content.slice(1)).toEqual([IMAGE, LINK]);
    expect(content[0].text).toContain('[image image/png: content 2]');
    expect(content[0].text).toContain('[resource_link file:///a.txt: content 3]');
    expect(JSON.stringify(structuredContent)).not.toContain(IMAGE.data);
    expect(structuredContent.ok).toBe(true);
  });

  test('one by itself, and with a search', async () => {
    const { call } = await useCodeServer(makeCamera());
    const { content, structuredContent } = await call('mcp_code', {
      code: '(await mcp.shoot())[1]',
      query: 'shoot',
    });
    expect(structuredContent.result).toBe('[image image/png: content 2]');
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
  });

  test('but not what only looks like it', async () => {
    const { call } = await useCodeServer(makeCamera());
    const code = '[{ type: "image", data: "no base64!", mimeType: "x" }, { type: "image" }]';
    const { content, structuredContent } = await call('mcp_execute_code', { code });
    expect(content).toHaveLength(1);
    expect(structuredContent.result).toEqual([
      { type: 'image', data: 'no base64!', mimeType: 'x' },
      { type: 'image' },
    ]);
  });
});

describe('an upstream that cannot be used', () => {
  const broken = () =>
    makeRawServer({
      list: () => {
        throw new Error('no tools today');
      },
    });

  test('is left out where somebody is told', async () => {
    const errors = [];
    const { client, run } = await useCodeServer(
      [
        { name: 'camera', server: makeCamera() },
        { name: 'broken', server: broken() },
      ],
      { onUpstreamError: (error) => errors.push(error.message) },
    );
    closeAfterTest(client);
    expect(errors).toEqual([expect.stringContaining('no tools today')]);
    expect(await run('[typeof camera, typeof broken]')).toMatchObject({
      result: ['object', 'undefined'],
    });
  });

  test('is an error when none is left', async () => {
    const onUpstreamError = jest.fn();
    const opening = useCodeServer([{ name: 'broken', server: broken() }], { onUpstreamError });
    await expect(opening).rejects.toThrow('no tools today');
    expect(onUpstreamError).not.toHaveBeenCalled();
  });
});

test.each([
  [{ instructions: 5 }, /options.instructions must be a string/],
  [{ onUpstreamError: 5 }, /options.onUpstreamError must be a function/],
])('%j is refused', async (options, message) => {
  await expect(useCodeServer(makeCamera(), options)).rejects.toThrow(message);
});
