'use strict';
// Prompts, and the forms their tools may be listed in.

const { isRecord } = require('../../checks/options.js');
const { checkSchema, checkVariables } = require('./define.js');
const { checkDefinition, oneOf, rules } = require('./fields.js');
const { checkImmediate } = require('./side-subagents.js');

const PROMPT = {
  includeChat: rules.flag,
  includePastTools: rules.flag,
  parallelToolCalls: rules.flag,
  toolChoice: oneOf(['auto', 'none', 'required']),
  env: rules.textRecord,
  reasoning: rules.record,
  recentImageThreshold: rules.amount,
  providerOptions: rules.record,
  hooks: rules.texts,
};

const PLAIN_TOOL = { env: rules.textRecord, options: rules.record, optional: rules.filledText };
const PROMPT_TOOL = {
  includeTextResponse: rules.flag,
  includeToolCalls: rules.flag,
  includeErrors: rules.flag,
};
const INITIAL = {
  initUserMessageProperty: rules.filledText,
  initAttachmentsProperty: rules.filledText,
  initAgentNameProperty: rules.filledText,
};

/** @param {any} given */
function definePrompt(given) {
  checkDefinition('prompt', given, (prompt) => {
    prompt
      .required({ name: rules.name, toolDescription: rules.text, model: rules.filledText })
      .optional(PROMPT)
      .only([
        'name',
        'toolDescription',
        'prompt',
        'model',
        'requiredSchema',
        'variables',
        'tools',
        ...Object.keys(PROMPT),
      ]);
    checkText(prompt);
    checkSchema(prompt, 'requiredSchema');
    checkVariables(prompt);
    if (isRecord(prompt.get('reasoning'))) {
      prompt
        .inside('reasoning')
        .optional({
          effort: oneOf(['low', 'medium', 'high']),
          maxTokens: rules.count,
          exclude: rules.flag,
          include: rules.flag,
        })
        .only(['effort', 'maxTokens', 'exclude', 'include']);
    }
    prompt.each('tools', (entry, inside) => {
      if (typeof entry !== 'string') checkToolEntry(entry, inside(entry));
      else if (entry.trim() === '') inside({}).problem('', 'must have text');
    });
  });
  return Object.freeze({
    ...given,
    tools: (given.tools ?? []).map((/** @type {any} */ entry) =>
      typeof entry === 'string' ? { name: entry } : entry,
    ),
  });
}

/** @param {import('../parts.js').Fields} prompt */
function checkText(prompt) {
  const text = prompt.get('prompt');
  if (typeof text === 'string') return;
  if (!Array.isArray(text)) {
    prompt.problem('prompt', text === undefined ? 'is missing' : 'must be a string or parts');
    return;
  }
  prompt.each('prompt', (part, inside) => {
    if (normalPart(part) === undefined) {
      inside(part).problem(
        '',
        "must be { type: 'text', content }, { type: 'include', prompt } or { type: 'env', property }",
      );
    }
  });
}

/**
 * @param {any} part of a prompt, in the words of either version
 * @returns {{ type: 'text', content: string } | { type: 'include', prompt: string } | { type: 'env', property: string } | undefined}
 */
function normalPart(part) {
  const given = isRecord(part) ? part : {};
  const text = (/** @type {any} */ value) => (typeof value === 'string' ? value : undefined);
  if (given.type === 'text' || given.type === 'string') {
    const content = text(given.content ?? given.value);
    return content === undefined ? undefined : { type: 'text', content };
  }
  if (given.type === 'include' || given.type === 'prompt') {
    const prompt = text(given.prompt ?? given.id);
    return prompt === undefined ? undefined : { type: 'include', prompt };
  }
  if (given.type === 'env' || given.type === 'variable') {
    const property = text(given.property ?? given.value);
    return property === undefined ? undefined : { type: 'env', property };
  }
  return undefined;
}

/**
 * @param {any} entry
 * @param {import('../parts.js').Fields} fields
 */
function checkToolEntry(entry, fields) {
  fields
    .required({ name: rules.filledText })
    .optional({ ...PLAIN_TOOL, ...PROMPT_TOOL, ...INITIAL, blocking: rules.flag })
    .only([
      'name',
      'blocking',
      'resumable',
      'immediate',
      ...Object.keys({ ...PLAIN_TOOL, ...PROMPT_TOOL, ...INITIAL }),
    ]);
  if (!isRecord(entry)) return;
  if (entry.resumable !== undefined && entry.resumable !== false) {
    fields
      .inside('resumable')
      .required({ receives_messages: oneOf(['side_a', 'side_b']) })
      .optional({
        maxInstances: rules.count,
        parentCommunication: oneOf(['implicit', 'explicit']),
      })
      .only(['receives_messages', 'maxInstances', 'parentCommunication']);
  }
  checkImmediate(fields);
}

module.exports = { definePrompt, normalPart };
