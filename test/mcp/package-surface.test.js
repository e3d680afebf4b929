'use strict';
// The entry `isobox/mcp` and its example, as users meet them.

const path = require('node:path');

const { runNode } = require('../support/child.js');

const root = path.join(__dirname, '..', '..');

test('require and import give the same names', async () => {
  const script = `
    import * as viaImport from 'isobox/mcp';
    import { createRequire } from 'node:module';
    const viaRequire = createRequire(import.meta.url)('isobox/mcp');
    const names = Object.keys(viaRequire).sort();
    const same = names.every((name) => viaImport[name] === viaRequire[name]) && viaImport.default === viaRequire;
    console.log(JSON.stringify({ same, names, imported: Object.keys(viaImport).length }));`;
  const { stdout, stderr } = await runNode(['--input-type=module', '-e', script], { cwd: root });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    same: true,
    names: [
      'codeMcpServer',
      'createMcpToolProvider',
      'getMcpToolSourceServerInfo',
      'openMcpToolProvider',
    ],
    imported: 5,
  });
});

test.each([
  ['createMcpToolProvider', 'createMcpToolProvider({ connect() {}, close() {} })'],
  ['codeMcpServer', 'codeMcpServer({ connect() {} }, { executor: { execute() {} } })'],
])('%s without the SDK says what to install', async (_name, call) => {
  const script = `
    const Module = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (request, ...rest) {
      if (!request.startsWith('@modelcontextprotocol/')) return resolve.call(this, request, ...rest);
      throw Object.assign(new Error("Cannot find module '" + request + "'"), { code: 'MODULE_NOT_FOUND' });
    };
    require('isobox/mcp').${call}.catch((error) => console.log(error.message));`;
  const { stdout, stderr } = await runNode(['-e', script], { cwd: root });
  expect(stderr).toBe('');
  expect(stdout).toMatch(
    /^isobox\/mcp needs the package @modelcontextprotocol\/sdk, version 1\.24 or later\. Install it with: npm install @modelcontextprotocol\/sdk/,
  );
});

test('clients of the SDK that were imported work as well as required ones', async () => {
  const script = `
    import { Client } from '@modelcontextprotocol/sdk/client/index.js';
    import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
    import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
    import { IsolateExecutor } from 'isobox/execbox';
    import { codeMcpServer } from 'isobox/mcp';
    const upstream = new McpServer({ name: 'up', version: '1.0.0' });
    upstream.registerTool('ping', {}, async () => ({ content: [{ type: 'text', text: 'pong' }] }));
    const executor = new IsolateExecutor();
    const server = await codeMcpServer(upstream, { executor, results: 'value' });
    const client = new Client({ name: 'test', version: '1.0.0' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    await client.connect(near);
    const code = 'await mcp.ping()';
    const { structuredContent } = await client.callTool({ name: 'mcp_code', arguments: { code } });
    console.log(structuredContent.result);
    await client.close();
    await server.close();
    await executor.dispose();`;
  const { code, stdout, stderr } = await runNode(['--input-type=module', '-e', script], {
    cwd: root,
  });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'pong\n', stderr: '' });
});

test('the example runs', async () => {
  const file = path.join(root, 'examples', 'mcp-code-server.js');
  const { code, stdout, stderr } = await runNode([file], { cwd: root });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('function count_fruit(input: {');
  expect(stdout).toContain('result: 19');
  expect(stdout).toContain('3 kinds');
});
