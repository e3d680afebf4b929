'use strict';
// What all forms of the code tool have in common: options, tools, description, and one run of code.

const { IsolateExecutor } = require('../execbox/isolate-executor.js');
const {
  RUNTIME_OPTION_NAMES,
  DEFAULT_RUNTIME_OPTIONS,
  readRuntimeOptions,
} = require('../execution/runtime-options.js');
const { failureResult } = require('../execution/failures.js');
const { messageOf } = require('../foreign-text.js');
const { checkFunction, checkNumber, checkRecord, isRecord } = require('../checks/options.js');
const { answerText } = require('./answer-text.js');
const { describeCode } = require('./describe.js');
const { readTools, withCall } = require('./read-tools.js');

/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */
/** @typedef {import('../../types/execbox.js').Executor} Executor */

const OPTION_NAMES = [
  'tools',
  'namespace',
  'description',
  'approve',
  'executor',
  'onLog',
  'maxTextChars',
  ...RUNTIME_OPTION_NAMES,
];
const DEFAULT_LIMITS = Object.freeze({ ...DEFAULT_RUNTIME_OPTIONS, timeoutMs: 30_000 });
const DEFAULT_TEXT_CHARS = 20_000;

/** @returns {import('../../types/ai.js').CodeFunction['anthropic']['input_schema']} a new one: SDKs change theirs */
function inputJsonSchema() {
  return {
    type: 'object',
    properties: { code: { type: 'string', description: 'The code to run.' } },
    required: ['code'],
    additionalProperties: false,
  };
}

/** @type {Executor | undefined} */
let sharedExecutor;

class CodeRunner {
  #provider;
  #executor;
  #limits;
  /** @type {((line: string) => void) | undefined} */
  onLog;
  #maxTextChars;
  description;

  /**
   * @param {unknown} given
   * @param {string[]} [more] options that the form of the tool has beside the common ones
   */
  constructor(given, more = []) {
    const options = checkRecord(given, 'options', [...OPTION_NAMES, ...more]);
    const { namespace = 'tools', approve, executor, onLog, description } = options;
    if (approve !== undefined) checkFunction(approve, 'options.approve');
    if (onLog !== undefined) checkFunction(onLog, 'options.onLog');
    if (executor !== undefined && typeof executor?.execute !== 'function') {
      throw new TypeError('options.executor must have execute(), as an IsolateExecutor does');
    }
    const { maxTextChars = DEFAULT_TEXT_CHARS } = options;
    this.#maxTextChars = checkNumber(maxTextChars, 'options.maxTextChars', {
      min: 100,
      max: 2 ** 28,
    });
    this.#limits = readRuntimeOptions(options, 'options', DEFAULT_LIMITS);
    this.onLog = onLog;
    this.#executor = executor;
    this.#provider = readTools(options.tools, namespace, approve);
    this.description = this.#describe(description);
  }

  /**
   * @param {unknown} input `{ code }`, or the same as JSON, which is how OpenAI gives arguments
   * @param {{ signal?: AbortSignal, onLog?: (line: string) => void, call?: Record<string, unknown> }} [options]
   * @returns {Promise<ExecuteResult>} never rejects
   */
  async run(input, { signal, onLog = this.onLog, call = {} } = {}) {
    const { code, refusal } = readInput(input);
    if (code === undefined) return failureResult('validation_error', refusal);
    try {
      const executor = this.#executor ?? (sharedExecutor ??= new IsolateExecutor());
      return await executor.execute(code, [withCall(this.#provider, { ...call, code })], {
        ...this.#limits,
        ...(signal && { signal }),
        ...(onLog && { onLog }),
      });
    } catch (error) {
      // Executors do not reject; one that does is broken, and the model is told so.
      return failureResult('internal_error', messageOf(error));
    }
  }

  /** @param {ExecuteResult} result */
  textOf(result) {
    return answerText(result, this.#maxTextChars);
  }

  /** @param {unknown} given a text in the place of the usual one, or a function that makes it from the parts */
  #describe(given) {
    const usual = describeCode(this.#provider, this.#limits);
    if (given === undefined) return usual;
    const { types } = this.#provider;
    const text = typeof given === 'function' ? given({ description: usual, types }) : given;
    if (typeof text !== 'string') {
      throw new TypeError('options.description must be a string, or a function that returns one');
    }
    return text;
  }
}

/**
 * @param {unknown} input
 * @returns {{ code: string, refusal: '' } | { code: undefined, refusal: string }}
 */
function readInput(input) {
  let given = input;
  if (typeof input === 'string') {
    try {
      given = JSON.parse(input);
    } catch (error) {
      const refusal = `The arguments are not JSON (${messageOf(error)}). Give { "code": "..." }`;
      return { code: undefined, refusal };
    }
  }
  const code = isRecord(given) ? given.code : undefined;
  if (typeof code === 'string') return { code, refusal: '' };
  return { code: undefined, refusal: 'The arguments must be { "code": "..." }, with code as text' };
}

module.exports = { CodeRunner, inputJsonSchema, readInput };
