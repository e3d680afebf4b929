'use strict';
// Tool chains over servers of the SDK's own, in memory, closed after each test.

const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { z } = require('zod');

const { createToolChain } = require('../../lib/tool-chain/index.js');
const { makeRawServer } = require('../mcp/upstreams.js');

/** @type {{ close(): Promise<unknown> }[]} */
const open = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/**
 * @template {{ close(): Promise<unknown> }} T
 * @param {T} closable
 */
function closeAfterTest(closable) {
  open.push(closable);
  return closable;
}

/** @returns {InstanceType<typeof McpServer>} with the tools that most tests need */
function makeSearchServer() {
  const server = new McpServer({ name: 'search', version: '1.0.0' });
  /** @returns {{ content: [{ type: 'text', text: string }] }} */
  const text = (value) => ({ content: [{ type: 'text', text: value }] });
  server.registerTool(
    'web_search_exa',
    { description: 'Searches the web', inputSchema: { query: z.string() } },
    async ({ query }) => text(JSON.stringify({ query, hits: [1, 2] })),
  );
  server.registerTool('echo', { inputSchema: { value: z.any() } }, async ({ value }) =>
    text(JSON.stringify(value ?? null)),
  );
  server.registerTool('say', { inputSchema: { text: z.string() } }, async (input) =>
    text(input.text),
  );
  server.registerTool('no-args', {}, async () => text('plain text'));
  server.registerTool('fail', {}, async () => {
    throw new Error('no plums today');
  });
  server.registerTool('image', {}, async () => ({
    content: [
      { type: 'text', text: 'a picture' },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
    ],
  }));
  return server;
}

/**
 * @param {Record<string, any>} backends by name: servers or, with a `list`, handlers of a raw one
 * @param {object} [options]
 */
async function useChain(backends = { exa: makeSearchServer() }, options = {}) {
  const chain = createToolChain({
    backends: Object.fromEntries(
      Object.entries(backends).map(([name, server]) => [
        name,
        server.command !== undefined || server.server !== undefined
          ? server
          : { server: server.connect === undefined ? makeRawServer(server) : server },
      ]),
    ),
    ...options,
  });
  closeAfterTest(chain);
  await chain.ready();
  /** @type {(code: string, request?: any, context?: any) => Promise<any>} */
  const call = (code, request = {}, context = undefined) =>
    chain.callToolChain({ code, ...request }, context);
  return {
    chain,
    call,
    /**
     * @param {string} code
     * @param {object} [request]
     * @returns {Promise<string>} the text of an answer that must be no error
     */
    async textOf(code, request) {
      const { content, isError } = await call(code, request);
      if (isError) throw new Error(`failed: ${content[0].text}`);
      return content[0].text;
    },
    /**
     * @param {string} code
     * @param {object} [request]
     * @returns {Promise<string>} the text of an answer that must be one
     */
    async errorOf(code, request) {
      const { content, isError } = await call(code, request);
      if (!isError) throw new Error(`did not fail: ${content[0].text}`);
      return content[0].text;
    },
  };
}

/** A raw server's list of tools that take anything. */
const listOf =
  (...names) =>
  () => ({
    tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })),
  });

module.exports = { closeAfterTest, listOf, makeSearchServer, useChain };
