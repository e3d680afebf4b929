'use strict';
// A server that offers code execution over the tools of other servers.

const { version } = require('../../package.json');
const { messageOf } = require('../execbox/failures.js');
const { compileJsonSchema } = require('../execbox/json-schema-check.js');
const { assignSafeNames, checkNamespace } = require('../execbox/safe-names.js');
const { checkChoice, checkNumber, checkRecord, checkString } = require('../options.js');
const { Catalogue } = require('./catalogue.js');
const { MODES, createCodeTools, refusal } = require('./code-tools.js');
const { loadServer, loadTypes } = require('./sdk.js');
const { PROVIDER_OPTIONS, createMcpToolProvider } = require('./tool-provider.js');

/** @typedef {import('../../types/mcp.js').CodeMcpServerOptions} CodeMcpServerOptions */
/** @typedef {import('../../types/mcp.js').McpToolProvider} McpToolProvider */
/** @typedef {import('../../types/mcp.js').McpUpstream} McpUpstream */
/** @typedef {import('./code-tools.js').CodeTool} CodeTool */

const SERVER_INFO = { name: 'isobox', version };
const TOOL_NAMES = { search: 'mcp_search_tools', execute: 'mcp_execute_code', single: 'mcp_code' };
const DEFAULT_MAX_TEXT_CHARS = 24_000;
// The SDK's clients close a connection on stdio at 10 MiB.
const DEFAULT_MAX_ANSWER_BYTES = 8 * 2 ** 20;
const SERVER_OPTIONS = [
  'executor',
  'serverInfo',
  'mode',
  'names',
  'maxTextChars',
  'maxAnswerBytes',
];

/**
 * @param {import('../../types/mcp.js').McpToolSource | McpUpstream[]} upstream
 * @param {CodeMcpServerOptions} options
 * @returns {Promise<import('../../types/mcp.js').CodeMcpServer>}
 */
async function codeMcpServer(upstream, options) {
  const { serverInfo, mode, provider, ...parts } = readServerOptions(options);
  const providers = await openProviders(upstream, provider);
  const tools = createCodeTools(mode, {
    ...parts,
    providers,
    catalogue: new Catalogue(providers),
  });
  const server = createServer(serverInfo, tools);
  const closeConnection = server.close.bind(server);
  server.close = async () => {
    await closeConnection();
    await Promise.all(providers.map((one) => one.close()));
  };
  return server;
}

/** @param {CodeMcpServerOptions} value */
function readServerOptions(value) {
  const options = checkRecord(value, 'options', [...SERVER_OPTIONS, ...PROVIDER_OPTIONS]);
  const { executor, serverInfo = SERVER_INFO, mode = 'both', names } = options;
  const { maxTextChars = DEFAULT_MAX_TEXT_CHARS, maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES } =
    options;
  const { namespace, clientInfo, results } = options;
  if (typeof executor?.execute !== 'function') {
    throw new TypeError('options.executor must be an executor, such as new IsolateExecutor()');
  }
  const given = checkRecord(names, 'options.names', Object.keys(TOOL_NAMES));
  for (const [key, name] of Object.entries(given)) checkString(name, `options.names.${key}`);
  return {
    executor,
    serverInfo,
    mode: checkChoice(
      mode,
      'options.mode',
      /** @type {(keyof typeof MODES)[]} */ (Object.keys(MODES)),
    ),
    names: checkDifferent({ ...TOOL_NAMES, ...given }),
    maxTextChars: checkNumber(maxTextChars, 'options.maxTextChars', { min: 1, max: 2 ** 24 }),
    maxAnswerBytes: checkNumber(maxAnswerBytes, 'options.maxAnswerBytes', {
      min: 2 ** 10,
      max: 2 ** 30,
    }),
    provider: { namespace, clientInfo, results },
  };
}

/** @param {typeof TOOL_NAMES} names */
function checkDifferent(names) {
  if (new Set(Object.values(names)).size < Object.keys(names).length) {
    throw new TypeError('options.names must differ from each other');
  }
  return names;
}

/**
 * @param {import('../../types/mcp.js').McpToolSource | McpUpstream[]} upstream
 * @param {import('../../types/mcp.js').McpToolProviderOptions} options
 * @returns {Promise<McpToolProvider[]>} all of them, or none is left open
 */
async function openProviders(upstream, options) {
  const openings = Array.isArray(upstream)
    ? openEach(upstream, options)
    : [createMcpToolProvider(upstream, options)];
  const settled = await Promise.allSettled(openings);
  const providers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (failures.length === 0) return providers;
  await Promise.allSettled(providers.map((one) => one.close()));
  if (failures.length === 1) throw failures[0];
  throw new AggregateError(failures, failures.map(messageOf).join('\n'));
}

/**
 * @param {McpUpstream[]} upstreams
 * @param {import('../../types/mcp.js').McpToolProviderOptions} options
 */
function openEach(upstreams, { namespace, ...options }) {
  if (namespace !== undefined) {
    throw new TypeError('options.namespace is for one upstream; of several, each has its own');
  }
  if (upstreams.length === 0) throw new TypeError('There must be at least one upstream');
  const names = upstreams.map((one, i) => checkString(one?.name, `upstream[${i}].name`));
  const safeNames = assignSafeNames(names);
  if (safeNames.size < names.length) throw new TypeError('Two upstreams have the same name');
  return upstreams.map((one) =>
    createMcpToolProvider(one, {
      ...options,
      namespace: checkNamespace(safeNames.get(one.name)),
    }),
  );
}

/**
 * @param {import('../../types/mcp.js').McpImplementation} serverInfo
 * @param {CodeTool[]} tools
 */
function createServer(serverInfo, tools) {
  const Server = loadServer();
  const { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } = loadTypes();
  const byName = new Map(
    tools.map((tool) => [
      tool.definition.name,
      { ...tool, check: compileJsonSchema(tool.definition.inputSchema) },
    ]),
  );
  const server = new Server(serverInfo, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ definition }) => definition),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = byName.get(params.name);
    if (tool === undefined) {
      const known = [...byName.keys()].join(', ');
      throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${params.name}. Known: ${known}`);
    }
    const checked = await tool.check(params.arguments ?? {}, 'arguments');
    if (checked.ok) return tool.call(checked.value, signal);
    // A result, not a protocol error: the model that wrote the arguments is to read it.
    return refusal(`Invalid arguments for ${params.name}: ${checked.reason}`);
  });
  return server;
}

module.exports = { codeMcpServer };
