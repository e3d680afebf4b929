'use strict';
// tools/list, page by page, from servers that mean well and from others.

const { createMcpToolProvider } = require('../../lib/mcp/index.js');
const { MAX_PAGES, MAX_TOOLS } = require('../../lib/mcp/list-tools.js');
const { ANY_OBJECT, closeAfterTest, makeRawServer } = require('./upstreams.js');

const tool = (name) => ({ name, inputSchema: ANY_OBJECT });

const listNames = async (list) => {
  const provider = closeAfterTest(await createMcpToolProvider(makeRawServer({ list })));
  return Object.keys(provider.tools);
};

test('all pages are read', async () => {
  const pages = {
    '': { tools: [tool('a')], nextCursor: '1' },
    1: { tools: [], nextCursor: '2' },
    2: { tools: [tool('b'), tool('c')] },
  };
  expect(await listNames(({ cursor = '' }) => pages[cursor])).toEqual(['a', 'b', 'c']);
});

test('an empty cursor is the end', async () => {
  expect(await listNames(() => ({ tools: [tool('a')], nextCursor: '' }))).toEqual(['a']);
});

test('of tools with the same name the first counts, on the same page or another', async () => {
  const described = (description) => ({ ...tool('a'), description });
  const server = makeRawServer({
    list: ({ cursor }) =>
      cursor === undefined
        ? { tools: [described('first'), described('second')], nextCursor: '1' }
        : { tools: [described('third'), tool('b')] },
  });
  const provider = closeAfterTest(await createMcpToolProvider(server));
  expect(Object.keys(provider.tools)).toEqual(['a', 'b']);
  expect(provider.tools.a.description).toBe('first');
});

test.each([
  ['the same cursor again', () => 'again'],
  ['two cursors in turn', (n) => (n % 2 === 0 ? 'even' : 'odd')],
])('a server that gives %s is refused, not followed for ever', async (_name, nextCursor) => {
  let requests = 0;
  const list = () => ({ tools: [], nextCursor: nextCursor((requests += 1)) });
  await expect(listNames(list)).rejects.toThrow(
    'Cannot list the tools of the MCP server raw: it gives the same cursor twice',
  );
  expect(requests).toBeLessThanOrEqual(3);
});

test('a server with ever new cursors is refused', async () => {
  let requests = 0;
  const list = () => ({ tools: [], nextCursor: String((requests += 1)) });
  await expect(listNames(list)).rejects.toThrow(`it has more than ${MAX_PAGES} pages`);
  expect(requests).toBe(MAX_PAGES);
});

test('a server with ever new tools is refused', async () => {
  let made = 0;
  const list = () => ({
    tools: Array.from({ length: 5000 }, () => tool(`t${(made += 1)}`)),
    nextCursor: String(made),
  });
  await expect(listNames(list)).rejects.toThrow(`it has more than ${MAX_TOOLS} tools`);
});

test.each([
  ['no list', {}],
  ['a tool without a name', { tools: [{ inputSchema: ANY_OBJECT }] }],
  ['a tool without a schema', { tools: [{ name: 'a' }] }],
  [
    'a schema of something else than an object',
    { tools: [{ name: 'a', inputSchema: { type: 'string' } }] },
  ],
])('%s is refused', async (_name, answer) => {
  await expect(listNames(() => answer)).rejects.toThrow(
    'Cannot list the tools of the MCP server raw',
  );
});
