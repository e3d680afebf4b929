'use strict';
// All definitions of a runtime, by name, with every reference between them checked.

const { isRecord } = require('../../checks/options.js');
const { readToolSchema } = require('../../execbox/tool-schema.js');
const { atOnce } = require('../../turns.js');
const { ThreadError } = require('../base/errors.js');
const { throwProblems } = require('./fields.js');
const define = require('./define.js');
const { definePrompt, normalPart } = require('./define-prompt.js');
const { readEndpoint } = require('./endpoints.js');
const { toToolEntry } = require('./side-subagents.js');

/** @typedef {import('../../execbox/tool-schema.js').ToolSchema} ToolSchema */

/** @param {any} entry of a prompt's tools */
const isSubagent = (entry) => entry.resumable !== undefined || entry.immediate !== undefined;

/** What a side that code plays offers to a model. */
const NO_PROMPT = Object.freeze({ name: '', tools: Object.freeze([]) });

class Library {
  /** @type {Map<string, any>} */
  agents;
  /** @type {Map<string, any>} */
  prompts;
  /** @type {Map<string, any>} */
  models;
  /** By id. @type {Map<string, any>} */
  hooks;
  /** @type {Map<string, any>} */
  tools;
  /** @type {Map<string, any>} */
  effects;
  /** @type {Map<string, any>} */
  handlers;
  /** By method and path. @type {Map<string, import('./endpoints.js').Endpoint>} */
  endpoints;

  /** @type {WeakMap<object, ToolSchema>} */
  #schemas = new WeakMap();
  /** Prompts of sides that list subagents. @type {WeakMap<object, any>} */
  #sidePrompts = new WeakMap();

  /** @param {Record<string, any>} given */
  constructor(given) {
    this.agents = byName(given.agents, 'agents', 'agent', 'name', define.defineAgent);
    this.prompts = byName(given.prompts, 'prompts', 'prompt', 'name', definePrompt);
    this.models = byName(given.models, 'models', 'model', 'name', define.defineModel);
    this.hooks = byName(given.hooks, 'hooks', 'hook', 'id', define.defineHook);
    this.tools = byKey(given.tools, 'tools', define.defineTool);
    this.effects = byKey(given.effects, 'effects', (effect) =>
      define.defineEffect(effect?.description, effect?.schema, effect?.execute),
    );
    this.handlers = byKey(given.handlers, 'handlers', define.defineHandler);
    this.endpoints = byKey(given.endpoints, 'endpoints', (one, name) =>
      readEndpoint(name, define.defineThreadEndpoint(one?.execute)),
    );
    this.#checkReferences();
  }

  /**
   * @param {string} name
   * @returns {any}
   */
  agent(name) {
    return found(this.agents, 'agent', name);
  }

  /**
   * @param {string} name
   * @returns {any}
   */
  prompt(name) {
    return found(this.prompts, 'prompt', name);
  }

  /**
   * @param {string} name
   * @returns {any}
   */
  handler(name) {
    return found(this.handlers, 'handler', name);
  }

  /**
   * @param {any} side of an agent
   * @returns {any} its prompt, with the subagents of the side among its tools
   */
  sidePrompt(side) {
    if (side.handler !== undefined) return NO_PROMPT;
    const prompt = this.prompt(side.prompt);
    if (side.subagents === undefined) return prompt;
    let joined = this.#sidePrompts.get(side);
    if (joined === undefined) {
      joined = { ...prompt, tools: [...prompt.tools, ...side.subagents.map(toToolEntry)] };
      this.#sidePrompts.set(side, joined);
    }
    return joined;
  }

  /**
   * @param {string} name
   * @returns {any}
   */
  model(name) {
    return found(this.models, 'model', name);
  }

  /**
   * What a name in a prompt's list of tools stands for: a tool, else a prompt, else an agent by name or title.
   *
   * @param {string} name
   * @returns {{ kind: 'tool' | 'prompt' | 'agent', definition: any } | undefined}
   */
  resolveTool(name) {
    const tool = this.tools.get(name);
    if (tool !== undefined) return { kind: 'tool', definition: tool };
    const prompt = this.prompts.get(name);
    if (prompt !== undefined) return { kind: 'prompt', definition: prompt };
    const agent =
      this.agents.get(name) ?? [...this.agents.values()].find(({ title }) => title === name);
    return agent === undefined ? undefined : { kind: 'agent', definition: agent };
  }

  /**
   * @param {any} schema Zod or JSON Schema
   * @param {string} name
   * @returns {ToolSchema | undefined}
   */
  schemaOf(schema, name) {
    if (schema === undefined || schema === null) return undefined;
    let read = this.#schemas.get(schema);
    if (read === undefined) {
      read = /** @type {ToolSchema} */ (atOnce(readToolSchema(schema, 'input', name)));
      this.#schemas.set(schema, read);
    }
    return read;
  }

  #checkReferences() {
    for (const [name, agent] of this.agents) {
      const problems = this.#hookProblems(agent);
      for (const side of ['sideA', 'sideB']) {
        const prompt = agent[side]?.prompt;
        if (prompt !== undefined && !this.prompts.has(prompt)) {
          problems.push(`${side}.prompt names '${prompt}', and there is no such prompt`);
        }
        const handler = agent[side]?.handler;
        if (handler !== undefined && !this.handlers.has(handler)) {
          problems.push(`${side}.handler names '${handler}', and there is no such handler`);
        }
        for (const [field, tool] of sideTools(agent[side])) {
          if (this.resolveTool(tool) !== undefined) continue;
          problems.push(`${side}.${field} names '${tool}', and there is no such tool`);
        }
        (agent[side]?.subagents ?? []).forEach(
          (/** @type {any} */ one, /** @type {number} */ index) => {
            const fault = this.#subagentFault(one.agent, this.agents.get(one.agent));
            if (fault !== undefined) problems.push(`${side}.subagents[${index}] ${fault}`);
          },
        );
      }
      throwProblems('agent', name, problems);
    }
    for (const [name, prompt] of this.prompts) {
      throwProblems('prompt', name, [
        ...this.#hookProblems(prompt),
        ...this.#promptProblems(prompt),
      ]);
    }
    for (const [name, model] of this.models) {
      const unknown = (model.fallbacks ?? []).filter(
        (/** @type {string} */ one) => !this.models.has(one),
      );
      throwProblems(
        'model',
        name,
        unknown.map(
          (/** @type {string} */ one) => `fallbacks names '${one}', and there is no such model`,
        ),
      );
    }
    for (const [name, tool] of this.tools) {
      const unknown = (tool.uses ?? []).filter(
        (/** @type {string} */ one) => !this.resolveTool(one),
      );
      throwProblems(
        'tool',
        name,
        unknown.map(
          (/** @type {string} */ one) => `uses names '${one}', and there is no such tool`,
        ),
      );
    }
  }

  /** @param {any} definition */
  #hookProblems(definition) {
    return (definition.hooks ?? [])
      .map((/** @type {string} */ id, /** @type {number} */ index) =>
        this.hooks.has(id) ? '' : `hooks[${index}] names '${id}', and there is no such hook`,
      )
      .filter(Boolean);
  }

  /**
   * @param {string} name
   * @param {any} agent
   * @returns {string | undefined} why it cannot be a subagent
   */
  #subagentFault(name, agent) {
    if (agent === undefined) return `names '${name}', and there is no such agent`;
    if (agent.exposeAsTool !== true) return `names '${name}', which has no exposeAsTool: true`;
    return agent.type === 'dual_ai'
      ? undefined
      : `is a subagent, but the agent '${name}' is not dual_ai`;
  }

  /** @param {any} prompt */
  #promptProblems(prompt) {
    /** @type {string[]} */
    const problems = [];
    if (!this.models.has(prompt.model)) {
      problems.push(`model names '${prompt.model}', and there is no such model`);
    }
    prompt.tools.forEach((/** @type {any} */ entry, /** @type {number} */ index) => {
      const target = this.resolveTool(entry.name);
      const place = `tools[${index}]`;
      if (target === undefined) {
        problems.push(`${place} names '${entry.name}', and there is no such tool, prompt or agent`);
      } else if (target.kind === 'agent' && target.definition.exposeAsTool !== true) {
        problems.push(`${place} names the agent '${entry.name}', which has no exposeAsTool: true`);
      } else if (isSubagent(entry) && target.kind !== 'agent') {
        problems.push(`${place} is a subagent, but '${entry.name}' is a ${target.kind}`);
      } else if (isSubagent(entry)) {
        const fault = this.#subagentFault(entry.name, target.definition);
        if (fault !== undefined) problems.push(`${place} ${fault}`);
      }
    });
    if (Array.isArray(prompt.prompt)) {
      prompt.prompt
        .map(normalPart)
        .forEach((/** @type {any} */ part, /** @type {number} */ index) => {
          if (part?.type === 'include' && !this.prompts.has(part.prompt)) {
            problems.push(
              `prompt[${index}] includes '${part.prompt}', and there is no such prompt`,
            );
          }
        });
    }
    return problems;
  }
}

/**
 * @param {any} side
 * @returns {[string, string][]} the tools it names, by field
 */
function sideTools(side = {}) {
  const named = ['sessionStop', 'sessionFail', 'sessionStatus'].map((field) => [
    field,
    side[field]?.name,
  ]);
  return /** @type {[string, string][]} */ (
    [['stopTool', side.stopTool], ...named].filter(([, tool]) => tool !== undefined)
  );
}

/**
 * @param {any} list
 * @param {string} option
 * @param {string} kind
 * @param {string} field
 * @param {(given: any) => any} check
 */
function byName(list = [], option, kind, field, check) {
  if (!Array.isArray(list)) throw new TypeError(`${option} must be an array`);
  const named = new Map();
  for (const given of list) {
    const one = check(given);
    if (named.has(one[field])) {
      throwProblems(kind, one[field], [`${field} is that of another ${kind} too`]);
    }
    named.set(one[field], one);
  }
  return named;
}

/**
 * @param {any} record
 * @param {string} option
 * @param {(given: any, name: string) => any} check
 */
function byKey(record = {}, option, check) {
  if (!isRecord(record)) throw new TypeError(`${option} must be an object, name to definition`);
  return new Map(
    Object.entries(record).map(([name, given]) => {
      try {
        return [name, check(given, name)];
      } catch (error) {
        if (error instanceof ThreadError) {
          error.message = error.message.replace(/^(The definition of \w+)/, `$1 '${name}'`);
        }
        throw error;
      }
    }),
  );
}

/**
 * @param {Map<string, any>} map
 * @param {string} kind
 * @param {string} name
 */
function found(map, kind, name) {
  const one = map.get(name);
  if (one === undefined) {
    throw new ThreadError(
      'ERR_ISOBOX_THREAD_UNKNOWN',
      `There is no ${kind} '${name}'. There are: ${[...map.keys()].join(', ') || 'none'}`,
    );
  }
  return one;
}

module.exports = { Library };
