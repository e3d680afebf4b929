'use strict';
// The schemas of upstream tools, as far as they can be checked here.

const { readToolSchema } = require('../execbox/tool-schema.js');

/** @typedef {Record<string, unknown>} JsonSchema */

/** What MCP means by a schema that names no draft. */
const DEFAULT_DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Other people's servers have schemas of old drafts, with references that lead nowhere and patterns that are none. Such
 * a schema still tells a model what to write, and the server checks its own input: that is no reason to refuse the tool.
 *
 * @param {JsonSchema | undefined} schema
 * @param {'input' | 'output'} direction
 * @param {string} toolName
 * @returns {Generator<void, JsonSchema | undefined>} one that can be read: the schema itself, or nothing
 */
function* checkableSchema(schema, direction, toolName) {
  if (schema === undefined) return undefined;
  const readings =
    schema.$schema === undefined ? [{ ...schema, $schema: DEFAULT_DRAFT }, schema] : [schema];
  for (const reading of readings) {
    if (yield* isReadable(reading, direction, toolName)) return reading;
  }
  return undefined;
}

/**
 * @param {JsonSchema} schema
 * @param {'input' | 'output'} direction
 * @param {string} toolName
 */
function* isReadable(schema, direction, toolName) {
  try {
    return (yield* readToolSchema(schema, direction, toolName)) !== undefined;
  } catch {
    return false;
  }
}

/**
 * @param {JsonSchema | undefined} outputSchema
 * @returns {JsonSchema} of the whole result of a call. References of a schema lead from its root, so one that has any
 *   cannot become a part of another.
 */
function envelopeSchema(outputSchema) {
  const isMovable = outputSchema !== undefined && !JSON.stringify(outputSchema).includes('"$ref"');
  return {
    type: 'object',
    required: ['content'],
    properties: {
      content: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type'],
          properties: { type: { type: 'string' }, text: { type: 'string' } },
        },
      },
      structuredContent: isMovable ? outputSchema : { type: 'object' },
      isError: { type: 'boolean' },
    },
  };
}

module.exports = { checkableSchema, envelopeSchema };
