'use strict';
// JSON Schema, checked with Ajv. The draft is the one `$schema` names, 2020-12, 2019-09 or else draft-07.

const { default: Ajv } = require('ajv');

/** @typedef {import('./tool-schema.js').Check} Check */
/** @typedef {Record<string, unknown>} JsonSchema */

/** @type {{ pattern: RegExp, load: () => typeof Ajv }[]} */
const DRAFTS = [
  { pattern: /2020-12/, load: () => require('ajv/dist/2020').default },
  { pattern: /2019-09/, load: () => require('ajv/dist/2019').default },
  { pattern: /(?:)/, load: () => Ajv },
];

// Names of formats are notes for the model. Unknown keywords are let through, as other tools' schemas have them.
const OPTIONS = Object.freeze({
  strict: false,
  logger: /** @type {const} */ (false),
  validateFormats: false,
  addUsedSchema: false,
  // A parameter may be called `constructor`; what every object inherits is no value of it.
  ownProperties: true,
});

// Every fault is worth saying to a model, but a guest could send a million of them.
const MAX_CHARS_FOR_ALL_ERRORS = 64_000;
const MAX_MESSAGE_CHARS = 2000;

/**
 * Compiling the schema of schemas takes longer than anything else here, so one instance per draft does that for all.
 *
 * @type {Map<typeof Ajv, InstanceType<typeof Ajv>>}
 */
const schemaCheckers = new Map();

/** @param {JsonSchema} schema */
function draftOf(schema) {
  const name = typeof schema.$schema === 'string' ? schema.$schema : '';
  const draft = DRAFTS.find(({ pattern }) => pattern.test(name));
  return /** @type {(typeof DRAFTS)[number]} */ (draft).load();
}

/**
 * @param {typeof Ajv} Draft
 * @param {JsonSchema} schema
 */
function assertValidSchema(Draft, schema) {
  let checker = schemaCheckers.get(Draft);
  if (checker === undefined) {
    checker = new Draft(OPTIONS);
    schemaCheckers.set(Draft, checker);
  }
  if (!checker.validateSchema(schema)) {
    throw new TypeError(checker.errorsText(checker.errors, { dataVar: 'schema' }));
  }
}

/**
 * @param {JsonSchema} given
 * @returns {Check}
 * @throws {TypeError} for what is no JSON Schema
 */
function compileJsonSchema(given) {
  const Draft = draftOf(given);
  const { $schema: _draft, ...schema } = given;
  assertValidSchema(Draft, schema);
  const compile = (/** @type {boolean} */ allErrors) => {
    const ajv = new Draft({ ...OPTIONS, allErrors, meta: false, validateSchema: false });
    return ajv.compile(schema);
  };
  const validate = compile(false);
  /** @type {typeof validate | undefined} */
  let validateAll;
  return (value, name) => {
    if (validate(value)) return { ok: true, value };
    let { errors } = validate;
    if ((JSON.stringify(value)?.length ?? 0) <= MAX_CHARS_FOR_ALL_ERRORS) {
      validateAll ??= compile(true);
      validateAll(value);
      ({ errors } = validateAll);
    }
    const reason = Ajv.prototype.errorsText.call(null, errors, { dataVar: name });
    return { ok: false, reason: reason.slice(0, MAX_MESSAGE_CHARS) };
  };
}

module.exports = { compileJsonSchema };
