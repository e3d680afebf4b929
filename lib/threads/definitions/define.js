'use strict';
// What a developer writes: agents, prompts, models, tools, hooks, effects and endpoints. Each is checked where it is defined, and
// given back frozen.

const { isRecord } = require('../../checks/options.js');
const { readToolSchema } = require('../../execbox/tool-schema.js');
const { atOnce } = require('../../turns.js');
const { messageOf } = require('../base/errors.js');
const { checkDefinition, oneOf, rules } = require('./fields.js');
const { checkSideSubagents } = require('./side-subagents.js');

/** The hooks of 0.1.0, in the order in which a thread meets them. */
const HOOKS = Object.freeze([
  'after_thread_created',
  'after_subagent_created',
  'after_system_message',
  'filter_messages',
  'prefilter_llm_history',
  'before_create_message',
  'after_create_message',
  'before_update_message',
  'after_update_message',
  'before_store_tool_result',
  'after_tool_call_success',
  'after_tool_call_failure',
]);

const SESSION_TOOLS = ['sessionStop', 'sessionFail', 'sessionStatus'];
const SIDE_LABEL = { label: rules.text };
const SIDE = {
  ...SIDE_LABEL,
  stopOnResponse: rules.flag,
  stopTool: rules.filledText,
  stopToolResponseProperty: rules.filledText,
  maxSteps: rules.count,
};

/** @param {import('../parts.js').Fields} side */
function checkSideB(side) {
  if (side.get('handler') === undefined) checkSide(side);
  else side.required({ handler: rules.filledText }).optional(SIDE_LABEL).only(['handler', 'label']);
}

/** @param {import('../parts.js').Fields} side */
function checkSide(side) {
  if (side.get('handler') !== undefined) {
    side.problem('handler', 'must not be there: a handler plays side B, and a prompt side A');
  }
  side
    .required({ prompt: rules.filledText })
    .optional(SIDE)
    .only(['prompt', 'handler', 'subagents', ...Object.keys(SIDE), ...SESSION_TOOLS]);
  checkSideSubagents(side);
  if (side.get('stopTool') !== undefined && side.get('stopToolResponseProperty') === undefined) {
    side.problem('stopToolResponseProperty', 'is missing; it is required with stopTool');
  }
  for (const name of SESSION_TOOLS) {
    const binding = side.get(name);
    if (binding === undefined || (typeof binding === 'string' && binding !== '')) continue;
    side
      .inside(name)
      .required({ name: rules.filledText })
      .optional({ messageProperty: rules.filledText, attachmentsProperty: rules.filledText })
      .only(['name', 'messageProperty', 'attachmentsProperty']);
  }
}

const AGENT = {
  type: oneOf(['ai_human', 'dual_ai']),
  maxSessionTurns: rules.count,
  exposeAsTool: rules.flag,
  toolDescription: rules.text,
  description: rules.text,
  icon: rules.text,
  title: rules.text,
  env: rules.textRecord,
  hooks: rules.texts,
  primary: rules.flag,
  packageName: rules.text,
  version: rules.text,
  author: rules.text,
  license: rules.text,
};

/** @param {any} given */
function defineAgent(given) {
  checkDefinition('agent', given, (agent) => {
    agent
      .required({ name: rules.name, sideA: rules.record })
      .optional(AGENT)
      .only(['name', 'sideA', 'sideB', ...Object.keys(AGENT)]);
    if (isRecord(agent.get('sideA'))) checkSide(agent.inside('sideA'));
    const sideB = agent.get('sideB');
    const isHuman = isRecord(sideB) && sideB.human === true;
    if (isHuman) agent.inside('sideB').only(['human', 'label']);
    else if (sideB !== undefined) checkSideB(agent.inside('sideB'));
    const type = agent.get('type');
    if (type === 'dual_ai' && (sideB === undefined || isHuman)) {
      agent.problem(
        'sideB',
        'is missing; an agent of type dual_ai has a prompt or a handler there',
      );
    }
    if (type === 'ai_human' && sideB !== undefined && !isHuman) {
      agent.problem('sideB', 'must not be there: in an agent of type ai_human, a human is side B');
    }
  });
  const isDual = given.sideB !== undefined && given.sideB.human !== true;
  return Object.freeze({
    ...given,
    type: given.type ?? (isDual ? 'dual_ai' : 'ai_human'),
    sideA: normalSide(given.sideA),
    sideB: isDual ? normalSide(given.sideB) : undefined,
  });
}

/** @param {any} side */
function normalSide(side) {
  const bindings = Object.fromEntries(
    SESSION_TOOLS.filter((name) => side[name] !== undefined).map((name) => [
      name,
      typeof side[name] === 'string' ? { name: side[name] } : side[name],
    ]),
  );
  return Object.freeze({ ...side, ...bindings });
}

const EFFECT_SHAPE = ['description', 'schema', 'execute'];
const MODEL = {
  fallbacks: rules.texts,
  inputPrice: rules.amount,
  outputPrice: rules.amount,
  cachedPrice: rules.amount,
  providerOptions: rules.record,
  capabilities: rules.record,
};
const CAPABILITIES = {
  supportsImages: rules.flag,
  supportsToolCalls: rules.flag,
  supportsStreaming: rules.flag,
  supportsJsonMode: rules.flag,
  maxContextTokens: rules.count,
  maxOutputTokens: rules.count,
  reasoningLevels: rules.record,
};

/** @param {any} given */
function defineModel(given) {
  checkDefinition('model', given, (model) => {
    model
      .required({ name: rules.filledText })
      .optional(MODEL)
      .only(['name', 'provider', 'model', ...Object.keys(MODEL)]);
    if (isRecord(model.get('capabilities'))) {
      model.inside('capabilities').optional(CAPABILITIES).only(Object.keys(CAPABILITIES));
    }
    const inner = model.get('model');
    if (isRecord(inner)) {
      if (typeof inner.doGenerate !== 'function' || typeof inner.doStream !== 'function') {
        model.problem('model', "must be a model's id, or a language model of the AI SDK");
      }
      if (model.get('provider') !== undefined) {
        model.problem('provider', 'must not be there: a model of the AI SDK has its own');
      }
      return;
    }
    model.required({ model: rules.filledText, provider: rules.action });
  });
  return Object.freeze({ ...given });
}

const TOOL = {
  variables: undefined,
  uses: rules.texts,
  executionMode: oneOf(['local', 'isolate']),
};

/** @param {any} given */
function defineTool(given) {
  checkDefinition('tool', given, (tool) => {
    tool
      .required({ description: rules.filledText })
      .optional({ uses: TOOL.uses, executionMode: TOOL.executionMode })
      .only(['description', 'args', 'execute', 'source', 'functions', ...Object.keys(TOOL)]);
    checkVariables(tool);
    checkSchema(tool, 'args');
    if (tool.get('executionMode') === 'isolate') {
      tool.required({ source: rules.filledText }).optional({ functions: rules.record });
      if (tool.get('execute') !== undefined) {
        tool.problem('execute', "must not be there: with executionMode 'isolate', source is run");
      }
      for (const [name, one] of Object.entries(tool.get('functions') ?? {})) {
        if (typeof one !== 'function') tool.problem(`functions.${name}`, 'must be a function');
      }
    } else {
      tool.required({ execute: rules.action });
      for (const name of ['source', 'functions']) {
        if (tool.get(name) !== undefined) tool.problem(name, "needs executionMode 'isolate'");
      }
    }
  });
  return Object.freeze({ ...given });
}

/**
 * @param {import('../parts.js').Fields} fields
 * @param {string} name
 */
function checkSchema(fields, name) {
  const schema = fields.get(name);
  if (schema === undefined || schema === null) return;
  try {
    atOnce(readToolSchema(schema, 'input', name));
  } catch (error) {
    fields.problem(name, `must be a Zod object or a JSON Schema (${messageOf(error)})`);
  }
}

/** @param {import('../parts.js').Fields} fields */
function checkVariables(fields) {
  fields.each('variables', (_entry, inside) => {
    inside(_entry)
      .required({ name: rules.filledText })
      .optional({
        type: oneOf(['text', 'secret']),
        required: rules.flag,
        scoped: rules.flag,
        description: rules.text,
      })
      .only(['name', 'type', 'required', 'scoped', 'description']);
  });
}

/** @param {any} given */
function defineHook(given) {
  checkDefinition('hook', given, (hook) => {
    hook
      .required({ hook: oneOf([...HOOKS]), id: rules.filledText, execute: rules.action })
      .only(['hook', 'id', 'execute']);
  });
  return Object.freeze({ ...given });
}

/**
 * @param {string} description
 * @param {any} schemaOrHandler
 * @param {Function} [handler]
 */
function defineEffect(description, schemaOrHandler, handler) {
  const given =
    handler === undefined && typeof schemaOrHandler === 'function'
      ? { description, execute: schemaOrHandler }
      : { description, schema: schemaOrHandler, execute: handler };
  checkDefinition('effect', given, checkEffect);
  return Object.freeze(given);
}

/** @param {import('../parts.js').Fields} effect */
function checkEffect(effect) {
  effect.required({ description: rules.filledText, execute: rules.action }).only([...EFFECT_SHAPE]);
  checkSchema(effect, 'schema');
}

/** @param {any} given */
function defineHandler(given) {
  checkDefinition('handler', given, (handler) =>
    handler.required({ execute: rules.action }).only(['execute']),
  );
  return Object.freeze({ ...given });
}

/** @param {Function} execute */
function defineThreadEndpoint(execute) {
  checkDefinition('endpoint', { execute }, (endpoint) =>
    endpoint.required({ execute: rules.action }),
  );
  return Object.freeze({ execute });
}

module.exports = {
  checkSchema,
  checkVariables,
  defineAgent,
  defineEffect,
  defineHandler,
  defineHook,
  defineModel,
  defineThreadEndpoint,
  defineTool,
};
