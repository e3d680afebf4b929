'use strict';
// The three tools of a code server: search the catalogue, execute code, and one that does both.

const { clipText } = require('../execution/clip-text.js');
const { failureResult } = require('../execution/failures.js');
const { messageOf } = require('../foreign-text.js');
const { DEFAULT_LIMIT, makeSchemas } = require('./code-tool-schemas.js');
const { mayHaveBlocks, takeBlocks } = require('./content-blocks.js');
const { loadTypes, loadZod } = require('./sdk.js');

/** @typedef {import('@modelcontextprotocol/sdk/types.js').CallToolResult} CallToolResult */
/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */

/**
 * @typedef {object} CodeTool
 * @property {string} name
 * @property {object} config as `McpServer.registerTool` takes it, but for its schemas
 * @property {keyof ReturnType<typeof makeSchemas>} schemas
 * @property {(input: any, signal: AbortSignal) => Promise<CallToolResult>} call its input fits the schema
 */

/**
 * @typedef {object} CodeToolParts
 * @property {import('../../types/execbox.js').Executor} executor
 * @property {import('../../types/execbox.js').ResolvedToolProvider[]} providers
 * @property {InstanceType<typeof import('./catalogue.js').Catalogue>} catalogue
 * @property {{ search: string, execute: string, single: string }} names
 * @property {import('./tool-provider.js').ResultForm} results
 * @property {number} maxTextChars
 * @property {number} maxAnswerBytes
 */

/** What guest code has to know of results, by their form. */
const HOW_TOOLS_ANSWER = Object.freeze({
  value:
    'They give what their declaration says; without one, their text or their MCP content blocks. A tool that fails throws.',
  envelope:
    'They give the MCP result of the call: look at structuredContent first, then at content. isError is true when the tool failed.',
});

/** Code may call any tool, of which nothing is known. */
const EXECUTING = Object.freeze({
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
});

/** @param {CodeToolParts} parts */
function howCodeRuns({ results }) {
  return (
    `Tools are async functions that take one object. ${HOW_TOOLS_ANSWER[results]} ` +
    'Use console.log for what should be shown beside the result. ' +
    'Every call starts afresh; there is no network, file system or timer but the tools.'
  );
}

/**
 * @param {CodeToolParts} parts
 * @returns {CodeTool}
 */
function searchTool({ catalogue, names, maxTextChars }) {
  return {
    name: names.search,
    schemas: 'search',
    config: {
      title: 'Search tools',
      description:
        `Finds tools by words and declares them in TypeScript, for code to run with ${names.execute}. ` +
        'Without a query it lists all of them.',
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async call({ query = '', limit = DEFAULT_LIMIT }) {
      const found = await catalogue.search(query, limit);
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
    name: names.execute,
    schemas: 'execute',
    config: {
      title: 'Execute code',
      description:
        `Runs code that can call the tools of ${listNamespaces(providers)}. ` +
        `Find and declare tools with ${names.search} first. ${howCodeRuns(parts)}`,
      annotations: EXECUTING,
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
    name: names.single,
    schemas: 'single',
    config: {
      title: 'Search tools and execute code',
      description:
        `Runs code that can call the tools of ${listNamespaces(providers)}, finds tools by words, or both. ` +
        `${howCodeRuns(parts)}\n\n${describeAll(providers, maxTextChars)}`,
      annotations: EXECUTING,
    },
    async call({ code, query, limit = DEFAULT_LIMIT }, signal) {
      if (code === undefined && query === undefined) {
        const text = `${names.single} needs code to run, a query to search for, or both`;
        return { content: [textBlock(text, maxTextChars)], isError: true };
      }
      const found = query === undefined ? undefined : await catalogue.search(query, limit);
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
  const { answer, content } = fitted(execution, maxAnswerBytes);
  return {
    content: [textBlock(JSON.stringify(answer), maxTextChars), ...content],
    structuredContent: { ...answer },
    isError: !answer.ok,
  };
}

/**
 * Transports of clients close when a message is too large for them. A guest must not be able to do that.
 *
 * @param {ExecuteResult} execution
 * @param {number} maxBytes
 * @returns {{ answer: ExecuteResult, content: any[] }} images and the like apart from it; a failure in the place of one
 *   that is too large: the executor limits its logs
 */
function fitted(execution, maxBytes) {
  const json = JSON.stringify(execution);
  const bytes = Buffer.byteLength(json);
  if (bytes > maxBytes) {
    const { logs, durationMs } = execution;
    const message = `The answer has ${bytes} bytes, of at most ${maxBytes}: return less`;
    const answer = failureResult('serialization_error', message, { logs, durationMs });
    return { answer, content: [] };
  }
  if (!execution.ok || !mayHaveBlocks(json)) return { answer: execution, content: [] };
  const { ContentBlockSchema } = loadTypes();
  const { value, content } = takeBlocks(
    execution.result,
    (block) => ContentBlockSchema.safeParse(block).success,
  );
  return { answer: { ...execution, result: value }, content };
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
 * @param {number} maxChars of all of it, with what says how much is left out; the structured content has the rest
 * @returns {{ type: 'text', text: string }}
 */
function textBlock(text, maxChars) {
  return { type: 'text', text: clipText(text, maxChars) };
}

/**
 * @param {keyof typeof MODES} mode
 * @param {CodeToolParts} parts
 * @returns {string} what a client tells its model about the server
 */
function instructionsFor(mode, { names, providers }) {
  const how =
    mode === 'single'
      ? `Send a query to ${names.single} to find tools, then code that calls them.`
      : `Find tools with ${names.search}, then send code that calls them to ${names.execute}.`;
  return (
    `The tools of ${listNamespaces(providers)} are called by code. ${how} One program may make as many calls as the task ` +
    'needs: loop, filter and join in the code, and return only what matters.'
  );
}

/** The tools of each mode. */
const MODES = Object.freeze({
  both: [searchTool, executeTool, singleTool],
  split: [searchTool, executeTool],
  single: [singleTool],
});

/**
 * @param {any} server an `McpServer` of the SDK
 * @param {keyof typeof MODES} mode
 * @param {CodeToolParts} parts
 */
function registerCodeTools(server, mode, parts) {
  const schemas = makeSchemas(loadZod());
  for (const create of MODES[mode]) {
    const tool = create(parts);
    const { input, output } = schemas[tool.schemas];
    server.registerTool(
      tool.name,
      { ...tool.config, inputSchema: input, outputSchema: output },
      (/** @type {unknown} */ given, /** @type {{ signal: AbortSignal }} */ { signal }) =>
        tool.call(given, signal),
    );
  }
}

module.exports = { MODES, instructionsFor, registerCodeTools };
