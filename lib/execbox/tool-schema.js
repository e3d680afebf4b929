'use strict';
// A tool's schema in any of its forms: as JSON Schema for prompts, and as a check of values.

const { isRecord } = require('../options.js');
const { compileJsonSchema } = require('./json-schema-check.js');
const zod = require('./zod-schemas.js');

/**
 * @typedef {{ ok: true, value: unknown } | { ok: false, reason: string }} Checked
 * @typedef {(value: unknown, name: string) => Checked | Promise<Checked>} Check `name` is what messages call the value
 * @typedef {{ jsonSchema: Record<string, unknown>, check: Check }} ToolSchema
 */

/**
 * @param {unknown} schema JSON Schema, a Zod schema or a raw Zod shape
 * @param {'input' | 'output'} direction
 * @param {string} toolName
 * @returns {ToolSchema | undefined} undefined when there is none
 * @throws {TypeError} for anything else
 */
function readToolSchema(schema, direction, toolName) {
  if (schema === undefined) return undefined;
  const where = `The ${direction}Schema of tool ${toolName}`;
  if (!isRecord(schema)) {
    throw new TypeError(`${where} must be a JSON Schema, a Zod schema or a Zod shape`);
  }
  if (zod.isZodSchema(schema)) {
    return {
      jsonSchema: zod.zodToJsonSchema(schema, direction),
      check: zod.zodCheck(schema),
    };
  }
  if (zod.isZodShape(schema)) {
    return {
      jsonSchema: zod.zodShapeToJsonSchema(schema, direction),
      check: zod.zodShapeCheck(schema),
    };
  }
  try {
    return { jsonSchema: schema, check: compileJsonSchema(schema) };
  } catch (error) {
    throw new TypeError(`${where} is no JSON Schema: ${/** @type {Error} */ (error).message}`, {
      cause: error,
    });
  }
}

module.exports = { readToolSchema };
