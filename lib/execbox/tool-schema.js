'use strict';
// A tool's schema in any of its forms: as JSON Schema for prompts, and as a check of values. What is no schema that can
// be checked is refused, so that no tool gets unchecked input without its author's knowledge.

const { isRecord } = require('../checks/options.js');
const { SchemaError, isKeyword, readInSteps } = require('../schema/json-schema.js');
const standard = require('./standard-schemas.js');
const zod = require('./zod-schemas.js');

/**
 * @typedef {{ jsonSchema: Record<string, unknown>, check: import('../schema/json-schema.js').Check }} ToolSchema
 */

// A lazy schema may give another one.
const MAX_LAZY_STEPS = 10;
const FORMS =
  'a JSON Schema, a Zod schema or shape, a Standard Schema (Valibot, ArkType and others), or what jsonSchema() of the AI SDK returns';

/**
 * @param {unknown} given a schema in any form, or a function that returns one
 * @param {'input' | 'output'} direction
 * @param {string} toolName
 * @returns {Generator<void, ToolSchema | undefined>} undefined when there is none; yields where it may pause
 * @throws {TypeError} for anything else
 */
function* readToolSchema(given, direction, toolName) {
  if (given === undefined) return undefined;
  const where = `The ${direction}Schema of tool ${toolName}`;
  const schema = /** @type {any} */ (resolveLazy(given, where));
  if (standard.isAiSchema(schema)) return yield* readAiSchema(schema, where);
  if (zod.isZodSchema(schema)) {
    return {
      jsonSchema: zod.zodToJsonSchema(schema, direction),
      check: zod.zodCheck(schema, direction),
    };
  }
  if (standard.isStandardSchema(schema)) {
    return {
      jsonSchema: standard.standardToJsonSchema(schema, direction),
      check: standard.standardCheck(schema),
    };
  }
  if (!isRecord(schema)) throw new TypeError(`${where} must be ${FORMS}`);
  if (zod.isZodShape(schema)) {
    return {
      jsonSchema: zod.zodShapeToJsonSchema(schema, direction),
      check: zod.zodShapeCheck(schema, direction),
    };
  }
  return yield* readJsonSchema(schema, where);
}

/**
 * @param {unknown} given
 * @param {string} where
 * @returns {unknown} what a lazy schema stands for
 */
function resolveLazy(given, where) {
  let schema = given;
  for (let step = 0; typeof schema === 'function'; step++) {
    if (standard.isStandardSchema(schema)) return schema;
    if (step === MAX_LAZY_STEPS) throw new TypeError(`${where} is a function, not a schema`);
    try {
      schema = schema();
    } catch (error) {
      throw new TypeError(`${where} is a function that threw instead of returning a schema`, {
        cause: error,
      });
    }
  }
  refusePromise(schema, where);
  return schema;
}

/**
 * @param {any} schema
 * @param {string} where
 */
function refusePromise(schema, where) {
  if (typeof schema?.then !== 'function') return;
  throw new TypeError(`${where} is a promise: await it, and give the schema itself`);
}

/**
 * @param {object} schema of the AI SDK
 * @param {string} where
 * @returns {Generator<void, ToolSchema>}
 */
function* readAiSchema(schema, where) {
  const { jsonSchema, check } = standard.readAiSchema(schema);
  if (check !== undefined) {
    const isUsable = isRecord(jsonSchema) && typeof jsonSchema.then !== 'function';
    return { jsonSchema: isUsable ? jsonSchema : {}, check };
  }
  refusePromise(jsonSchema, where);
  if (!isRecord(jsonSchema)) throw new TypeError(`${where} has no JSON Schema in it`);
  return yield* readJsonSchema(jsonSchema, where);
}

/**
 * @param {Record<string, unknown>} schema
 * @param {string} where
 * @returns {Generator<void, ToolSchema>}
 */
function* readJsonSchema(schema, where) {
  const keys = Object.keys(schema);
  if (keys.length > 0 && !keys.some(isKeyword)) {
    const some = keys.slice(0, 5).join(', ');
    throw new TypeError(
      `${where} has no keyword of JSON Schema (it has ${some}), so nothing would be checked. It must be ${FORMS}`,
    );
  }
  const part = keys.find((key) => isLibrarySchema(schema[key]));
  if (part !== undefined) {
    throw new TypeError(
      `${where} has a schema of a library as its member ${part}: wrap the members with the library's object()`,
    );
  }
  try {
    return { jsonSchema: schema, check: yield* readInSteps(schema) };
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new TypeError(`${where} cannot be used: ${error.message}`, { cause: error });
  }
}

/** @param {unknown} value */
function isLibrarySchema(value) {
  return zod.isZodSchema(value) || standard.isAiSchema(value) || standard.isStandardSchema(value);
}

module.exports = { readToolSchema };
