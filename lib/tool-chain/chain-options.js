'use strict';
// The options of a tool chain and of its calls: names, defaults and ranges.

const {
  checkBoolean,
  checkChoice,
  checkFunction,
  checkNumber,
  checkRecord,
  checkString,
  isRecord,
} = require('../checks/options.js');
const { checkHost } = require('../process-host.js');
const { backendSource } = require('./backend-source.js');

const MiB = 2 ** 20;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const OPTION_KEYS = [
  'backends',
  'cache',
  'output',
  'sandbox',
  'approval',
  'tracer',
  'onWarning',
  'host',
];
const OUTPUT_KEYS = ['auto_chunk_json', 'smart_truncation', 'chunk_threshold'];
const SANDBOX_KEYS = ['timeout', 'max_output_size', 'max_concurrent_sandboxes', 'max_heap_size'];
const APPROVAL_KEYS = ['tools', 'annotations', 'isNeeded', 'ask'];
const HINTS = ['destructiveHint', 'openWorldHint'];
const CALL_KEYS = ['code', 'timeout', 'max_output_size', 'intent'];
const MAX_INTENT_CHARS = 10_000;
/** It is looked at on the loop. */
const MAX_CODE_CHARS = 4 * MiB;
/** The SDK's clients close a connection at a message of 10 MiB. */
const MAX_OUTPUT_BYTES = 4 * MiB;

const time = { min: 1, max: MAX_TIMEOUT_MS };
const size = { min: 1, max: 2 ** 40 };
const output = { min: 1, max: MAX_OUTPUT_BYTES };

/** @param {unknown} value */
function readChainOptions(value) {
  const options = checkRecord(value, 'options', OPTION_KEYS);
  if (options.tracer !== undefined) {
    checkFunction(options.tracer?.startActiveSpan, 'options.tracer.startActiveSpan');
  }
  const { onWarning = () => {} } = options;
  return {
    onWarning: checkFunction(onWarning, 'options.onWarning'),
    backends: readBackends(options.backends),
    cacheFile: readCacheFile(options.cache),
    output: readOutput(options.output),
    sandbox: readSandbox(options.sandbox),
    approval: readApproval(options.approval),
    host: checkHost(options.host ?? 'thread', 'options.host'),
    tracer: /** @type {import('../../types/tool-chain.js').ToolChainTracer | undefined} */ (
      options.tracer
    ),
  };
}

/** @param {unknown} backends */
function readBackends(backends) {
  if (!isRecord(backends)) {
    throw new TypeError('options.backends must be an object: { name: { command, args } }');
  }
  return Object.entries(backends).map(([name, entry]) => {
    const where = `options.backends.${name}`;
    if (!isRecord(entry)) throw new TypeError(`${where} must be an object`);
    const { timeout = Infinity, max_concurrent_calls: calls = 64 } = entry;
    return {
      name,
      source: backendSource(name, entry, where),
      timeoutMs: checkNumber(timeout, `${where}.timeout`, { ...time, unlimited: true }),
      maxConcurrentCalls: checkNumber(calls, `${where}.max_concurrent_calls`, {
        min: 1,
        max: 10_000,
      }),
    };
  });
}

/**
 * @param {unknown} value
 * @returns {string | undefined}
 */
function readCacheFile(value) {
  if (value === undefined || value === false) return undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError('options.cache must be the path of a file, or false');
}

/** @param {unknown} value */
function readOutput(value) {
  const given = checkRecord(value, 'options.output', OUTPUT_KEYS);
  const { auto_chunk_json = true, smart_truncation = true, chunk_threshold = 10_240 } = given;
  return {
    autoChunkJson: checkBoolean(auto_chunk_json, 'options.output.auto_chunk_json'),
    smartTruncation: checkBoolean(smart_truncation, 'options.output.smart_truncation'),
    chunkThreshold: checkNumber(chunk_threshold, 'options.output.chunk_threshold', size),
  };
}

/** @param {unknown} value */
function readSandbox(value) {
  const given = checkRecord(value, 'options.sandbox', SANDBOX_KEYS);
  const { timeout = 30_000, max_output_size = 200_000 } = given;
  const { max_concurrent_sandboxes = 8, max_heap_size = 50 * MiB } = given;
  const where = 'options.sandbox';
  return {
    timeoutMs: checkNumber(timeout, `${where}.timeout`, time),
    maxOutputBytes: checkNumber(max_output_size, `${where}.max_output_size`, output),
    maxRuns: checkNumber(max_concurrent_sandboxes, `${where}.max_concurrent_sandboxes`, {
      min: 1,
      max: 10_000,
    }),
    heapBytes: checkNumber(max_heap_size, `${where}.max_heap_size`, {
      min: 8 * MiB,
      max: 4096 * MiB,
    }),
  };
}

/** @param {unknown} value */
function readApproval(value) {
  const given = checkRecord(value, 'options.approval', APPROVAL_KEYS);
  const { tools = [], annotations = [], isNeeded = () => false, ask } = given;
  return {
    tools: readStrings(tools, 'options.approval.tools'),
    annotations: readStrings(annotations, 'options.approval.annotations', HINTS),
    isNeeded: checkFunction(isNeeded, 'options.approval.isNeeded'),
    ask: ask === undefined ? undefined : checkFunction(ask, 'options.approval.ask'),
  };
}

/**
 * @param {unknown} value
 * @param {string} where
 * @param {string[]} [choices]
 * @returns {string[]}
 */
function readStrings(value, where, choices) {
  if (!Array.isArray(value)) throw new TypeError(`${where} must be an array of strings`);
  for (const one of value) {
    checkString(one, `${where}[]`);
    if (choices !== undefined && !choices.includes(one)) {
      throw new TypeError(`${where} has '${one}'. Known: ${choices.join(', ')}`);
    }
  }
  return value;
}

/**
 * @param {unknown} value
 * @param {ReturnType<typeof readSandbox>} defaults
 */
function readCall(value, defaults) {
  if (value === undefined) throw new TypeError('callToolChain needs a request: { code: "..." }');
  const request = checkRecord(value, 'request', CALL_KEYS);
  const { timeout = defaults.timeoutMs, max_output_size = defaults.maxOutputBytes } = request;
  const { intent = '' } = request;
  if (checkString(intent, 'request.intent').length > MAX_INTENT_CHARS) {
    throw new RangeError(`request.intent has more than ${MAX_INTENT_CHARS} characters`);
  }
  if (checkString(request.code, 'request.code').length > MAX_CODE_CHARS) {
    throw new RangeError(`request.code has more than ${MAX_CODE_CHARS} characters`);
  }
  return {
    code: /** @type {string} */ (request.code),
    timeoutMs: checkNumber(timeout, 'request.timeout', time),
    maxOutputBytes: checkNumber(max_output_size, 'request.max_output_size', output),
    intent: /** @type {string} */ (intent),
  };
}

/**
 * @param {unknown} value
 * @returns {import('../../types/tool-chain.js').ToolChainContext}
 */
function readContext(value) {
  const context = checkRecord(value, 'context', ['signal', 'onProgress', 'ask']);
  const { signal, onProgress, ask } = context;
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new TypeError('context.signal must be an AbortSignal');
  }
  if (onProgress !== undefined) checkFunction(onProgress, 'context.onProgress');
  if (ask !== undefined) checkFunction(ask, 'context.ask');
  return context;
}

/** @param {unknown} value */
function readSearch(value) {
  const request = checkRecord(value, 'request', ['task_description', 'limit', 'brief']);
  const { task_description, limit = 10, brief = true } = request;
  return {
    query: checkString(task_description, 'request.task_description'),
    limit: checkNumber(limit, 'request.limit', { min: 1, max: 100 }),
    isBrief: checkBoolean(brief, 'request.brief'),
  };
}

/** @param {unknown} value */
function readInfo(value) {
  const { tool_name, detail = 'full' } = checkRecord(value, 'request', ['tool_name', 'detail']);
  return {
    name: checkString(tool_name, 'request.tool_name'),
    isBrief: checkChoice(detail, 'request.detail', ['brief', 'full']) === 'brief',
  };
}

/** @param {unknown} value */
function readList(value) {
  const { cursor = '0', page_size = 50 } = checkRecord(value, 'request', ['cursor', 'page_size']);
  if (!/^\d{1,9}$/.test(checkString(cursor, 'request.cursor'))) {
    throw new TypeError('request.cursor must be the next_cursor of a page before');
  }
  return {
    start: Number(cursor),
    size: checkNumber(page_size, 'request.page_size', { min: 1, max: 1000 }),
  };
}

module.exports = {
  MAX_CODE_CHARS,
  MAX_INTENT_CHARS,
  MAX_OUTPUT_BYTES,
  MAX_TIMEOUT_MS,
  readCall,
  readChainOptions,
  readContext,
  readInfo,
  readList,
  readSearch,
};
