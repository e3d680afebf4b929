'use strict';
// The life of backends: started in the background, lost, and started again.

const { randomUUID } = require('node:crypto');
const http = require('node:http');
const path = require('node:path');

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { InMemoryTransport } = require('@modelcontextprotocol/sdk/inMemory.js');
const {
  StreamableHTTPServerTransport,
} = require('@modelcontextprotocol/sdk/server/streamableHttp.js');

const { createToolChain } = require('../../lib/tool-chain/index.js');
const { makeRawServer } = require('../mcp/upstreams.js');
const { closeAfterTest, listOf, makeSearchServer, useChain } = require('./chains.js');

const upstreamFile = path.join(__dirname, '..', 'mcp', 'fixtures', 'stdio-upstream.js');

/** A program of the fixtures, with manners. */
const program = (...manners) => ({ command: process.execPath, args: [upstreamFile, ...manners] });

const stateOf = async (chain, name) =>
  JSON.parse((await chain.readResource(`isobox://backend/${name}`)).text);

test.each([
  ['JSON', '{"tool":"up.add","arguments":{"a":1,"b":2}}'],
  ['a single call', 'return await up.add({ a: 1, b: 2 })'],
  ['code', 'let x; return await up.add({ a: 1, b: 2 })'],
])('backends start in the background: %s may come first', async (_name, code) => {
  const chain = closeAfterTest(createToolChain({ backends: { up: program() } }));
  expect(await stateOf(chain, 'up')).toMatchObject({ state: 'starting', tools: [] });
  const { content } = await chain.callToolChain({ code });
  expect(JSON.parse(String(content[0].text))).toEqual({ sum: 3 });
  expect(await stateOf(chain, 'up')).toMatchObject({ state: 'ready' });
});

test('a backend that does not come up is told as starting, and blocks no other', async () => {
  const chain = closeAfterTest(
    createToolChain({ backends: { mute: program('mute'), exa: { server: makeSearchServer() } } }),
  );
  const answers = await Promise.all([
    chain.callToolChain({ code: 'let x; return await mute.anything()', timeout: 4000 }),
    chain.callToolChain({ code: '{"tool":"mute.anything"}', timeout: 4000 }),
    chain.callToolChain({ code: 'let x; return await exa.say({ text: "here" })' }),
  ]);
  const starting =
    "Backend 'mute' is still starting. Its tools are not known yet. Try again shortly.";
  expect(answers.map(({ content }) => content[0].text)).toEqual([starting, starting, 'here']);
  const direct = await chain.callToolChain({ code: '{"tool":"anything"}' });
  expect(direct.content[0].text).toContain('Still starting: mute.');
});

test('a program that quits at once is tried again with growing pauses', async () => {
  const warnings = [];
  const chain = closeAfterTest(
    createToolChain({
      backends: { bad: program('quits'), gone: { command: 'no-such-program-anywhere' } },
      onWarning: (message) => warnings.push(message),
    }),
  );
  await chain.ready();
  expect(await stateOf(chain, 'bad')).toMatchObject({
    state: 'waiting',
    last_error: expect.stringContaining('Cannot connect to the MCP server bad'),
  });
  const { content } = await chain.callToolChain({
    code: 'let x; return await gone.t()',
    timeout: 1500,
  });
  expect(content[0].text).toMatch(
    /^Backend 'gone' is still starting\. .*no-such-program-anywhere.*ENOENT/,
  );
  // Nobody hurried this one: half a second, then one.
  expect(warnings.filter((one) => one.startsWith('backend bad')).length).toBeLessThanOrEqual(4);
});

test('a program that ends under a call: its outcome is unknown, and it is started again', async () => {
  const { chain, errorOf, textOf } = await useChain({ up: program() });
  for (const code of ['up.die()', 'let x; return await up.die()', '{"tool":"up.die"}']) {
    expect(await errorOf(code)).toBe(
      "Outcome unknown: backend 'up' lost its connection while tool 'die' was running. The call may have taken " +
        'effect, and was not repeated. Check before you call it again.',
    );
  }
  expect(await textOf('return (await up.add({ a: 1, b: 2 })).sum')).toBe('3');
  expect((await stateOf(chain, 'up')).restarts).toBe(3);
});

test('a program that is killed is started again for the next call', async () => {
  const { textOf, errorOf } = await useChain({ up: program() });
  const { pid } = JSON.parse(await textOf('up.where()'));
  const open = errorOf('up.hang()');
  process.kill(pid, 'SIGKILL');
  expect(await open).toMatch(/^Outcome unknown/);
  expect(JSON.parse(await textOf('up.where()')).pid).not.toBe(pid);
});

test('a backend has a time and a number of calls of its own', async () => {
  let open = 0;
  let most = 0;
  const slow = {
    list: listOf('t', 'stall'),
    call: async ({ name }) => {
      if (name === 'stall') await new Promise(() => {});
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open--;
      return { content: [{ type: 'text', text: 'done' }] };
    },
  };
  const { textOf, errorOf } = await useChain({
    b: { server: makeRawServer(slow), timeout: 1500, max_concurrent_calls: 2 },
  });
  const code = 'return (await Promise.all(Array.from({ length: 6 }, () => b.t()))).join()';
  expect(await textOf(code)).toBe(Array(6).fill('done').join());
  expect(most).toBe(2);
  expect(await errorOf('b.stall()')).toBe("Backend 'b' did not answer tool 'stall' within 1500 ms");
});

test('a catalogue that changes is read again', async () => {
  const server = makeSearchServer();
  const { call, textOf } = await useChain({ exa: server });
  expect((await call('exa.later()')).isError).toBe(true);
  server.registerTool('later', {}, async () => ({ content: [{ type: 'text', text: 'late' }] }));
  let text;
  for (let i = 0; i < 1000 && text === undefined; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const { content, isError } = await call('exa.later()');
    if (!isError) text = content[0].text;
  }
  expect(text).toBe('late');
  expect(await textOf('let x; return await exa.later()')).toBe('late');
});

/** A server by streamable HTTP, with sessions; `stop` ends it and all of them. */
async function serveHttp(port = 0) {
  const sessions = new Map();
  const server = http.createServer(async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id']);
    if (known !== undefined) return known.handleRequest(request, response);
    if (request.headers['mcp-session-id'] !== undefined) return response.writeHead(404).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await makeSearchServer().connect(transport);
    return transport.handleRequest(request, response);
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  closeAfterTest({ close: async () => server.listening && stop() });
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { port: address.port, stop };
}

test('a server behind an address is connected again when it was started anew', async () => {
  const first = await serveHttp();
  const backend = { url: `http://127.0.0.1:${first.port}/mcp` };
  const chain = closeAfterTest(createToolChain({ backends: { web: backend } }));
  const say = async (text) =>
    (await chain.callToolChain({ code: `web.say({ text: "${text}" })` })).content[0].text;
  await chain.ready();
  expect(await say('one')).toBe('one');
  await first.stop();
  expect(await say('two')).toMatch(/^Outcome unknown: backend 'web' lost its connection/);
  await serveHttp(first.port);
  expect(await say('three')).toBe('three');
});

test("a client of the caller's keeps its listener, and stays open", async () => {
  const client = new Client({ name: 'mine', version: '1.0.0' });
  const closed = jest.fn();
  client.onclose = closed;
  const [near, far] = InMemoryTransport.createLinkedPair();
  await makeSearchServer().connect(far);
  await client.connect(near);
  const chain = createToolChain({ backends: { exa: { client } } });
  await chain.ready();
  expect((await chain.callToolChain({ code: 'exa.say({ text: "x" })' })).content[0].text).toBe('x');
  await chain.close();
  expect(client.transport).toBeDefined();
  expect(client.onclose).toBe(closed);
  await client.close();
  expect(closed).toHaveBeenCalled();
});

test('closing ends what is under way, and the programs', async () => {
  const { chain, call, textOf } = await useChain({ up: program('stubborn') });
  const { pid } = JSON.parse(await textOf('up.where()'));
  const open = [call('up.hang()'), call('let x; return await up.hang()'), call('for (;;);')];
  await new Promise((resolve) => setTimeout(resolve, 100));
  await chain.close();
  for (const answer of await Promise.all(open)) expect(answer.isError).toBe(true);
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});
