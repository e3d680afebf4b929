'use strict';
// Executors over real HTTP, for tests.

const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { createExecutor } = require('../../lib/tpmjs/index.js');
const { Registry } = require('./registry.js');

/** A directory that is there for the tests of a file. */
function useDirectory() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-tpmjs-'));
  afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A registry for the tests of a file, with an .npmrc that leads to it. */
function useRegistry() {
  const registry = new Registry();
  const directory = useDirectory();
  const npmrc = path.join(directory, 'npmrc');
  beforeAll(async () => {
    await registry.listen();
    fs.writeFileSync(npmrc, `registry=${registry.url}\n`);
  });
  afterAll(() => registry.close());
  return { registry, npmrc, directory };
}

/** @typedef {{ status: number, headers: Headers, body: any, text: string }} Reply */

/**
 * @param {string} url
 * @param {Record<string, string>} [common] headers of all requests
 */
function client(url, common = {}) {
  /** @type {(method: string, place: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>} */
  const ask = async (method, place, body, headers = {}) => {
    const response = await fetch(url + place, {
      method,
      headers: { 'content-type': 'application/json', ...common, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  return {
    url,
    ask,
    /** @param {object} body @param {Record<string, string>} [headers] */
    execute: async (body, headers) => (await ask('POST', '/execute-tool', body, headers)).body,
  };
}

/**
 * @param {import('isobox/tpmjs').ExecutorOptions} options
 * @param {Record<string, string>} [headers]
 */
async function serve(options, headers) {
  const executor = createExecutor(options);
  const server = http.createServer(executor.handler);
  // Tests may keep this thread busy for longer than the usual five seconds, after which a connection in use would be closed.
  server.keepAliveTimeout = 120_000;
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    ...client(`http://127.0.0.1:${port}`, headers),
    executor,
    port,
    async close() {
      server.close();
      await executor.close();
      server.closeAllConnections();
    },
  };
}

/**
 * An executor for the tests of a file.
 *
 * @param {() => import('isobox/tpmjs').ExecutorOptions} options read when the tests begin
 * @param {Record<string, string>} [headers]
 * @returns {Awaited<ReturnType<typeof serve>>}
 */
function useExecutor(options, headers) {
  /** @type {any} */
  const served = {};
  beforeAll(async () => void Object.assign(served, await serve(options(), headers)));
  afterAll(() => served.close());
  return served;
}

module.exports = { client, serve, useDirectory, useExecutor, useRegistry };
