'use strict';
// TypeScript declarations of a namespace, for prompts. They tell a model what to write; nothing is checked with them.

const { atOnce } = require('../turns.js');
const { NamedTypes, SchemaRenderer, comment } = require('./schema-types.js');

/** @typedef {Record<string, any>} JsonSchema */
/** @typedef {{ description?: string, inputSchema?: JsonSchema, outputSchema?: JsonSchema }} DeclaredTool */

/**
 * @param {string} namespace
 * @param {Record<string, DeclaredTool>} tools by safe name
 * @returns {string}
 */
function declareNamespace(namespace, tools) {
  return atOnce(declareInSteps(namespace, tools));
}

/**
 * @param {string} namespace
 * @param {Record<string, DeclaredTool>} tools by safe name
 * @returns {Generator<void, string>} yields where it may pause
 */
function* declareInSteps(namespace, tools) {
  const types = new NamedTypes();
  const functions = [];
  for (const [name, { description, inputSchema, outputSchema }] of Object.entries(tools)) {
    const input = renderRoot(inputSchema, `${name}_input`, types);
    const output = renderRoot(outputSchema, `${name}_output`, types);
    functions.push(
      ...comment(description, '  '),
      `  function ${name}(${declareInput(inputSchema, input)}): Promise<${output}>;`,
    );
    yield;
  }
  return [`declare namespace ${namespace} {`, ...types.declarations, ...functions, '}'].join('\n');
}

/**
 * @param {JsonSchema | undefined} schema
 * @param {string} type
 * @returns {string} nothing for a tool that takes nothing; optional where an empty object is enough
 */
function declareInput(schema, type) {
  if (type === 'Record<string, never>') return '';
  return schema === undefined || takesNothing(schema) ? `input?: ${type}` : `input: ${type}`;
}

/**
 * @param {JsonSchema} schema
 * @returns {boolean} whether it is of an object that may be empty: a call without input gets one
 */
function takesNothing({ type, required, $ref, anyOf, oneOf, allOf }) {
  const isPlain = [$ref, anyOf, oneOf, allOf].every((keyword) => keyword === undefined);
  return type === 'object' && isPlain && !(Array.isArray(required) && required.length > 0);
}

/**
 * @param {JsonSchema | undefined} schema
 * @param {string} name for one that refers to itself
 * @param {InstanceType<typeof NamedTypes>} types
 */
function renderRoot(schema, name, types) {
  return schema === undefined ? 'unknown' : new SchemaRenderer(schema, types).render(name);
}

module.exports = { declareInSteps, declareNamespace, takesNothing };
