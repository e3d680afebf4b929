'use strict';
// What is looked at before Zod looks at a value: Zod checks all of it in one go, and with V8's regular expressions, for which 30
// characters can be minutes of work. The gate is a JSON Schema made of the Zod schema, checked in turns and in linear time. It
// refuses nothing that Zod accepts: what JSON Schema says differently is left out of it.

const { Pattern, PatternError } = require('../schema/pattern.js');
const { readJsonSchema } = require('../schema/json-schema.js');

/** @typedef {import('../schema/json-schema.js').Check} Check */

/** Kinds that mean the same in JSON Schema. */
const KEPT = new Set([
  ...['string', 'number', 'boolean', 'null', 'enum', 'object', 'array', 'record', 'union'],
  ...['optional', 'nullable', 'default', 'prefault', 'readonly', 'pipe', 'any', 'unknown'],
]);
/** Of these, all that do not take undefined. */
const NEEDED = new Set([
  'string',
  'number',
  'boolean',
  'null',
  'enum',
  'object',
  'array',
  'record',
]);
/** Zod checks this many in less than a millisecond. */
const SMALL_PARTS = 500;
const QUANTIFIERS = /[*+?{]/g;

/**
 * @param {(options: object) => any} convert makes a JSON Schema of a Zod schema
 * @returns {Check} that passes values on, or refuses them; made when it is first used
 */
function makeGate(convert) {
  /** @type {ReturnType<typeof readGate> | undefined} */
  let gate;
  return async (value, name, signal) => {
    const passed = { ok: /** @type {const} */ (true), value };
    gate ??= readGate(convert);
    if (value === undefined || gate.check === undefined) return passed;
    const checked = await gate.check(value, name, signal);
    // What is wrong with a small value Zod says better.
    return gate.hasPatterns || !isSmall(value) ? checked : passed;
  };
}

/**
 * @param {(options: object) => any} convert
 * @returns {{ check?: Check, hasPatterns: boolean }} no check when there is no JSON Schema of it, or none that can be checked
 */
function readGate(convert) {
  /** By the text that stands for them: Zod makes a copy of what it gives. @type {Map<string, object>} */
  const patterns = new Map();
  const override = (
    /** @type {{ zodSchema: any, jsonSchema: any }} */ { zodSchema, jsonSchema },
  ) => {
    const found = loosen(zodSchema._zod.def, jsonSchema);
    if (found.length === 0) return;
    jsonSchema.allOf = found.map((one) => {
      const pattern = `pattern ${patterns.size}`;
      patterns.set(pattern, one);
      return { pattern };
    });
  };
  const revive = (/** @type {string} */ key, /** @type {any} */ value) =>
    key === 'pattern' ? (patterns.get(value) ?? value) : value;
  try {
    const converted = convert({ io: 'input', unrepresentable: 'any', override });
    const check = readJsonSchema(JSON.parse(JSON.stringify(converted), revive));
    return { check, hasPatterns: patterns.size > 0 };
  } catch {
    return { hasPatterns: false };
  }
}

/** @param {unknown} value of a guest: without getters and circles */
function isSmall(value) {
  let left = SMALL_PARTS;
  const look = (/** @type {unknown} */ part) => {
    left -= 1;
    if (typeof part !== 'object' || part === null) return;
    for (const key in part) {
      if (left <= 0) return;
      look(/** @type {any} */ (part)[key]);
    }
  };
  look(value);
  return left > 0;
}

/**
 * Leaves out of a JSON Schema what would refuse a value that Zod takes.
 *
 * @param {any} def of the Zod schema
 * @param {any} jsonSchema is changed
 * @returns {InstanceType<typeof Pattern>[]} what a text has to match
 */
function loosen(def, jsonSchema) {
  const checks = (def.checks ?? []).map((/** @type {any} */ check) => check._zod.def);
  const isChanged = checks.some((/** @type {any} */ { check }) => check === 'overwrite');
  const isMade = def.type === 'pipe' && def.in._zod.def.type === 'transform';
  const hasOddKeys = def.type === 'record' && def.keyType._zod.def.type !== 'string';
  if (!KEPT.has(def.type) || def.coerce || isChanged || isMade || hasOddKeys) {
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    return [];
  }
  // Zod counts units of UTF-16, and both of two branches may be loose now.
  for (const key of ['minLength', 'pattern', 'propertyNames', 'multipleOf']) delete jsonSchema[key];
  if (def.type === 'union' && jsonSchema.oneOf !== undefined) {
    jsonSchema.anyOf = jsonSchema.oneOf;
    delete jsonSchema.oneOf;
  }
  if (def.type === 'object' && jsonSchema.required !== undefined) {
    jsonSchema.required = jsonSchema.required.filter((/** @type {string} */ key) => {
      const member = def.shape[key]._zod.def;
      return NEEDED.has(member.type) && !member.coerce;
    });
  }
  if (def.type !== 'string') return [];
  delete jsonSchema.allOf;
  return checks.flatMap(patternOf);
}

/** @param {any} check of a text; Zod's own formats take time in proportion to the text */
function patternOf({ format, pattern }) {
  if (format !== 'regex' || isQuick(pattern) || /[^gu]/.test(pattern.flags)) return [];
  try {
    return [new Pattern(pattern.source, { isByUnits: !pattern.unicode })];
  } catch (error) {
    if (error instanceof PatternError) return [];
    throw error;
  }
}

/** @param {RegExp} pattern */
function isQuick({ source, flags }) {
  return (
    source.startsWith('^') &&
    !source.includes('|') &&
    !flags.includes('m') &&
    (source.match(QUANTIFIERS) ?? []).length < 2
  );
}

module.exports = { makeGate };
