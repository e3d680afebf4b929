'use strict';
// JSON Schema of Zod 3 schemas, for prompts: Zod 3 has no conversion of its own. Checking is Zod's.

/** @typedef {Record<string, any>} JsonSchema */

const STRING_FORMATS = new Map(
  Object.entries({ email: 'email', url: 'uri', uuid: 'uuid', datetime: 'date-time', date: 'date' }),
);

/** @type {Record<string, (def: any) => JsonSchema>} */
const CONVERSIONS = {
  ZodString: ({ checks }) => ({ type: 'string', ...convertStringChecks(checks) }),
  ZodNumber: ({ checks }) => convertNumberChecks(checks),
  ZodBoolean: () => ({ type: 'boolean' }),
  ZodNull: () => ({ type: 'null' }),
  ZodNever: () => ({ not: {} }),
  ZodLiteral: ({ value }) => (typeof value === 'bigint' ? {} : { const: value }),
  ZodEnum: ({ values }) => ({ enum: values }),
  ZodNativeEnum: ({ values }) => ({ enum: nativeEnumValues(values) }),
  ZodArray: ({ type }) => ({ type: 'array', items: convertZod3(type) }),
  ZodSet: () => ({}),
  ZodTuple: ({ items, rest }) => ({
    type: 'array',
    items: items.map(convertZod3),
    minItems: items.length,
    ...(rest ? { additionalItems: convertZod3(rest) } : { maxItems: items.length }),
  }),
  ZodObject: convertObject,
  ZodRecord: ({ valueType }) => ({ type: 'object', additionalProperties: convertZod3(valueType) }),
  ZodUnion: ({ options }) => ({ anyOf: options.map(convertZod3) }),
  ZodDiscriminatedUnion: ({ options }) => ({ anyOf: [...options.values()].map(convertZod3) }),
  ZodIntersection: ({ left, right }) => ({ allOf: [convertZod3(left), convertZod3(right)] }),
  ZodNullable: ({ innerType }) => ({ anyOf: [convertZod3(innerType), { type: 'null' }] }),
  ZodOptional: ({ innerType }) => convertZod3(innerType),
  ZodDefault: ({ innerType }) => convertZod3(innerType),
  ZodCatch: ({ innerType }) => convertZod3(innerType),
  ZodReadonly: ({ innerType }) => convertZod3(innerType),
  ZodBranded: ({ type }) => convertZod3(type),
  ZodEffects: ({ schema }) => convertZod3(schema),
  ZodPipeline: ({ in: input }) => convertZod3(input),
};

/**
 * @param {any} schema
 * @returns {JsonSchema} `{}` for what JSON Schema cannot say, and for recursion
 */
function convertZod3(schema) {
  const def = schema._def;
  const converted = CONVERSIONS[def.typeName]?.(def) ?? {};
  return def.description === undefined ? converted : { ...converted, description: def.description };
}

/** @param {any} def */
function convertObject({ shape, unknownKeys }) {
  const members = Object.entries(/** @type {Record<string, any>} */ (shape()));
  const required = members.filter(([, member]) => !member.isOptional()).map(([key]) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([key, member]) => [key, convertZod3(member)])),
    ...(required.length > 0 && { required }),
    ...(unknownKeys === 'strict' && { additionalProperties: false }),
  };
}

/** @param {{ kind: string, value?: any }[]} checks */
function convertStringChecks(checks) {
  /** @type {JsonSchema} */
  const found = {};
  for (const { kind, value } of checks) {
    if (kind === 'min') found.minLength = value;
    if (kind === 'max') found.maxLength = value;
    if (STRING_FORMATS.has(kind)) found.format = STRING_FORMATS.get(kind);
  }
  return found;
}

/** @param {{ kind: string, value?: any, inclusive?: boolean }[]} checks */
function convertNumberChecks(checks) {
  /** @type {JsonSchema} */
  const found = { type: checks.some(({ kind }) => kind === 'int') ? 'integer' : 'number' };
  for (const { kind, value, inclusive } of checks) {
    if (kind === 'min') found[inclusive ? 'minimum' : 'exclusiveMinimum'] = value;
    if (kind === 'max') found[inclusive ? 'maximum' : 'exclusiveMaximum'] = value;
  }
  return found;
}

/** @param {Record<string, string | number>} values TypeScript adds the names of numbers */
function nativeEnumValues(values) {
  const names = Object.keys(values).filter((key) => typeof values[values[key]] !== 'number');
  return [...new Set(names.map((key) => values[key]))];
}

module.exports = { convertZod3 };
