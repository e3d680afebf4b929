'use strict';
// What goes beyond the core of the protocol: descriptions, streams, webhooks, batches, and executors inside other servers.

const http = require('node:http');

const { serve: serveHono } = require('@hono/node-server');
const express = require('express');
const fastify = require('fastify');
const { Hono } = require('hono');

const { createExecutor } = require('../../lib/tpmjs/index.js');
const { until } = require('../support/time.js');
const { client, serve, useExecutor, useRegistry } = require('./support.js');

const { registry, npmrc, directory } = useRegistry();
const options = () => ({ npmrc, cacheDir: `${directory}/cache` });
const executor = useExecutor(() => ({ ...options(), allowPrivateAddresses: true }));

const SCHEMA = `{ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }`;
const KIT = `
  export const json = { description: 'JSON Schema.', inputSchema: ${SCHEMA}, execute: ({ a }) => a + 1 };
  export const wrapped = { description: 'AI SDK.', inputSchema: { [Symbol.for('vercel.ai.schema')]: true, jsonSchema: ${SCHEMA} }, execute: () => 1 };
  export const lazy = { description: 'Lazy.', inputSchema: () => (${SCHEMA}), execute: () => 1 };
  export const bare = { description: 'No schema.', execute: () => 1 };
  export const mute = { inputSchema: ${SCHEMA}, execute: () => 1 };
  export const factory = () => ({ description: 'Made.', inputSchema: ${SCHEMA}, execute: () => 'made' });
  export const keyed = ({ apiKey }) => ({ description: 'Keyed.', inputSchema: ${SCHEMA}, execute: () => apiKey });
  export const notFactory = () => 5;
  export const steps = { description: 'Steps.', async *execute() { console.log('on it'); yield { step: 1 }; yield { step: 2 }; } };
  export const slow = { description: 'Waits for ever.', execute: () => new Promise(() => {}) };
  export default { inner: { description: 'On the default export.', inputSchema: ${SCHEMA}, execute: () => 'inner' } };
`;
const kit = { packageName: 'kit', version: '1.0.0' };

beforeAll(() => {
  registry.publish('kit', { files: { 'index.js': KIT } });
  registry.publish('single', {
    files: {
      'index.js': `export default { name: 'only', description: 'The default.', execute: () => 'default' };`,
    },
  });
});

describe('/load-and-describe', () => {
  test.each(['json', 'wrapped', 'lazy', 'factory'])('describes %s', async (name) => {
    const { body } = await executor.ask('POST', '/load-and-describe', { ...kit, name });
    expect(body).toMatchObject({
      success: true,
      tool: {
        name,
        description: expect.stringMatching(/./),
        inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      },
    });
  });

  test.each([
    ['bare', 'SCHEMA_UNAVAILABLE'],
    ['mute', 'INVALID_TOOL'],
    ['none', 'TOOL_NOT_FOUND'],
    ['keyed', 'TOOL_CONFIGURATION_REQUIRED'],
  ])('%s is %s', async (name, errorCode) => {
    const { body, status } = await executor.ask(
      'POST',
      '/load-and-describe',
      { ...kit, name },
      { 'x-tpmjs-protocol-version': '1.1' },
    );
    expect([status, body.errorStage, body.errorCode]).toEqual([200, 'load', errorCode]);
  });

  test('needs a version', async () => {
    const reply = await executor.ask('POST', '/load-and-describe', {
      packageName: 'kit',
      name: 'json',
    });
    expect(reply.status).toBe(400);
  });
});

test('/list-exports lists tools and others', async () => {
  const { body } = await executor.ask('POST', '/list-exports', kit);
  expect(body).toMatchObject({ success: true, packageName: 'kit', version: '1.0.0' });
  expect(body.exports).toContain('json');
  expect(body.exports).not.toContain('default');
  expect(body.tools).toContainEqual({
    name: 'json',
    isValidTool: true,
    description: 'JSON Schema.',
  });
  expect(body.tools).toContainEqual({
    name: 'notFactory',
    isValidTool: false,
    error: expect.stringMatching(/execute/),
  });
});

describe('tools are found', () => {
  test('on the default export', async () => {
    expect((await executor.execute({ ...kit, name: 'inner' })).output).toBe('inner');
  });

  test('as the default export, by its name', async () => {
    expect((await executor.execute({ packageName: 'single', name: 'only' })).output).toBe(
      'default',
    );
    expect((await executor.execute({ packageName: 'single', name: 'other' })).error.code).toBe(
      'TOOL_NOT_FOUND',
    );
  });

  test('by calling a factory, with env when it needs that', async () => {
    expect((await executor.execute({ ...kit, name: 'factory' })).output).toBe('made');
    const env = { SHOP_API_KEY: 'k' };
    expect((await executor.execute({ ...kit, name: 'keyed', env })).success).toBe(true);
    const body = await executor.execute({ ...kit, name: 'notFactory' });
    expect(body.error.code).toBe('TOOL_INVALID');
  });
});

test('/validate-tool checks params without running the tool', async () => {
  const ask = async (/** @type {object} */ params) =>
    (await executor.ask('POST', '/validate-tool', { ...kit, name: 'json', params })).body;
  expect(await ask({ a: 1 })).toMatchObject({ success: true, valid: true, errors: [] });
  expect(await ask({ a: 'x' })).toMatchObject({
    success: true,
    valid: false,
    errors: [expect.stringMatching(/a/)],
  });
});

test('/execute-batch answers each request', async () => {
  const { body } = await executor.ask('POST', '/execute-batch', {
    requests: [
      { ...kit, name: 'json', params: { a: 1 } },
      { ...kit, name: 'none' },
      { packageName: 'kit' },
      5,
    ],
  });
  expect(body.success).toBe(true);
  expect(body.results.map((one) => one.output ?? one.error.code)).toEqual([
    2,
    'TOOL_NOT_FOUND',
    'INVALID_REQUEST',
    'INVALID_REQUEST',
  ]);
  expect((await executor.ask('POST', '/execute-batch', { requests: [] })).status).toBe(400);
});

describe('streams', () => {
  const headers = { accept: 'text/event-stream' };

  test('tell logs and steps, then the result', async () => {
    const reply = await executor.ask('POST', '/execute-tool', { ...kit, name: 'steps' }, headers);
    expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = reply.text
      .split('\n\n')
      .filter((part) => part.startsWith('event: '))
      .map((part) => part.split('\n'))
      .map(([event, data]) => [event.slice(7), JSON.parse(data.slice(6))]);
    expect(events.map(([event]) => event).sort()).toEqual(['log', 'output', 'output', 'result']);
    expect(events.at(-1)?.[1]).toMatchObject({ success: true, output: { step: 2 } });
    expect(events).toContainEqual(['log', { level: 'log', text: 'on it' }]);
  });

  test('a plain request gets the last step', async () => {
    expect((await executor.execute({ ...kit, name: 'steps' })).output).toEqual({ step: 2 });
  });

  test('a client that goes away ends its tool', async () => {
    const one = await serve({ ...options(), concurrency: 1 });
    try {
      const gone = new AbortController();
      const response = await fetch(`${one.url}/execute-tool`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ ...kit, name: 'slow' }),
        signal: gone.signal,
      });
      expect(response.status).toBe(200);
      gone.abort();
      // The only place is free again long before the tool's time is over.
      const last = { status: 429 };
      await untilAsync(async () => {
        last.status = (await one.ask('POST', '/execute-tool', { ...kit, name: 'bare' })).status;
        return last.status === 200;
      });
      expect(last.status).toBe(200);
    } finally {
      await one.close();
    }
  });
});

/** @param {() => Promise<boolean>} isTrue */
async function untilAsync(isTrue) {
  const end = Date.now() + 10_000;
  while (!(await isTrue())) if (Date.now() > end) throw new Error('not true within its bound');
}

describe('/execute-async', () => {
  /** @type {{ body: any, headers: http.IncomingHttpHeaders }[]} */
  const calls = [];
  let status = 200;
  const hook = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      calls.push({ body: JSON.parse(text), headers: request.headers });
      response.writeHead(status).end();
      status = 200;
    });
  });
  let webhookUrl = '';
  beforeAll(async () => {
    await new Promise((resolve) => {
      hook.listen(0, '127.0.0.1', () => resolve(undefined));
    });
    webhookUrl = `http://127.0.0.1:${/** @type {any} */ (hook.address()).port}/done`;
  });
  afterAll(() => hook.close());

  test('answers at once and calls the webhook with the result, again after a failure', async () => {
    status = 500;
    const reply = await executor.ask('POST', '/execute-async', {
      ...kit,
      name: 'json',
      params: { a: 1 },
      webhookUrl,
    });
    expect(reply.status).toBe(202);
    const { executionId } = reply.body;
    await until(() => calls.length === 2);
    expect(calls[1].body).toMatchObject({ executionId, success: true, output: 2 });
    expect(calls[1].headers['x-tpmjs-protocol-version']).toBe('1.0');
  });

  test.each([
    undefined,
    'nonsense',
    'ftp://example.com/',
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://2130706433/',
    'http://169.254.169.254/latest',
    'http://192.168.0.1/',
  ])('the webhook %s is refused', async (given) => {
    const strict = await serve(options());
    try {
      const reply = await strict.ask('POST', '/execute-async', {
        ...kit,
        name: 'json',
        webhookUrl: given,
      });
      expect([reply.status, reply.body.error.code]).toEqual([400, 'INVALID_REQUEST']);
    } finally {
      await strict.close();
    }
  });

  test('a name that stands for a private address is never called', async () => {
    const before = calls.length;
    const strict = await serve(options());
    const { port } = new URL(webhookUrl);
    const reply = await strict.ask('POST', '/execute-async', {
      ...kit,
      name: 'json',
      params: { a: 1 },
      webhookUrl: `http://localhost:${port}/`,
    });
    expect(reply.status).toBe(202);
    // It ends when all webhooks were called, or given up.
    await strict.close();
    expect(calls).toHaveLength(before);
  });
});

describe('inside other servers', () => {
  const ask = { ...kit, name: 'json', params: { a: 1 } };
  /** @type {(() => unknown)[]} */
  const closers = [];
  afterAll(async () => {
    for (const close of closers) await close();
  });

  /** @param {number} port @param {string} base */
  async function expectService(port, base) {
    const mounted = client(`http://127.0.0.1:${port}${base}`);
    expect((await mounted.ask('GET', '/health')).body.status).toBe('ok');
    expect((await mounted.execute(ask)).output).toBe(2);
    expect((await mounted.ask('GET', '/nowhere')).status).toBe(404);
    const streamed = await mounted.ask('POST', '/execute-tool', ask, {
      accept: 'text/event-stream',
    });
    expect(streamed.text).toMatch(/event: result\ndata: \{"success":true,"output":2/);
  }

  test('Express, behind a parser of bodies too', async () => {
    const inner = createExecutor(options());
    const app = express();
    app.use('/plain', inner.handler);
    app.use('/parsed', express.json(), inner.handler);
    const server = app.listen(0, '127.0.0.1');
    closers.push(
      () => inner.close(),
      () => server.close(),
    );
    await until(() => server.listening);
    const { port } = /** @type {any} */ (server.address());
    await expectService(port, '/plain');
    await expectService(port, '/parsed');
  });

  test('Fastify', async () => {
    const inner = createExecutor({ ...options(), basePath: '/tools' });
    const app = fastify();
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.all('/tools/*', (request, reply) => {
      reply.hijack();
      inner.handler(request.raw, reply.raw);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    closers.push(
      () => inner.close(),
      () => app.close(),
    );
    await expectService(/** @type {any} */ (app.server.address()).port, '/tools');
  });

  test('Hono', async () => {
    const inner = createExecutor({ ...options(), basePath: '/tools' });
    const app = new Hono();
    app.all('/tools/*', (context) => inner.fetch(context.req.raw));
    /** @type {any} */
    let server;
    const port = await new Promise((resolve) => {
      server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (about) =>
        resolve(about.port),
      );
    });
    closers.push(
      () => inner.close(),
      () => server.close(),
    );
    await expectService(port, '/tools');
  });
});
