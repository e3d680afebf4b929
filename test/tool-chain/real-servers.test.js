'use strict';
// `isobox mcp --tool-chain` on its standard streams, driven by a client of the SDK, over servers from npm.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const {
  StdioClientTransport,
  getDefaultEnvironment,
} = require('@modelcontextprotocol/sdk/client/stdio.js');
const { ElicitRequestSchema } = require('@modelcontextprotocol/sdk/types.js');

const { closeAfterTest } = require('./chains.js');

const root = path.join(__dirname, '..', '..');
const command = path.join(root, 'bin', 'isobox.js');
const serverFile = (name) =>
  path.join(path.dirname(require.resolve(`${name}/package.json`)), 'dist', 'index.js');

/** @type {string} */
let scratch;

beforeAll(() => {
  scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-chain-')));
  fs.writeFileSync(path.join(scratch, 'plums.txt'), 'seven plums');
});
afterAll(() => fs.rmSync(scratch, { recursive: true }));

const servers = () => ({
  everything: {
    command: process.execPath,
    args: [serverFile('@modelcontextprotocol/server-everything')],
  },
  'file-system': {
    command: process.execPath,
    args: [serverFile('@modelcontextprotocol/server-filesystem'), scratch],
  },
});

async function useCommand({
  config = {},
  capabilities = {},
  args = /** @type {string[]} */ ([]),
} = {}) {
  const file = path.join(scratch, 'servers.json');
  fs.writeFileSync(file, JSON.stringify({ mcpServers: servers(), ...config }));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, 'mcp', '--config', file, '--tool-chain', ...args],
    env: { ...getDefaultEnvironment(), XDG_CACHE_HOME: path.join(scratch, 'cache') },
    stderr: 'pipe',
  });
  const output = { stderr: '' };
  transport.stderr?.on('data', (text) => (output.stderr += text));
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  await client.connect(transport);
  closeAfterTest(client);
  /** @type {(code: string, request?: object, options?: any) => Promise<any>} */
  const call = (code, request = {}, options = undefined) =>
    client.callTool(
      { name: 'call_tool_chain', arguments: { code, ...request } },
      undefined,
      options,
    );
  return {
    client,
    transport,
    output,
    call,
    textOf: async (code) => (await call(code)).content[0].text,
  };
}

/** Kills the program that the command started for a backend. */
function killServer(commandPid, name) {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(commandPid)], {
    encoding: 'utf8',
  });
  const line = lines.split('\n').find((one) => one.includes(name));
  process.kill(Number(String(line).trim().split(' ')[0]), 'SIGKILL');
}

test('calls and code reach both servers, in every tier', async () => {
  const { call, client } = await useCommand();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'call_tool_chain',
    'search_tools',
    'tool_info',
    'list_tools_meta',
  ]);

  // Nothing has to wait for the servers: code finds them when they are there.
  const both = await call(`
    const [sum, text] = await Promise.all([
      everything['get-sum']({ a: 2, b: 3 }),
      file_system.read_text_file({ path: ${JSON.stringify(path.join(scratch, 'plums.txt'))} }),
    ]);
    return { sum, text }`);
  expect(both.isError).toBe(false);
  expect(JSON.parse(both.content[0].text)).toEqual({
    sum: 'The sum of 2 and 3 is 5.',
    text: { content: 'seven plums' },
  });

  const one = await call('everything.echo({ message: "hi" })');
  expect(one).toMatchObject({ content: [{ text: 'Echo: hi' }], _meta: { 'isobox/tier': 'call' } });
  const direct = await call('{"tool":"echo","arguments":{"message":"hi"}}');
  expect(direct).toMatchObject({
    content: [{ text: 'Echo: hi' }],
    _meta: { 'isobox/tier': 'direct' },
  });
  const image = await call('const blocks = await everything["get-tiny-image"](); return blocks');
  expect(image.content.map(({ type }) => type)).toEqual(['text', 'image']);
});

test('--host process runs code in a process of its own', async () => {
  const { textOf, transport } = await useCommand({ args: ['--host', 'process'] });
  const args = ['-o', 'args=', '--ppid', String(transport.pid)];
  expect(execFileSync('ps', args, { encoding: 'utf8' })).toContain('guest-process.js');
  expect(await textOf('const a = [1, 2].map((n) => n * 2); a.join("-")')).toBe('2-4');
});

test('tools are found, described and listed', async () => {
  const { client, textOf } = await useCommand();
  await textOf(
    'return [await everything.echo({ message: "" }), await file_system.list_allowed_directories()]',
  );
  const ask = async (name, args) =>
    JSON.parse(
      /** @type {any} */ (await client.callTool({ name, arguments: args })).content[0].text,
    );

  const found = await ask('search_tools', { task_description: 'raed a text fiel' });
  expect(found.tools[0].name).toBe('file-system.read_text_file');
  expect(found.tools[0]).not.toHaveProperty('input_schema');
  const [full] = (
    await ask('search_tools', { task_description: 'directory tree', brief: false, limit: 1 })
  ).tools;
  expect(full.types).toContain('declare namespace file_system');
  const info = await ask('tool_info', { tool_name: 'file_system.read_text_file' });
  expect(info).toMatchObject({
    call: 'file_system.read_text_file(input)',
    input_schema: { type: 'object' },
  });
  const page = await ask('list_tools_meta', { page_size: 5 });
  expect(page.tools).toHaveLength(5);
  const next = await ask('list_tools_meta', { page_size: 1000, cursor: page.next_cursor });
  expect(next.tools).toHaveLength(page.total - 5);
  expect(
    await client.callTool({ name: 'tool_info', arguments: { tool_name: 'nope' } }),
  ).toMatchObject({
    isError: true,
  });
});

test('resources tell about backends, and have what was left out', async () => {
  const { client, call, textOf } = await useCommand();
  const read = async (uri) => {
    const [first] = (await client.readResource({ uri })).contents;
    return /** @type {{ text: string }} */ (first).text;
  };
  await textOf(
    'return [await everything.echo({ message: "" }), await file_system.list_allowed_directories()]',
  );
  const backends = JSON.parse(await read('isobox://backends'));
  expect(backends.map(({ name, state }) => [name, state])).toEqual([
    ['everything', 'ready'],
    ['file-system', 'ready'],
  ]);
  const one = JSON.parse(await read('isobox://backend/file-system'));
  expect(one.tools.map(({ name }) => name)).toContain('file-system.read_text_file');

  const { content } = await call('return Array.from({ length: 2000 }, (_, id) => ({ id }))');
  const uri = /\[Full output: (.+)\]$/.exec(content[0].text)?.[1];
  expect(await read(`${uri}?pointer=/1999/id`)).toBe('1999');
  expect(await read(`${uri}?offset=0&limit=10`)).toContain('go on with offset 10');
  expect(await read(`${uri}?search=1999`)).toMatch(/^\[Places of '1999' by offset\]\n\d+: /);
  const { resources } = await client.listResources();
  expect(resources.map((resource) => resource.uri)).toContain(uri);
  await expect(read('isobox://results/nope')).rejects.toThrow(/There is no result 'nope' any more/);
  await expect(read('isobox://backend/nope')).rejects.toThrow(/There is no backend 'nope'/);
});

test('a server that is killed comes back, and the others notice nothing', async () => {
  const { call, textOf, transport, output } = await useCommand();
  expect(await textOf('everything.echo({ message: "before" })')).toBe('Echo: before');

  // Annotated as idempotent: it is repeated when the server is back.
  const open = call('everything["trigger-long-running-operation"]({ duration: 1, steps: 1 })');
  await new Promise((resolve) => setTimeout(resolve, 300));
  killServer(transport.pid, 'server-everything');
  expect((await open).content[0].text).toMatch(/^Long running operation completed/);
  // The other one noticed nothing, and this one is started again on demand.
  expect(await textOf('file_system.list_allowed_directories()')).toContain(scratch);
  expect(await textOf('everything.echo({ message: "after" })')).toBe('Echo: after');
  expect(output.stderr).toContain('backend everything: It has closed its connection');

  killServer(transport.pid, 'server-filesystem');
  const code =
    'let all = []; for (let i = 0; i < 3; i++) all.push(await file_system.list_allowed_directories()); return all.length';
  expect(await textOf(code)).toBe('3');
});

test('consent is asked of the client, and its refusal is the answer', async () => {
  const config = { approval: { tools: ['file-system.write_file'] } };
  const { client, call } = await useCommand({ config, capabilities: { elicitation: {} } });
  const asked = [];
  const progress = [];
  let action = 'decline';
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message);
    return { action, ...(action === 'accept' && { content: {} }) };
  });
  const file = path.join(scratch, 'written.txt');
  const code = `let x; return await file_system.write_file({ path: ${JSON.stringify(file)}, content: "x" })`;
  const refused = await call(code, {}, { onprogress: (one) => progress.push(one) });
  expect(refused).toMatchObject({ isError: true });
  expect(refused.content[0].text).toBe(
    'file-system.write_file was not approved, and was not called',
  );
  expect(fs.existsSync(file)).toBe(false);
  expect(progress[0].message).toBe('0 calls; waiting for consent to file-system.write_file');
  action = 'accept';
  expect((await call(code)).isError).toBe(false);
  expect(fs.readFileSync(file, 'utf8')).toBe('x');
  expect(asked).toHaveLength(2);
  expect(asked[0]).toMatch(/^May file-system\.write_file be called with this input\?\n/);
});

test('calls are told as progress, and a cancelled request ends', async () => {
  const { call } = await useCommand();
  const progress = [];
  const code = `for (let i = 0; i < 3; i++) await everything["trigger-long-running-operation"]({ duration: 0.2, steps: 1 }); return 'done'`;
  const answer = await call(code, {}, { onprogress: (one) => progress.push(one) });
  expect(answer.content[0].text).toBe('done');
  // Calls that follow each other closely are told together, and one that takes long is told of again.
  const numbers = progress.map((one) => one.progress);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(progress.at(-1).message).toMatch(
    /^[123] calls, last everything\.trigger-long-running-operation$/,
  );

  const controller = new AbortController();
  const cancelled = call('for (;;);', { timeout: 20_000 }, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 300);
  await expect(cancelled).rejects.toThrow(/enough/);
  // Its place is free again at once.
  expect((await call('let x; return 1')).content[0].text).toBe('1');
});

test('tools are known from the start when the command has served before', async () => {
  const list = async ({ client }) => {
    const { content } = await client.callTool({ name: 'list_tools_meta', arguments: {} });
    return JSON.parse(content[0].text).total;
  };
  const cacheHome = path.join(scratch, 'cache');
  fs.rmSync(cacheHome, { recursive: true, force: true });
  const first = await useCommand();
  await first.textOf(
    'return [await everything.echo({ message: "" }), await file_system.list_allowed_directories()]',
  );
  const total = await list(first);
  await first.client.close();
  const [file] = fs.readdirSync(path.join(cacheHome, 'isobox'));
  expect(file).toMatch(/^tools-[0-9a-f]{16}\.json$/);
  // Servers take a moment to start; the list does not wait for them.
  expect(await list(await useCommand())).toBe(total);
  const without = await useCommand({ config: { cache: false } });
  expect(await list(without)).toBeLessThan(total);
});

test('a faulty file is told with its place', async () => {
  const file = path.join(scratch, 'bad.json');
  fs.writeFileSync(file, JSON.stringify({ mcpServers: servers(), sandbox: { timeot: 1 } }));
  const { spawnSync } = require('node:child_process');
  const { status, stderr } = spawnSync(
    process.execPath,
    [command, 'mcp', '--config', file, '--tool-chain'],
    {
      encoding: 'utf8',
    },
  );
  expect(status).not.toBe(0);
  expect(stderr).toContain(`${file}: Unknown option 'timeot' in options.sandbox`);
});
