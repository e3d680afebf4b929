'use strict';
// The protocol over real HTTP: every line of the implementation checklist, in both versions.

const net = require('node:net');

const { serve, useDirectory, useExecutor, useRegistry } = require('./support.js');

const { registry, npmrc, directory } = useRegistry();
const FAST = { installTimeoutMs: 30_000, cacheDir: `${directory}/cache` };
const executor = useExecutor(() => ({ ...FAST, npmrc }));
const ECHO = `
  export const echo = { description: 'Echoes.', inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    execute: async (params, options) => ({ params, env: process.env.KEY ?? null, id: typeof options.toolCallId, messages: options.messages }) };
  export const nothing = { description: 'Nothing.', execute: () => undefined };
  export const thrower = { description: 'Throws.', execute() { throw new Error('Invalid input'); } };
  export const steps = { description: 'Steps.', async *execute() { console.log('on it'); yield { step: 1 }; yield { step: 2 }; } };
  export const notATool = { description: 'None.' };
  export const loop = { description: 'Loops.', execute() { for (;;); } };
`;
const echo = { packageName: 'echo', name: 'echo', version: '1.0.0', params: { a: 1 } };

beforeAll(() => registry.publish('echo', { files: { 'index.js': ECHO } }));

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Authorization, X-TPMJS-Protocol-Version',
};

/** @param {Headers} headers */
const corsOf = (headers) =>
  Object.fromEntries(Object.keys(CORS).map((name) => [name, headers.get(name)]));

describe('core', () => {
  test('GET /health returns status and protocol version', async () => {
    const { status, body } = await executor.ask('GET', '/health');
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      protocolVersion: '1.0',
      implementationVersion: expect.any(String),
      runtime: 'node',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test('POST /execute-tool accepts the standard request and returns output and time', async () => {
    const body = await executor.execute({ ...echo, env: { KEY: 'of the request' } });
    expect(body).toEqual({
      success: true,
      output: { params: { a: 1 }, env: 'of the request', id: 'string', messages: [] },
      executionTimeMs: expect.any(Number),
      metadata: expect.objectContaining({ isolation: 'isolate', version: '1.0.0' }),
    });
  });

  test('the version is the latest unless the request names one', async () => {
    const { version: _none, ...unversioned } = echo;
    const body = await executor.execute(unversioned);
    expect(body.metadata.version).toBe('1.0.0');
  });

  test('a tool that returns nothing has the output null', async () => {
    expect((await executor.execute({ ...echo, name: 'nothing' })).output).toBeNull();
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no body', undefined],
    ['no packageName', { name: 'a' }],
    ['no name', { packageName: 'a' }],
    ['params that are a list', { ...echo, params: [] }],
    ['env that is no text', { ...echo, env: { A: 1 } }],
    ['a package that is a path', { ...echo, packageName: '../../x' }],
    ['a package that is a URL', { ...echo, packageName: 'http://127.0.0.1/x.tgz' }],
    ['a version that is a path', { ...echo, version: 'file:../x' }],
    ['a version that is another package', { ...echo, version: 'npm:other@1.0.0' }],
  ])('a request with %s is answered 400', async (_what, body) => {
    const reply = await executor.ask('POST', '/execute-tool', body);
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      success: false,
      error: { code: 'INVALID_REQUEST', message: expect.any(String) },
    });
    expect(corsOf(reply.headers)).toEqual(CORS);
  });

  test('CORS headers are on every response, and OPTIONS is answered on every path', async () => {
    for (const [method, place, status] of /** @type {const} */ ([
      ['GET', '/health', 200],
      ['GET', '/info', 200],
      ['GET', '/nowhere', 404],
      ['POST', '/execute-tool', 400],
      ['OPTIONS', '/execute-tool', 200],
      ['OPTIONS', '/nowhere', 200],
    ])) {
      const reply = await executor.ask(method, place);
      expect([place, reply.status, corsOf(reply.headers)]).toEqual([place, status, CORS]);
    }
  });

  test('an unknown endpoint is answered 404', async () => {
    const { body } = await executor.ask('GET', '/nowhere');
    expect(body).toEqual({
      success: false,
      error: { code: 'NOT_FOUND', message: expect.any(String) },
    });
  });

  test.each(['/api/health', '//health', '/api//health/', '/health?x=1', '//api/health'])(
    '%s is /health',
    async (place) => {
      expect((await executor.ask('GET', place)).body.status).toBe('ok');
    },
  );

  test('/api/execute-tool is /execute-tool', async () => {
    expect((await executor.ask('POST', '//api/execute-tool', echo)).body.success).toBe(true);
  });
});

describe('standard', () => {
  test('GET /info tells capabilities and runtime', async () => {
    const { body } = await executor.ask('GET', '/info');
    expect(body).toMatchObject({
      name: 'isobox',
      protocolVersion: '1.0',
      capabilities: {
        isolation: 'process',
        ways: ['isolate', 'process'],
        executionModes: ['sync', 'stream', 'async'],
        maxExecutionTimeMs: 120_000,
        maxRequestBodyBytes: 10 * 2 ** 20,
        supportsStreaming: true,
        supportsCallbacks: true,
        supportsCaching: true,
      },
      runtime: { platform: process.platform, nodeVersion: process.versions.node },
    });
  });

  test.each([
    ['a tool that throws', 'thrower', 'TOOL_EXECUTION_ERROR', 'execute', 'TOOL_EXECUTION_FAILED'],
    ['a name that is not exported', 'none', 'TOOL_NOT_FOUND', 'load', 'TOOL_NOT_FOUND'],
    ['an export without execute', 'notATool', 'TOOL_INVALID', 'load', 'INVALID_TOOL'],
  ])('%s has its code in both versions', async (_what, name, code, errorStage, errorCode) => {
    const old = await executor.execute({ ...echo, name }, { 'x-tpmjs-protocol-version': '1.0' });
    expect(old).toMatchObject({ success: false, error: { code, message: expect.any(String) } });
    expect(old.executionTimeMs).toEqual(expect.any(Number));
    const now = await executor.execute({ ...echo, name }, { 'x-tpmjs-protocol-version': '1.1' });
    expect(now).toMatchObject({ success: false, error: old.error.message, errorStage, errorCode });
    expect(now.retryable).toBe(false);
    expect(now.executionTimeMs).toEqual(expect.any(Number));
  });

  test('the API key guards everything but OPTIONS and /health', async () => {
    const guarded = await serve({ ...FAST, npmrc, apiKey: 'secret' });
    const key = { authorization: 'Bearer secret' };
    try {
      expect((await guarded.ask('GET', '/health')).status).toBe(200);
      expect((await guarded.ask('OPTIONS', '/execute-tool')).status).toBe(200);
      for (const given of ['', 'Bearer', 'Bearer wrong', 'Bearer secret2', 'Basic secret']) {
        const reply = await guarded.ask('POST', '/execute-tool', echo, { authorization: given });
        expect(reply.status).toBe(401);
        expect(reply.body.error).toEqual({
          code: 'UNAUTHORIZED',
          message: 'Invalid or missing API key',
        });
      }
      const { body } = await guarded.ask('GET', '/info', undefined, {
        'x-tpmjs-protocol-version': '1.1',
      });
      expect(body).toMatchObject({ errorStage: 'request', errorCode: 'AUTHENTICATION_REQUIRED' });
      expect((await guarded.ask('GET', '/info', undefined, key)).status).toBe(200);
      expect((await guarded.execute(echo, key)).success).toBe(true);
    } finally {
      await guarded.close();
    }
  });

  test('EXECUTOR_API_KEY is the key, and guardHealth guards /health too', async () => {
    process.env.EXECUTOR_API_KEY = 'of the environment';
    const guarded = await serve({ ...FAST, npmrc, guardHealth: true });
    delete process.env.EXECUTOR_API_KEY;
    try {
      expect((await guarded.ask('GET', '/health')).status).toBe(401);
      const key = { authorization: 'Bearer of the environment' };
      expect((await guarded.ask('GET', '/health', undefined, key)).status).toBe(200);
    } finally {
      await guarded.close();
    }
  });

  test('an execution past its time is EXECUTION_TIMEOUT, and the executor goes on', async () => {
    const hasty = await serve({ ...FAST, npmrc, executionTimeoutMs: 200 });
    try {
      const body = await hasty.execute({ ...echo, name: 'loop' });
      expect(body.error.code).toBe('EXECUTION_TIMEOUT');
      const now = await hasty.execute(
        { ...echo, name: 'loop' },
        { 'x-tpmjs-protocol-version': '1.1' },
      );
      expect(now).toMatchObject({ errorStage: 'execute', errorCode: 'EXECUTION_TIMEOUT' });
      expect((await hasty.ask('GET', '/health')).status).toBe(200);
    } finally {
      await hasty.close();
    }
  });

  test('a request past its time is EXECUTION_TIMEOUT', async () => {
    const hasty = await serve({ ...FAST, npmrc, requestTimeoutMs: 300 });
    try {
      expect((await hasty.execute({ ...echo, name: 'loop' })).error.code).toBe('EXECUTION_TIMEOUT');
    } finally {
      await hasty.close();
    }
  });
});

describe('versions', () => {
  test.each([
    [undefined, '1.0'],
    ['1.0', '1.0'],
    ['1.1', '1.1'],
    ['1.7', '1.1'],
    ['9.9', '1.0'],
  ])('a request with the header %s is answered in %s', async (given, version) => {
    const headers = given === undefined ? {} : { 'x-tpmjs-protocol-version': given };
    const reply = await executor.ask('GET', '/health', undefined, /** @type {any} */ (headers));
    expect(reply.body.protocolVersion).toBe(version);
    expect(reply.headers.get('x-tpmjs-protocol-version')).toBe(version);
  });

  test('the version for requests without the header is an option', async () => {
    const modern = await serve({ ...FAST, npmrc, protocol: '1.1' });
    try {
      const body = await modern.execute({ ...echo, name: 'none' });
      expect(body).toMatchObject({ error: expect.any(String), errorCode: 'TOOL_NOT_FOUND' });
    } finally {
      await modern.close();
    }
  });
});

describe('limits', () => {
  test('a body that is too large is answered 413', async () => {
    const small = await serve({ ...FAST, npmrc, maxBodyBytes: 2048 });
    const params = { text: 'x'.repeat(1_000_000) };
    try {
      const reply = await small.ask('POST', '/execute-tool', { ...echo, params });
      expect(reply.status).toBe(413);
      expect(reply.body.error.code).toBe('REQUEST_TOO_LARGE');
      const now = await small.ask(
        'POST',
        '/execute-tool',
        { ...echo, params },
        { 'x-tpmjs-protocol-version': '1.1' },
      );
      expect(now.body).toMatchObject({ errorCode: 'INVALID_REQUEST', retryable: false });
      expect(corsOf(now.headers)).toEqual(CORS);
    } finally {
      await small.close();
    }
  });

  test('requests beyond the concurrency are answered 429, and are retryable', async () => {
    const busy = await serve({ ...FAST, npmrc, concurrency: 1, executionTimeoutMs: 1500 });
    try {
      const loop = { ...echo, name: 'loop' };
      const ask = (/** @type {string} */ version) =>
        busy.ask('POST', '/execute-tool', loop, { 'x-tpmjs-protocol-version': version });
      const replies = await Promise.all(['1.0', '1.0', '1.0', '1.1', '1.1', '1.1'].map(ask));
      const statuses = replies.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 429)).toHaveLength(5);
      const refused = replies.filter(({ status }) => status === 429).map(({ body }) => body);
      expect(refused).toContainEqual(
        expect.objectContaining({ errorCode: 'EXECUTOR_UNAVAILABLE', retryable: true }),
      );
      expect(refused.map(({ error }) => error.code)).toContain('EXECUTOR_BUSY');
      expect((await busy.execute(echo)).success).toBe(true);
    } finally {
      await busy.close();
    }
  });

  test('a half-sent body is cut off', async () => {
    const strict = await serve({ ...FAST, npmrc, bodyTimeoutMs: 200 });
    try {
      const answer = await new Promise((resolve, reject) => {
        const socket = net.connect(strict.port, '127.0.0.1');
        let text = '';
        socket.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        socket.on('close', () => resolve(text)).on('error', reject);
        socket.write(
          'POST /execute-tool HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{"pack',
        );
      });
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toMatch(/INVALID_REQUEST/);
    } finally {
      await strict.close();
    }
  });

  test('close finishes what was accepted, and refuses the rest', async () => {
    const ending = await serve({ ...FAST, npmrc, executionTimeoutMs: 700 });
    const accepted = ending.executor.fetch(
      new Request('http://localhost/execute-tool', {
        method: 'POST',
        body: JSON.stringify({ ...echo, name: 'loop' }),
      }),
    );
    let isClosed = false;
    const closed = ending.executor.close().then(() => (isClosed = true));
    const refused = await ending.ask('POST', '/execute-tool', echo);
    expect([refused.status, isClosed]).toEqual([429, false]);
    const answer = /** @type {any} */ (await (await accepted).json());
    expect(answer.error.code).toBe('EXECUTION_TIMEOUT');
    await closed;
    await ending.close();
  });
});

describe('options', () => {
  const cacheDir = useDirectory();

  test.each([
    [{ colour: 1 }, /Unknown option 'colour'/],
    [{ executionTimeoutMs: 0 }, /executionTimeoutMs must be between/],
    [{ protocol: '2.0' }, /options.protocol must be one of/],
    [{ basePath: 'x' }, /basePath must start/],
    [{ allow: ['everything'] }, /options.allow\[0\] must be one of/],
    [{ apiKey: '' }, /apiKey must not be empty/],
  ])('%j is refused', async (options, message) => {
    await expect(serve(/** @type {any} */ ({ cacheDir, ...options }))).rejects.toThrow(message);
  });
});
