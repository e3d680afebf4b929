'use strict';
// The three tools of a code server: search the catalogue, execute code, and one that does both.

const { failureResult, messageOf } = require('../execbox/failures.js');

/** @typedef {import('@modelcontextprotocol/sdk/types.js').CallToolResult} CallToolResult */
/** @typedef {import('@modelcontextprotocol/sdk/types.js').Tool} Tool */
/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */

/**
 * @typedef {object} CodeTool
 * @property {Tool} definition
 * @property {(input: any, signal: AbortSignal) => Promise<CallToolResult>} call its input fits the schema
 */

/**
 * @typedef {object} CodeToolParts
 * @property {import('../../types/execbox.js').Executor} executor
 * @property {import('../../types/execbox.js').ResolvedToolProvider[]} providers
 * @property {InstanceType<typeof import('./catalogue.js').Catalogue>} catalogue
 * @property {{ search: string, execute: string, single: string }} names
 * @property {number} maxTextChars
 * @property {number} maxAnswerBytes
 */

const DEFAULT_LIMIT = 20;

const CODE = {
  type: 'string',
  description:
    'JavaScript or TypeScript. The last expression, or what it returns, is the result. Top-level await works.',
};
const QUERY = {
  type: 'string',
  maxLength: 1000,
  description: 'Words to look for in names, descriptions and parameters. Empty: all tools.',
};
const LIMIT = {
  type: 'integer',
  minimum: 1,
  maximum: 100,
  description: `How many tools to show, the best first. Default: ${DEFAULT_LIMIT}.`,
};

const CATALOGUE_PROPERTIES = {
  total: { type: 'integer', description: 'How many tools were found.' },
  tools: {
    type: 'array',
    items: {
      type: 'object',
      required: ['namespace', 'safeName', 'originalName'],
      properties: {
        namespace: { type: 'string' },
        safeName: { type: 'string', description: 'Call it as namespace.safeName(input).' },
        originalName: { type: 'string' },
        description: { type: 'string' },
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
      },
    },
  },
  types: { type: 'string', description: 'TypeScript declarations of these tools.' },
};
const EXECUTION_PROPERTIES = {
  ok: { type: 'boolean' },
  result: { description: 'What the code came to, if it did not fail.' },
  error: {
    type: 'object',
    required: ['code', 'message'],
    properties: { code: { type: 'string' }, message: { type: 'string' } },
  },
  logs: { type: 'array', items: { type: 'string' }, description: 'What it wrote to the console.' },
  durationMs: { type: 'number' },
};

/** @type {NonNullable<Tool['outputSchema']>} */
const CATALOGUE_SCHEMA = {
  type: 'object',
  required: Object.keys(CATALOGUE_PROPERTIES),
  properties: CATALOGUE_PROPERTIES,
};
/** @type {NonNullable<Tool['outputSchema']>} */
const EXECUTION_SCHEMA = {
  type: 'object',
  required: ['ok', 'logs', 'durationMs'],
  properties: EXECUTION_PROPERTIES,
};

const HOW_CODE_RUNS =
  'Tools are async functions that take one object. They give what their declaration says; without one, their text or ' +
  'their MCP content blocks. A tool that fails throws. Use console.log for what should be shown beside the result. ' +
  'Every call starts afresh; there is no network, file system or timer but the tools.';

/**
 * @param {CodeToolParts} parts
 * @returns {CodeTool}
 */
function searchTool({ catalogue, names, maxTextChars }) {
  return {
    definition: {
      name: names.search,
      title: 'Search tools',
      description:
        `Finds tools by words and declares them in TypeScript, for code to run with ${names.execute}. ` +
        'Without a query it lists all of them.',
      inputSchema: { type: 'object', properties: { query: QUERY, limit: LIMIT } },
      outputSchema: CATALOGUE_SCHEMA,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async call({ query = '', limit = DEFAULT_LIMIT }) {
      const found = catalogue.search(query, limit);
      return {
        content: [textBlock(describeSearch(found), maxTextChars)],
        structuredContent: { ...found },
      };
    },
  };
}

/**
 * @param {CodeToolParts} parts
 * @returns {CodeTool}
 */
function executeTool(parts) {
  const { providers, names } = parts;
  return {
    definition: {
      name: names.execute,
      title: 'Execute code',
      description:
        `Runs code that can call the tools of ${listNamespaces(providers)}. ` +
        `Find and declare tools with ${names.search} first. ${HOW_CODE_RUNS}`,
      inputSchema: { type: 'object', required: ['code'], properties: { code: CODE } },
      outputSchema: EXECUTION_SCHEMA,
    },
    call: async ({ code }, signal) => executionAnswer(await execute(parts, code, signal), parts),
  };
}

/**
 * @param {CodeToolParts} parts
 * @returns {CodeTool}
 */
function singleTool(parts) {
  const { catalogue, providers, names, maxTextChars } = parts;
  return {
    definition: {
      name: names.single,
      title: 'Search tools and execute code',
      description:
        `Runs code that can call the tools of ${listNamespaces(providers)}, finds tools by words, or both. ` +
        `${HOW_CODE_RUNS}\n\n${describeAll(providers, maxTextChars)}`,
      inputSchema: {
        type: 'object',
        // One of the first two is needed, but model providers refuse schemas that say so with `anyOf`.
        properties: { code: CODE, query: QUERY, limit: LIMIT },
      },
      outputSchema: {
        type: 'object',
        properties: { ...EXECUTION_PROPERTIES, catalogue: CATALOGUE_SCHEMA },
      },
    },
    async call({ code, query, limit = DEFAULT_LIMIT }, signal) {
      if (code === undefined && query === undefined) {
        return refusal(`${names.single} needs code to run, a query to search for, or both`);
      }
      const found = query === undefined ? undefined : catalogue.search(query, limit);
      const ran = code === undefined ? undefined : await execute(parts, code, signal);
      const answer = ran === undefined ? { content: [] } : executionAnswer(ran, parts);
      if (found === undefined) return answer;
      return {
        ...answer,
        content: [...answer.content, textBlock(describeSearch(found), maxTextChars)],
        structuredContent: { ...answer.structuredContent, catalogue: found },
      };
    },
  };
}

/**
 * @param {CodeToolParts} parts
 * @param {string} code
 * @param {AbortSignal} signal
 * @returns {Promise<ExecuteResult>}
 */
async function execute({ executor, providers }, code, signal) {
  try {
    return await executor.execute(code, providers, { signal });
  } catch (error) {
    // Executors do not reject; one that does is broken, which is no reason to break the connection.
    return failureResult('internal_error', messageOf(error));
  }
}

/**
 * @param {ExecuteResult} execution
 * @param {CodeToolParts} parts
 * @returns {CallToolResult}
 */
function executionAnswer(execution, { maxTextChars, maxAnswerBytes }) {
  const answer = fitted(execution, maxAnswerBytes);
  return {
    content: [textBlock(JSON.stringify(answer), maxTextChars)],
    structuredContent: { ...answer },
    isError: !answer.ok,
  };
}

/**
 * Transports of clients close when a message is too large for them. A guest must not be able to do that.
 *
 * @param {ExecuteResult} execution
 * @param {number} maxBytes
 * @returns {ExecuteResult} a failure in the place of one that is too large; the executor limits its logs
 */
function fitted(execution, maxBytes) {
  const bytes = Buffer.byteLength(JSON.stringify(execution));
  if (bytes <= maxBytes) return execution;
  const { logs, durationMs } = execution;
  const message = `The answer has ${bytes} bytes, of at most ${maxBytes}: return less`;
  return failureResult('serialization_error', message, { logs, durationMs });
}

/**
 * @param {string} text for the model that called, which may try again
 * @returns {CallToolResult}
 */
function refusal(text) {
  return { content: [{ type: 'text', text }], isError: true };
}

/** @param {import('../../types/mcp.js').CatalogueSearch} found */
function describeSearch({ total, tools, types }) {
  if (total === 0) return 'No tool was found. Try fewer or other words, or no query at all.';
  const shown = tools.length < total ? `The best ${tools.length} of ${total} tools:` : '';
  return [shown, types].filter(Boolean).join('\n\n');
}

/**
 * @param {CodeToolParts['providers']} providers
 * @param {number} maxChars
 */
function describeAll(providers, maxChars) {
  const types = providers.map((provider) => provider.types).join('\n\n');
  if (types.length <= maxChars) return types;
  return 'There are too many tools to declare here: give a query, and you get the declarations of those that fit.';
}

/** @param {CodeToolParts['providers']} providers */
function listNamespaces(providers) {
  const names = providers.map(({ name }) => name);
  return `the namespace${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
}

/**
 * @param {string} text
 * @param {number} maxChars what is left out is said; the structured content has all of it
 * @returns {{ type: 'text', text: string }}
 */
function textBlock(text, maxChars) {
  if (text.length <= maxChars) return { type: 'text', text };
  const isPairCut = /[\uD800-\uDBFF]/.test(text[maxChars - 1]);
  const kept = text.slice(0, isPairCut ? maxChars - 1 : maxChars);
  return { type: 'text', text: `${kept}\n… ${text.length - kept.length} more characters` };
}

/** The tools of each mode. */
const MODES = Object.freeze({
  both: [searchTool, executeTool, singleTool],
  split: [searchTool, executeTool],
  single: [singleTool],
});

/**
 * @param {keyof typeof MODES} mode
 * @param {CodeToolParts} parts
 */
function createCodeTools(mode, parts) {
  return MODES[mode].map((create) => create(parts));
}

module.exports = { MODES, createCodeTools, refusal };
