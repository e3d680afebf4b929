'use strict';
// What clients are told about the tools of a tool chain.

const {
  MAX_CODE_CHARS,
  MAX_INTENT_CHARS,
  MAX_OUTPUT_BYTES,
  MAX_TIMEOUT_MS,
} = require('./chain-options.js');

/** @typedef {import('@modelcontextprotocol/sdk/types.js').Tool} Tool */

/** @type {Tool} */
const CALL_TOOL_CHAIN = {
  name: 'call_tool_chain',
  title: 'Call tools',
  description:
    'Calls tools of the connected backends: one call as JSON, {"tool": "backend.tool", "arguments": {…}}, or JavaScript or ' +
    'TypeScript that calls as many as it needs, `const r = await backend.tool({ key: "value" }); return r;`. Find tools with ' +
    'search_tools first. Return what you need: console output is shown only when the code fails. Large outputs are summarized; ' +
    'the answer names a resource that has all of them, which code reads with __readResult(id, { pointer }).',
  inputSchema: {
    type: 'object',
    required: ['code'],
    properties: {
      code: {
        type: 'string',
        maxLength: MAX_CODE_CHARS,
        description: 'A call as JSON, or JavaScript or TypeScript.',
      },
      timeout: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        description: 'Milliseconds. Default: 30000, unless configured otherwise.',
      },
      max_output_size: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_OUTPUT_BYTES,
        description: 'Bytes of the answer. Default: 200000, unless configured otherwise.',
      },
      intent: {
        type: 'string',
        maxLength: MAX_INTENT_CHARS,
        description:
          'What you are after: of a large output, only sections with these words are shown.',
      },
    },
  },
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
};

const LOOKING = { readOnlyHint: true, openWorldHint: false };

/** @type {Tool} */
const SEARCH_TOOLS = {
  name: 'search_tools',
  title: 'Search tools',
  description: 'Finds tools of all backends by words, the best first. Typing errors do no harm.',
  inputSchema: {
    type: 'object',
    required: ['task_description'],
    properties: {
      task_description: { type: 'string', maxLength: 1000, description: 'What the tool is to do.' },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Default: 10.' },
      brief: {
        type: 'boolean',
        description:
          'Names and first lines (default), or with false schemas and TypeScript declarations.',
      },
    },
  },
  annotations: LOOKING,
};

/** @type {Tool} */
const TOOL_INFO = {
  name: 'tool_info',
  title: 'Describe a tool',
  description: 'Tells how one tool is called: its schemas and its TypeScript declaration.',
  inputSchema: {
    type: 'object',
    required: ['tool_name'],
    properties: {
      tool_name: { type: 'string', description: 'backend.tool, or the name of a tool alone.' },
      detail: { type: 'string', enum: ['brief', 'full'], description: 'Default: full.' },
    },
  },
  annotations: LOOKING,
};

/** @type {Tool} */
const LIST_TOOLS_META = {
  name: 'list_tools_meta',
  title: 'List tools',
  description: 'Lists the tools of all backends, page by page.',
  inputSchema: {
    type: 'object',
    properties: {
      cursor: { type: 'string', description: 'next_cursor of the page before.' },
      page_size: { type: 'integer', minimum: 1, maximum: 1000, description: 'Default: 50.' },
    },
  },
  annotations: LOOKING,
};

module.exports = { CALL_TOOL_CHAIN, LIST_TOOLS_META, SEARCH_TOOLS, TOOL_INFO };
