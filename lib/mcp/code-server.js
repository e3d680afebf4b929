'use strict';
// A server that offers code execution over the tools of other servers.

const { version } = require('../../package.json');
const { assignSafeNames, checkNamespace } = require('../execbox/safe-names.js');
const { messageOf } = require('../foreign-text.js');
const {
  checkChoice,
  checkFunction,
  checkNumber,
  checkRecord,
  checkString,
} = require('../checks/options.js');
const { Catalogue } = require('./catalogue.js');
const { MODES, instructionsFor, registerCodeTools } = require('./code-tools.js');
const { loadMcpServer } = require('./sdk.js');
const { PROVIDER_OPTIONS, createMcpToolProvider, readResultForm } = require('./tool-provider.js');
const { getMcpToolSourceServerInfo } = require('./upstream.js');

/** @typedef {import('../../types/mcp.js').CodeMcpServerOptions} CodeMcpServerOptions */
/** @typedef {import('../../types/mcp.js').McpToolProvider} McpToolProvider */
/** @typedef {import('../../types/mcp.js').McpUpstream} McpUpstream */

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
  'instructions',
  'maxTextChars',
  'maxAnswerBytes',
  'onUpstreamError',
];

/**
 * @param {import('../../types/mcp.js').McpToolSource | McpUpstream[]} upstream
 * @param {CodeMcpServerOptions} options
 * @returns {Promise<import('@modelcontextprotocol/sdk/server/mcp.js').McpServer>}
 */
async function codeMcpServer(upstream, options) {
  const { serverInfo, mode, provider, onUpstreamError, ...given } = readServerOptions(options);
  const McpServer = loadMcpServer();
  const providers = await openProviders(upstream, provider, onUpstreamError);
  const closeProviders = () => Promise.allSettled(providers.map((one) => one.close()));
  try {
    const parts = { ...given, providers, catalogue: new Catalogue(providers) };
    const { instructions = instructionsFor(mode, parts) } = given;
    const server = new McpServer(serverInfo ?? infoOf(upstream), { instructions });
    registerCodeTools(server, mode, parts);
    const closeConnection = server.close.bind(server);
    server.close = async () => {
      await closeConnection();
      await closeProviders();
    };
    return server;
  } catch (error) {
    await closeProviders();
    throw error;
  }
}

/**
 * @param {import('../../types/mcp.js').McpToolSource | McpUpstream[]} upstream
 * @returns {import('../../types/mcp.js').McpImplementation} a wrapper of one server introduces itself as that server
 */
function infoOf(upstream) {
  if (Array.isArray(upstream)) return SERVER_INFO;
  return getMcpToolSourceServerInfo(upstream) ?? SERVER_INFO;
}

/** @param {CodeMcpServerOptions} value */
function readServerOptions(value) {
  const options = checkRecord(value, 'options', [...SERVER_OPTIONS, ...PROVIDER_OPTIONS]);
  const { executor, serverInfo, mode = 'both', names, instructions, onUpstreamError } = options;
  const { maxTextChars = DEFAULT_MAX_TEXT_CHARS, maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES } =
    options;
  const { namespace, clientInfo } = options;
  const results = readResultForm(options);
  if (typeof executor?.execute !== 'function') {
    throw new TypeError('options.executor must be an executor, such as new IsolateExecutor()');
  }
  const given = checkRecord(names, 'options.names', Object.keys(TOOL_NAMES));
  for (const [key, name] of Object.entries(given)) checkString(name, `options.names.${key}`);
  if (instructions !== undefined) checkString(instructions, 'options.instructions');
  if (onUpstreamError !== undefined) checkFunction(onUpstreamError, 'options.onUpstreamError');
  return {
    executor,
    serverInfo,
    instructions,
    onUpstreamError,
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
    results,
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
 * @param {CodeMcpServerOptions['onUpstreamError']} onUpstreamError
 * @returns {Promise<McpToolProvider[]>} all of them, or none is left open; with `onUpstreamError` those that can be used
 */
async function openProviders(upstream, options, onUpstreamError) {
  const openings = Array.isArray(upstream)
    ? openEach(upstream, options)
    : [createMcpToolProvider(upstream, options)];
  const settled = await Promise.allSettled(openings);
  const providers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (failures.length === 0) return providers;
  if (onUpstreamError !== undefined && providers.length > 0) {
    for (const failure of failures) onUpstreamError(failure);
    return providers;
  }
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

module.exports = { codeMcpServer };
