'use strict';
// What runs beside a package, in an isolate or in a process: finds the tool, calls it, and describes it. It is loaded before
// the package, and uses nothing that a package could replace later. It has no need of Node.

const { messageOf } = require('../../foreign-text.js');
const { describeSchema } = require('./describe-schema.js');

const { stringify } = JSON;
const MAX_MESSAGE_CHARS = 4000;

/**
 * @typedef {object} Ask
 * @property {'execute' | 'describe' | 'exports'} action
 * @property {string} name of the tool; '' for `exports`
 * @property {Record<string, unknown>} params
 * @property {Record<string, string>} env
 * @property {string} toolCallId
 */
/** @typedef {{ ok: true, text: string } | { ok: false, kind: string, message: string }} Answer */

class Refusal extends Error {
  /**
   * @param {'noTool' | 'invalidTool' | 'unconfigured' | 'noSchema' | 'threw'} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** @type {Record<Ask['action'], (pkg: Record<string, any>, ask: Ask, emit: (text: string) => unknown) => unknown>} */
const ACTIONS = {
  async execute(pkg, ask, emit) {
    const tool = await findTool(pkg, ask);
    const options = {
      toolCallId: ask.toolCallId,
      messages: [],
      abortSignal: typeof AbortController === 'function' ? new AbortController().signal : undefined,
    };
    const result = await tool.execute(ask.params, options);
    return typeof result?.[Symbol.asyncIterator] === 'function' ? lastOf(result, emit) : result;
  },

  async describe(pkg, ask) {
    const tool = await findTool(pkg, ask);
    if (typeof tool.description !== 'string' || tool.description === '') {
      throw new Refusal('invalidTool', `Tool "${ask.name}" has no description`);
    }
    const inputSchema = await describeSchema(tool.inputSchema ?? tool.parameters);
    if (inputSchema === undefined) {
      throw new Refusal('noSchema', `Tool "${ask.name}" has no input schema that can be read`);
    }
    return { name: ask.name, description: tool.description, inputSchema };
  },

  async exports(pkg, ask) {
    const names = Object.keys(pkg).filter((name) => name !== 'default');
    const tools = [];
    for (const name of names) {
      try {
        const { description } = await findTool(pkg, { ...ask, name });
        tools.push({ name, isValidTool: true, description });
      } catch (error) {
        tools.push({ name, isValidTool: false, error: messageOf(error) });
      }
    }
    return { exports: names, tools };
  },
};

/**
 * @param {Record<string, any>} pkg
 * @param {Ask} ask
 * @returns {Promise<any>} something with `execute`
 */
async function findTool(pkg, { name, env }) {
  const found = lookUp(pkg, name);
  if (found === undefined || found === null) {
    const names = Object.keys(pkg).slice(0, 50).join(', ');
    throw new Refusal('noTool', `Tool "${name}" not found in package. It exports: ${names}`);
  }
  if (typeof found.execute === 'function') return found;
  if (typeof found === 'function') return callFactory(found, name, env);
  throw new Refusal('invalidTool', `Tool "${name}" does not have an execute() method`);
}

/**
 * @param {Record<string, any>} pkg
 * @param {string} name
 */
function lookUp(pkg, name) {
  if (Object.hasOwn(pkg, name)) return pkg[name];
  const fallback = pkg.default;
  if (fallback === undefined || fallback === null) return undefined;
  if (Object.hasOwn(Object(fallback), name) && fallback[name] !== name) return fallback[name];
  return fallback.name === name ? fallback : undefined;
}

/**
 * @param {(...args: any[]) => any} factory
 * @param {string} name
 * @param {Record<string, string>} env
 */
async function callFactory(factory, name, env) {
  const key = Object.entries(env).find(([variable]) => variable.includes('API_KEY'))?.[1];
  const attempts = [
    [],
    ...(Object.keys(env).length > 0 ? [[{ ...env }]] : []),
    ...(key === undefined ? [] : [[{ apiKey: key }]]),
  ];
  /** @type {unknown} */
  let thrown;
  for (const args of attempts) {
    try {
      const made = await factory(...args);
      if (typeof made?.execute === 'function') return made;
    } catch (error) {
      thrown ??= error;
    }
  }
  if (thrown === undefined) {
    throw new Refusal(
      'invalidTool',
      `Tool "${name}" is a function that returns nothing with an execute() method`,
    );
  }
  throw new Refusal(
    'unconfigured',
    `Tool "${name}" is a factory function that could not be called without arguments or with env: ${messageOf(thrown)}`,
  );
}

/**
 * @param {AsyncIterable<unknown>} results of a tool that reports how it gets on; the last is its output
 * @param {(text: string) => unknown} emit
 */
async function lastOf(results, emit) {
  /** @type {unknown} */
  let last = null;
  for await (const result of results) {
    last = result;
    await emit(toJson(result));
  }
  return last;
}

/** @param {unknown} value */
function toJson(value) {
  try {
    return stringify(value) ?? 'null';
  } catch (error) {
    throw new Refusal('threw', `The tool's output is no JSON: ${messageOf(error)}`);
  }
}

/**
 * @param {Record<string, any>} pkg the package's namespace
 * @param {Ask} ask
 * @param {(text: string) => unknown} emit is told what a tool yields before it ends, as JSON text
 * @returns {Promise<Answer>} JSON text of what was asked for
 */
async function drive(pkg, ask, emit) {
  try {
    const value = await ACTIONS[ask.action](pkg, ask, emit);
    return { ok: true, text: toJson(value) };
  } catch (error) {
    const kind = error instanceof Refusal ? error.kind : 'threw';
    return { ok: false, kind, message: messageOf(error).slice(0, MAX_MESSAGE_CHARS) };
  }
}

module.exports = { drive };
