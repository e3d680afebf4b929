'use strict';
// The tools of an MCP server as a provider: a namespace that guest code can call.

const asyncDispose = require('../async-dispose.js');
const { resolveInSteps } = require('../execbox/resolve-provider.js');
const { declareInSteps } = require('../execbox/type-declarations.js');
const { checkChoice, checkRecord } = require('../checks/options.js');
const { inTurns } = require('../turns.js');
const { callUpstream, valueOf } = require('./call-upstream.js');
const { listTools } = require('./list-tools.js');
const { connectUpstream, getMcpToolSourceServerInfo } = require('./upstream.js');
const { checkableSchema, envelopeSchema } = require('./upstream-schemas.js');

/** @typedef {import('../../types/mcp.js').McpToolProvider} McpToolProvider */
/** @typedef {import('../../types/mcp.js').McpToolProviderOptions} McpToolProviderOptions */
/** @typedef {import('../../types/execbox.js').ToolDescriptor} ToolDescriptor */
/** @typedef {import('./list-tools.js').Tool} Tool */
/** @typedef {'value' | 'envelope'} ResultForm */

const DEFAULT_NAMESPACE = 'mcp';
const PROVIDER_OPTIONS = ['namespace', 'clientInfo', 'results'];
const RESULT_FORMS = /** @type {const} */ (['value', 'envelope']);

/**
 * @param {import('../../types/mcp.js').McpToolSource} source
 * @param {McpToolProviderOptions} [options]
 * @returns {Promise<McpToolProvider>}
 */
async function createMcpToolProvider(source, options) {
  const { namespace, clientInfo, results } = readProviderOptions(options);
  const upstream = await connectUpstream(source, { where: 'source', clientInfo });
  try {
    const tools = await listTools(upstream);
    const provider = await inTurns(resolveTools(upstream, tools, namespace, results));
    return Object.assign(provider, {
      close: upstream.close,
      [asyncDispose]: upstream.close,
    });
  } catch (error) {
    await upstream.close();
    throw error;
  }
}

/**
 * The same in execbox's words: the provider, and apart from it what ends the connection.
 *
 * @param {import('../../types/mcp.js').McpToolSource} source
 * @param {McpToolProviderOptions} [options]
 * @returns {Promise<import('../../types/mcp.js').McpToolProviderHandle>}
 */
async function openMcpToolProvider(source, options) {
  const provider = await createMcpToolProvider(source, options);
  return { provider, close: provider.close, serverInfo: getMcpToolSourceServerInfo(source) };
}

/** @param {McpToolProviderOptions | undefined} value */
function readProviderOptions(value) {
  const options = checkRecord(value, 'options', PROVIDER_OPTIONS);
  const { namespace = DEFAULT_NAMESPACE, clientInfo } = options;
  return { namespace, clientInfo, results: readResultForm(options) };
}

/**
 * @param {{ results?: unknown }} options
 * @returns {ResultForm} execbox's unless another is asked for
 */
function readResultForm({ results = 'envelope' }) {
  return checkChoice(results, 'options.results', RESULT_FORMS);
}

/**
 * @param {import('./upstream.js').Upstream} upstream
 * @param {Tool[]} tools
 * @param {string} namespace
 * @param {ResultForm} results
 * @returns {Generator<void, import('../../types/execbox.js').ResolvedToolProvider>} yields where it may pause
 */
function* resolveTools(upstream, tools, namespace, results) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  /** @type {[string, ToolDescriptor][]} */
  const described = [];
  for (const tool of tools) {
    described.push([tool.name, yield* describeTool(upstream, tool, results)]);
    yield;
  }
  const provider = yield* resolveInSteps({
    name: namespace,
    tools: Object.fromEntries(described),
    types: '',
  });
  for (const resolved of Object.values(provider.tools)) {
    const { inputSchema, outputSchema } = /** @type {Tool} */ (byName.get(resolved.originalName));
    const { execute } = resolved;
    Object.assign(resolved, {
      // Prompts show what the server says, also where it cannot be checked.
      inputSchema,
      ...(outputSchema !== undefined && results === 'value' && { outputSchema }),
      // A tool of MCP always takes an object; guests may leave out an empty one.
      execute: (/** @type {unknown} */ input = {}, /** @type {any} */ context) =>
        execute(input, context),
    });
  }
  return { ...provider, types: yield* declareInSteps(namespace, provider.tools) };
}

/**
 * @param {import('./upstream.js').Upstream} upstream
 * @param {Tool} tool
 * @param {ResultForm} results
 * @returns {Generator<void, ToolDescriptor>}
 */
function* describeTool(upstream, tool, results) {
  const { name, title, description = title, inputSchema, outputSchema } = tool;
  const shape = results === 'envelope' ? envelopeSchema(outputSchema) : outputSchema;
  return {
    description,
    inputSchema: (yield* checkableSchema(inputSchema, 'input', name)) ?? { type: 'object' },
    outputSchema: yield* checkableSchema(shape, 'output', name),
    async execute(input, { signal }) {
      const result = await callUpstream(upstream, name, input, signal);
      return results === 'envelope' ? result : valueOf(result, name);
    },
  };
}

module.exports = { PROVIDER_OPTIONS, createMcpToolProvider, openMcpToolProvider, readResultForm };
