'use strict';
// `isobox mcp`, driven by a client of the SDK on its standard streams, over upstream servers in processes of their own.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const {
  StreamableHTTPServerTransport,
} = require('@modelcontextprotocol/sdk/server/streamableHttp.js');

const { childrenOf } = require('../execbox/child-processes.js');
const { sleep, until } = require('../support/time.js');

const root = path.join(__dirname, '..', '..');
const command = path.join(root, 'bin', 'isobox.js');
const upstreamFile = path.join(__dirname, 'fixtures', 'stdio-upstream.js');

/** @type {string} */
let scratch;
/** @type {(() => unknown)[]} */
const cleanups = [];

beforeAll(() => {
  scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-mcp-')));
});
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});
afterAll(() => fs.rmSync(scratch, { recursive: true }));

/** An entry of the configuration: the upstream of the fixtures, with manners. */
const program = (...manners) => ({ command: process.execPath, args: [upstreamFile, ...manners] });

const writeConfig = (mcpServers) => {
  const file = path.join(scratch, 'servers.json');
  fs.writeFileSync(file, JSON.stringify({ mcpServers }));
  return file;
};

const commandLine = (mcpServers, ...options) => [
  command,
  'mcp',
  '--config',
  writeConfig(mcpServers),
  ...options,
];

/** The command as a client of the SDK sees it. */
async function useCommand(mcpServers, ...options) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: commandLine(mcpServers, ...options),
    stderr: 'pipe',
  });
  const output = { stderr: '' };
  transport.stderr?.on('data', (text) => (output.stderr += text));
  const client = new Client({ name: 'test', version: '1.0.0' });
  cleanups.push(() => client.close());
  await client.connect(transport);
  /** @type {(code: string) => Promise<any>} */
  const run = async (code) =>
    (await client.callTool({ name: 'mcp_execute_code', arguments: { code } })).structuredContent;
  return { client, output, run };
}

const messagesOf = (stdout) =>
  stdout
    .slice(0, stdout.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** The command as a process: lines in, lines out. */
function startCommand(args) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  cleanups.push(() => child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  const ended = new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return {
    child,
    ended,
    send: (...messages) => {
      for (const message of messages) {
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      }
    },
    /** @returns {Promise<any>} the answer to the request with this id */
    answer: async (id) => {
      for (;;) {
        const found = messagesOf(output.stdout).find((message) => message.id === id);
        if (found !== undefined) return found;
        await new Promise((resolve) => child.stdout.once('data', resolve));
      }
    },
  };
}

const HELLO = [
  {
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    },
  },
  { method: 'notifications/initialized' },
];
const execute = (id, code) => ({
  id,
  method: 'tools/call',
  params: { name: 'mcp_execute_code', arguments: { code } },
});

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A server that speaks streamable HTTP, and what it was asked. */
async function serveHttp() {
  const requests = [];
  const listener = http.createServer(async (request, response) => {
    requests.push({ method: request.method, key: request.headers['x-key'] });
    const server = new McpServer({ name: 'web', version: '1.0.0' });
    server.registerTool('greet', {}, async () => ({ content: [{ type: 'text', text: 'hello' }] }));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.once('close', () => server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', () => resolve(undefined)));
  cleanups.push(() => {
    listener.closeAllConnections();
    return new Promise((resolve) => listener.close(resolve));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address());
  return { url: `http://127.0.0.1:${port}/mcp`, requests };
}

describe('serving', () => {
  test('programs and addresses are namespaces for code', async () => {
    const { url, requests } = await serveHttp();
    const { client, run } = await useCommand({
      'my-maths': program(),
      web: { type: 'http', url, headers: { 'x-key': 'secret' } },
      unused: { command: 'does-not-exist', disabled: true },
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'mcp_search_tools',
      'mcp_execute_code',
      'mcp_code',
    ]);
    const code =
      'console.log("adding"); [(await my_maths.add({ a: 40, b: 2 })).sum, await web.greet()]';
    expect(await run(code)).toMatchObject({ ok: true, result: [42, 'hello'], logs: ['adding'] });
    expect(requests.every(({ key }) => key === 'secret')).toBe(true);
    /** @type {any} */
    const { structuredContent } = await client.callTool({
      name: 'mcp_search_tools',
      arguments: { query: 'adds numbers' },
    });
    expect(structuredContent.tools[0]).toMatchObject({ namespace: 'my_maths', safeName: 'add' });
  });

  test('env and cwd are given to the program, and no more of the environment than it needs', async () => {
    process.env.ISOBOX_TEST_SECRET = 'secret';
    const { run } = await useCommand({
      up: { ...program(), env: { GREETING: 'hi' }, cwd: scratch },
    });
    delete process.env.ISOBOX_TEST_SECRET;
    const { result } = await run('await up.where()');
    expect(result.cwd).toBe(scratch);
    expect(result.env.GREETING).toBe('hi');
    expect(result.env).not.toHaveProperty('ISOBOX_TEST_SECRET');
    expect(result.env).toHaveProperty('PATH');
  });

  test.each(['thread', 'process'])('guests run on host %s', async (host) => {
    const { run } = await useCommand({ up: program() }, '--host', host);
    expect(await run('(await up.add({ a: 1, b: 2 })).sum')).toMatchObject({ ok: true, result: 3 });
  });

  test('limits are options', async () => {
    const { run } = await useCommand({ up: program() }, '--timeout', '300', '--memory', '16m');
    expect(await run('for (;;) {}')).toMatchObject({ error: { code: 'timeout' } });
    expect(await run('new Array(4e6).fill(0).map((_, i) => ({ i })).length')).toMatchObject({
      error: { code: 'memory_limit' },
    });
  });

  test('standard output has the protocol and nothing else; standard error of upstreams passes', async () => {
    const { send, answer, child, ended } = startCommand(
      commandLine({ quiet: program(), loud: program('noisy') }),
    );
    send(...HELLO, execute(1, 'await quiet.say({ line: "from upstream" })'));
    send(execute(2, 'console.log("from guest"); console.error("from guest"); 1'));
    await Promise.all([answer(1), answer(2)]);
    child.stdin.end();
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    expect(messagesOf(stdout).map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual(
      expect.arrayContaining([
        ['2.0', 0],
        ['2.0', 1],
        ['2.0', 2],
      ]),
    );
    expect(stderr).toContain('from upstream');
    expect(stderr).not.toContain('from guest');
  });

  test('lines that are no messages are said to be so, and change nothing', async () => {
    const { send, answer, child, ended } = startCommand(commandLine({ up: program() }));
    child.stdin.write('{"jsonrpc": \n\u0000\n[]\n"text"\n{"jsonrpc":"2.0","id":{}}\n');
    send(...HELLO, execute(1, '1 + 1'));
    expect(await answer(1)).toMatchObject({ result: { structuredContent: { result: 2 } } });
    child.stdin.end();
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining('isobox mcp:') });
  });

  test('an upstream’s answer may be larger than what the SDK takes by itself', async () => {
    const { run } = await useCommand({ up: program() }, '--timeout', '20000');
    expect(await run('(await up.large({ length: 11e6 })).length')).toMatchObject({ result: 11e6 });
  });

  test('a result too large for the client costs that result, not the connection', async () => {
    const { run } = await useCommand({ up: program() });
    expect(await run('"x".repeat(12e6)')).toMatchObject({ error: { code: 'serialization_error' } });
    expect(await run('1')).toMatchObject({ ok: true });
  });
});

test.each([
  ['split', ['mcp_search_tools', 'mcp_execute_code']],
  ['single', ['mcp_code']],
])('--mode %s serves %j', async (mode, expected) => {
  const { client } = await useCommand({ up: program() }, '--mode', mode);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expected);
  expect(client.getInstructions()).toContain(expected[0]);
});

test.each([
  [['--mode', 'triple'], /Allowed choices are both, split, single/],
  [['--mode', 'single', '--tool-chain'], /--mode is for the tools without --tool-chain/],
])('%j is a usage error', async (options, message) => {
  const { ended, child } = startCommand(commandLine({ up: program() }, ...options));
  child.stdin.destroy();
  expect(await ended).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

describe('upstreams that fail', () => {
  test('those that cannot be reached do not end the rest', async () => {
    const { run, output } = await useCommand({
      fine: program(),
      gone: { command: 'does-not-exist', args: ['--token', 'secret'] },
      quits: program('quits'),
    });
    expect(await run('(await fine.add({ a: 1, b: 1 })).sum')).toMatchObject({ result: 2 });
    expect(await run('typeof gone')).toMatchObject({ result: 'undefined' });
    expect(output.stderr).toMatch(
      /the MCP server gone \(does-not-exist\): .*; the others are served without it/,
    );
    expect(output.stderr).not.toContain('secret');
  });

  test('when none can be reached, all are named, without what may be secret', async () => {
    const { ended, child } = startCommand(
      commandLine({
        gone: { command: 'does-not-exist', args: ['--token', 'secret'] },
        quits: program('quits'),
        closed: { url: 'http://127.0.0.1:9/mcp?key=secret' },
      }),
    );
    const { code, stdout, stderr } = await ended;
    child.stdin.destroy();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('the MCP server gone (does-not-exist): spawn does-not-exist ENOENT');
    expect(stderr).toContain('this upstream quits at once');
    expect(stderr).toMatch(/the MCP server quits \(.*\): MCP error -32000: Connection closed/);
    expect(stderr).toMatch(/the MCP server closed \(http:\/\/127\.0\.0\.1:9\/mcp\): /);
    expect(stderr).not.toContain('secret');
    expect(stderr).not.toContain('    at ');
  });

  test('one that dies fails its calls, is told of, and leaves the others', async () => {
    const { run, output } = await useCommand({ mortal: program(), other: program() });
    expect(await run('await mortal.die()')).toMatchObject({
      error: { code: 'tool_error', message: expect.stringContaining('not connected any more') },
    });
    expect(await run('await mortal.add({ a: 1, b: 1 })')).toMatchObject({
      error: { code: 'tool_error' },
    });
    expect(await run('(await other.add({ a: 1, b: 1 })).sum')).toMatchObject({ result: 2 });
    expect(output.stderr).toContain('the MCP server mortal has closed its connection');
  });

  test('one that hangs costs an execution its time, and nothing else', async () => {
    const { run } = await useCommand({ up: program() }, '--timeout', '300');
    expect(await run('await up.hang()')).toMatchObject({ error: { code: 'timeout' } });
    expect(await run('(await up.add({ a: 1, b: 1 })).sum')).toMatchObject({ result: 2 });
  });
});

describe('ends', () => {
  const pidsOf = async ({ send, answer }) => {
    send(...HELLO, execute(1, '[(await a.where()).pid, (await b.where()).pid]'));
    const { result } = await answer(1);
    return result.structuredContent.result;
  };

  test('with its input, with no upstream left', async () => {
    const started = startCommand(commandLine({ a: program(), b: program() }));
    const pids = await pidsOf(started);
    expect(pids.map(isAlive)).toEqual([true, true]);
    started.child.stdin.end();
    expect(await started.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test('with its input, after what was asked is answered', async () => {
    const { send, child, ended } = startCommand(commandLine({ up: program() }));
    send(...HELLO, execute(1, 'await up.slow({ ms: 300 })'), execute(2, '2'), {
      id: 3,
      method: 'tools/list',
    });
    child.stdin.end();
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(
      messagesOf(stdout)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([0, 1, 2, 3]);
    expect(stdout).toContain('at last');
  });

  test('with its input, when nobody waits for what was cancelled', async () => {
    const { send, child, ended } = startCommand(commandLine({ up: program() }));
    send(...HELLO, execute(1, 'await up.hang()'), {
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    });
    child.stdin.end();
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(messagesOf(stdout).map(({ id }) => id)).toEqual([0]);
  });

  test.each(
    /** @type {const} */ ([
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ]),
  )('by %s, whatever runs, with code %d', async (signal, expected) => {
    const started = startCommand(commandLine({ a: program(), b: program() }));
    const pids = await pidsOf(started);
    started.send(execute(2, 'for (;;) {}'), execute(3, 'await a.hang()'));
    await sleep(200);
    started.child.kill(signal);
    expect(await started.ended).toMatchObject({ code: expected, signal: null, stderr: '' });
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test('by SIGTERM while an upstream does not even greet', async () => {
    const { child, ended } = startCommand(commandLine({ up: program('mute') }));
    // It listens for signals before it starts its upstreams.
    await until(() => childrenOf(Number(child.pid)).length > 0);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 143, stdout: '', stderr: '' });
  });

  test('although an upstream does not want to', async () => {
    const started = startCommand(commandLine({ a: program('stubborn'), b: program() }));
    const pids = await pidsOf(started);
    started.child.stdin.end();
    expect(await started.ended).toMatchObject({ code: 0 });
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test('when nobody reads its output any more', async () => {
    const started = startCommand(commandLine({ a: program(), b: program() }));
    const pids = await pidsOf(started);
    started.child.stdout.destroy();
    started.send(execute(2, '2'), execute(3, '3'));
    expect(await started.ended).toMatchObject({ signal: null });
    expect(pids.map(isAlive)).toEqual([false, false]);
  });
});

describe('the command line', () => {
  test.each([
    [['mcp'], "required option '-c, --config <file>' not specified"],
    [['mcp', '--config', '/does/not/exist.json'], 'Cannot read /does/not/exist.json: ENOENT'],
    [['mcp', '--config', __filename], 'is not JSON'],
    [['mcp', '--config', 'x.json', '--timeout', 'soon'], 'It must be a number between 1 and'],
    [['mcp', '--config', 'x.json', '--host', 'cloud'], 'Allowed choices are thread, process'],
  ])('%j is refused with code 2', async (args, message) => {
    const { ended, child } = startCommand([command, ...args]);
    child.stdin.end();
    expect(await ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  test('help shows the form of the configuration', async () => {
    const { ended } = startCommand([command, 'mcp', '--help']);
    expect(await ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"mcpServers"'),
    });
  });
});
