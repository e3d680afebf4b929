'use strict';
// Zod schemas, of Zod 4 (classic and mini) and Zod 3. They are known by their shape: this package need not have Zod.

const { clip } = require('../schema/check-run.js');
const { makeGate } = require('./zod-gate.js');
const { convertZod3 } = require('./zod3-json-schema.js');

/** @typedef {import('../schema/json-schema.js').Check} Check */
/** @typedef {Record<string, unknown>} JsonSchema */
/** @typedef {'input' | 'output'} Direction */

const MAX_ISSUES = 20;
/** Paths and messages name keys, which are the guest's. */
const MAX_PATH_CHARS = 500;
const MAX_REASON_CHARS = 2000;

/** @param {any} value */
function isZodSchema(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof value.safeParse === 'function' &&
    (typeof value._zod === 'object' || typeof value._def?.typeName === 'string')
  );
}

/**
 * A shape is what `z.object()` takes: schemas by name. An empty object is a JSON Schema that allows everything.
 *
 * @param {object} value
 */
function isZodShape(value) {
  const members = Object.values(value);
  return members.length > 0 && members.every(isZodSchema);
}

/**
 * @param {any} schema
 * @param {Direction} direction
 * @returns {Check} that gives the value as Zod makes it, with defaults and transformations applied
 */
function zodCheck(schema, direction) {
  const pass = gateOf(schema, direction);
  return async (value, name, signal) => {
    const passed = await pass(value, name, signal);
    if (!passed.ok) return passed;
    const parsed = await schema.safeParseAsync(value);
    return parsed.success
      ? { ok: true, value: parsed.data }
      : { ok: false, reason: describeIssues(parsed.error.issues) };
  };
}

/**
 * @param {any} schema
 * @param {Direction} direction
 * @returns {Check} results are of the host's making
 */
function gateOf(schema, direction) {
  if (schema._zod === undefined || direction === 'output') return (value) => ({ ok: true, value });
  return makeGate((options) => convertZod4(schema, options));
}

/**
 * @param {Record<string, any>} shape
 * @param {Direction} direction
 * @returns {Check}
 */
function zodShapeCheck(shape, direction) {
  const names = Object.keys(shape);
  const gates = new Map(names.map((key) => [key, gateOf(shape[key], direction)]));
  return async (value, name, signal) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { ok: false, reason: `${name} must be object` };
    }
    const given = /** @type {Record<string, unknown>} */ (value);
    const members = [];
    const issues = [];
    for (const key of names) {
      const member = Object.hasOwn(given, key) ? given[key] : undefined;
      const passed = await gates.get(key)?.(member, `${name}/${key}`, signal);
      if (passed?.ok === false) return passed;
      const parsed = await shape[key].safeParseAsync(member);
      if (!parsed.success) {
        for (const issue of parsed.error.issues) {
          issues.push({ path: [key, ...issue.path], message: issue.message });
        }
      } else if (parsed.data !== undefined || Object.hasOwn(given, key)) {
        members.push([key, parsed.data]);
      }
    }
    if (issues.length > 0) return { ok: false, reason: describeIssues(issues) };
    return { ok: true, value: Object.fromEntries(members) };
  };
}

/** @param {{ path: PropertyKey[], message: string }[]} issues */
function describeIssues(issues) {
  const texts = issues
    .slice(0, MAX_ISSUES)
    .map(
      ({ path, message }) =>
        (path.length > 0 ? `${clip(path.map(String).join('.'), MAX_PATH_CHARS)}: ` : '') +
        clip(message, MAX_REASON_CHARS),
    );
  if (issues.length > MAX_ISSUES) texts.push(`and ${issues.length - MAX_ISSUES} more`);
  return clip(texts.join('; '), MAX_REASON_CHARS);
}

/**
 * @param {any} schema
 * @param {Direction} direction
 * @returns {JsonSchema} what JSON Schema cannot say is left open
 */
function zodToJsonSchema(schema, direction) {
  if (schema._zod === undefined) return convertZod3(schema);
  try {
    const { $schema: _draft, ...converted } = convertZod4(schema, {
      io: direction,
      unrepresentable: 'any',
    });
    return withoutVendorKeys(converted);
  } catch {
    return {};
  }
}

/**
 * @param {any} schema
 * @param {object} options
 */
function convertZod4(schema, options) {
  return typeof schema.toJSONSchema === 'function'
    ? schema.toJSONSchema(options)
    : loadConverter()(schema, options);
}

/** @returns {(schema: unknown, options: object) => any} for Zod Mini, and for the first releases of Zod 4 */
function loadConverter() {
  const name = 'zod/v4/core';
  return require(name).toJSONSchema;
}

/** @param {JsonSchema} schema Zod adds `~standard`, with functions in it */
function withoutVendorKeys(schema) {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !key.startsWith('~')));
}

/**
 * @param {Record<string, any>} shape
 * @param {Direction} direction
 * @returns {JsonSchema}
 */
function zodShapeToJsonSchema(shape, direction) {
  const properties = Object.entries(shape).map(([key, schema]) => [
    key,
    zodToJsonSchema(schema, direction),
  ]);
  const required = Object.keys(shape).filter((key) => !isOptional(shape[key], direction));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
}

/**
 * @param {any} schema
 * @param {Direction} direction
 */
function isOptional(schema, direction) {
  if (schema._zod === undefined) return schema.isOptional();
  return schema._zod[direction === 'input' ? 'optin' : 'optout'] === 'optional';
}

module.exports = {
  describeIssues,
  isZodSchema,
  isZodShape,
  zodCheck,
  zodShapeCheck,
  zodShapeToJsonSchema,
  zodToJsonSchema,
};
