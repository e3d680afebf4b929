'use strict';
// Schemas of other libraries: those of the AI SDK, and all that follow Standard Schema (Valibot, ArkType and others).
// They are known by their shape: this package need not have any of them.

const { messageOf, safely } = require('../foreign-text.js');
const { isRecord } = require('../checks/options.js');
const { describeIssues } = require('./zod-schemas.js');

/** @typedef {import('../schema/json-schema.js').Check} Check */
/** @typedef {Record<string, unknown>} JsonSchema */
/** @typedef {'input' | 'output'} Direction */

// The AI SDK marks what its `jsonSchema()` and `zodSchema()` return with this symbol.
const AI_SCHEMA = Symbol.for('vercel.ai.schema');

/** @param {any} value */
function isAiSchema(value) {
  return isRecord(value) && /** @type {any} */ (value)[AI_SCHEMA] === true;
}

/** @param {any} value ArkType's schemas are functions */
function isStandardSchema(value) {
  const isPossible = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isPossible && typeof value['~standard']?.validate === 'function';
}

/**
 * @param {any} schema
 * @returns {{ jsonSchema: unknown, check: Check | undefined }} no check where the AI SDK has none: its JSON Schema is one
 */
function readAiSchema(schema) {
  const jsonSchema = safely(() => schema.jsonSchema);
  if (typeof schema.validate !== 'function') return { jsonSchema, check: undefined };
  return {
    jsonSchema,
    async check(value) {
      const checked = await schema.validate(value);
      return checked.success
        ? { ok: true, value: checked.value }
        : { ok: false, reason: describeError(checked.error) };
    },
  };
}

/** @param {any} error of a library: Zod's has issues, the AI SDK's has those of a Standard Schema as its cause */
function describeError(error) {
  const issues = error?.issues ?? error?.cause;
  return Array.isArray(issues) ? describeIssues(issues.map(toIssue)) : messageOf(error);
}

/**
 * @param {any} schema
 * @returns {Check} that gives the value as the library makes it, with defaults and transformations applied
 */
function standardCheck(schema) {
  return async (value) => {
    const checked = await schema['~standard'].validate(value);
    return checked.issues === undefined
      ? { ok: true, value: checked.value }
      : { ok: false, reason: describeIssues(checked.issues.map(toIssue)) };
  };
}

/** @param {{ message: string, path?: (PropertyKey | { key: PropertyKey })[] }} issue */
function toIssue({ message, path = [] }) {
  return { message, path: path.map((part) => (typeof part === 'object' ? part.key : part)) };
}

/**
 * @param {any} schema
 * @param {Direction} direction
 * @returns {JsonSchema} for declarations; open where the library has no JSON Schema to give
 */
function standardToJsonSchema(schema, direction) {
  const { jsonSchema } = schema['~standard'];
  const made = safely(() =>
    typeof jsonSchema?.[direction] === 'function'
      ? jsonSchema[direction]({ target: 'draft-07' })
      : schema.toJsonSchema(),
  );
  return isRecord(made) ? made : {};
}

module.exports = {
  isAiSchema,
  isStandardSchema,
  readAiSchema,
  standardCheck,
  standardToJsonSchema,
};
