'use strict';
// The JSON Schema of what a tool calls its input schema: JSON Schema itself, schemas of the AI SDK, of Zod 3 and 4, and of
// libraries that follow Standard Schema. Runs beside the package, where its schemas live.

const standard = require('../../execbox/standard-schemas.js');
const zod = require('../../execbox/zod-schemas.js');
const { isRecord } = require('../../checks/options.js');

/**
 * @param {any} given
 * @returns {Promise<Record<string, unknown> | undefined>} undefined when there is none
 */
async function describeSchema(given) {
  const found = await readSchema(
    typeof given === 'function' && !isLibrary(given) ? given() : given,
  );
  return isRecord(found) && Object.keys(found).length > 0 ? asObjectSchema(found) : undefined;
}

/** @param {any} schema */
function isLibrary(schema) {
  return standard.isStandardSchema(schema) || zod.isZodSchema(schema);
}

/**
 * @param {any} schema
 * @returns {unknown} maybe a promise
 */
function readSchema(schema) {
  if (schema === undefined || schema === null) return undefined;
  if (standard.isAiSchema(schema)) return schema.jsonSchema;
  if (zod.isZodSchema(schema)) return zod.zodToJsonSchema(schema, 'input');
  if (standard.isStandardSchema(schema)) return standard.standardToJsonSchema(schema, 'input');
  if (!isRecord(schema)) return undefined;
  if (zod.isZodShape(schema)) return zod.zodShapeToJsonSchema(schema, 'input');
  // What wraps a JSON Schema without being of a known library.
  for (const name of ['jsonSchema', 'schema']) if (isRecord(schema[name])) return schema[name];
  return schema;
}

/** @param {Record<string, unknown>} schema tools take objects: one that says nothing of its type means that */
function asObjectSchema(schema) {
  const isOpen = ['anyOf', 'oneOf', 'allOf', '$ref'].some((keyword) => keyword in schema);
  return typeof schema.type === 'string' || isOpen ? schema : { ...schema, type: 'object' };
}

module.exports = { describeSchema };
