'use strict';
// What fits a JSON Schema is what Ajv says fits it.

const { default: Ajv } = require('ajv');
const { default: Ajv2019 } = require('ajv/dist/2019');
const { default: Ajv2020 } = require('ajv/dist/2020');
const fc = require('fast-check');

const { SchemaError, readJsonSchema } = require('../../lib/schema/json-schema.js');

const KEYS = ['a', 'b', 'ab', 'constructor'];
const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];
const VALUES = [null, true, false, 0, 1, 2, 1.5, -1, '', 'a', 'ab', 'abc', '😀'];

/** Makes schemas and values up; the same ones from the same seed. */
class Maker {
  #state;

  constructor(seed) {
    this.#state = seed;
  }

  number(below) {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  pick(list) {
    return list[this.number(list.length)];
  }

  list(min, max, make) {
    return Array.from({ length: min + this.number(max - min + 1) }, make);
  }

  names() {
    return [...new Set(this.list(0, 2, () => this.pick(KEYS)))];
  }

  byName(names, max, make) {
    return Object.fromEntries(this.list(0, max, () => [this.pick(names), make()]));
  }

  value(depth) {
    if (depth === 0 || this.number(5) < 2) return this.pick(VALUES);
    return this.number(2) === 0
      ? this.list(0, 4, () => this.value(depth - 1))
      : this.byName(KEYS, 4, () => this.value(depth - 1));
  }

  schema(depth, hasTuples) {
    if (this.number(8) === 0) return this.number(3) > 0;
    if (depth === 0) {
      return this.pick([{ type: 'string' }, { minimum: 1 }, { const: 1 }, { $ref: '#/$defs/x' }]);
    }
    const below = () => this.schema(depth - 1, hasTuples);
    const several = () => this.list(1, 3, below);
    const small = () => this.number(4);
    const keywords = {
      type: () => (this.number(2) === 0 ? this.pick(TYPES) : [this.pick(TYPES), 'null']),
      enum: () => this.list(1, 4, () => this.value(2)),
      const: () => this.value(2),
      minimum: small,
      maximum: small,
      exclusiveMinimum: small,
      exclusiveMaximum: small,
      multipleOf: () => this.pick([1, 2, 0.5]),
      minLength: small,
      maxLength: small,
      pattern: () => this.pick(['^a', 'b$', '^.$', 'a|c', '(?=a)']),
      minItems: small,
      maxItems: small,
      uniqueItems: () => this.number(3) > 0,
      required: () => this.names(),
      minProperties: small,
      maxProperties: small,
      properties: () => this.byName(KEYS, 3, below),
      patternProperties: () => this.byName(['^a', 'b', 'c$'], 2, below),
      additionalProperties: below,
      propertyNames: below,
      dependencies: () =>
        this.byName(KEYS, 2, () => (this.number(2) === 0 ? below() : this.names())),
      allOf: several,
      anyOf: several,
      oneOf: several,
      not: below,
      if: below,
      then: below,
      else: below,
      $ref: () => this.pick(['#/$defs/x', '#/$defs/y']),
      items: () => (hasTuples && this.number(2) === 0 ? several() : below()),
      ...(hasTuples ? { additionalItems: below } : { prefixItems: several }),
    };
    return Object.fromEntries(
      this.list(1, 4, () => this.pick(Object.keys(keywords))).map((name) => [
        name,
        keywords[name](),
      ]),
    );
  }
}

// A reference that leads to itself by no part of the value ends in an exception there and in a refusal here.
const DEFINITIONS = {
  x: { type: ['string', 'object', 'array'], properties: { a: { $ref: '#/$defs/x' } } },
  y: { items: { $ref: '#/$defs/y' }, not: { const: 'a' } },
};

/** @returns {boolean | undefined} undefined where the code that Ajv generates breaks down */
function answerOf(validate, value) {
  try {
    return validate(value);
  } catch {
    return undefined;
  }
}

test.each([
  ['draft-07', Ajv, 'http://json-schema.org/draft-07/schema#'],
  ['2019-09', Ajv2019, 'https://json-schema.org/draft/2019-09/schema'],
  ['2020-12', Ajv2020, 'https://json-schema.org/draft/2020-12/schema'],
])('%s', (name, Draft, $schema) => {
  let valid = 0;
  let invalid = 0;
  fc.assert(
    fc.property(fc.noShrink(fc.integer()), (seed) => {
      const make = new Maker(seed);
      const body = make.schema(3, name !== '2020-12');
      const schema = { allOf: [body], $defs: DEFINITIONS };
      const ajv = new Draft({
        strict: false,
        logger: false,
        ownProperties: true,
        meta: false,
        validateSchema: false,
      });
      const validate = ajv.compile(schema);
      const check = readJsonSchema({ $schema, ...schema });
      for (let i = 0; i < 8; i++) {
        const value = make.value(3);
        const isValid = answerOf(validate, value);
        if (isValid === undefined) continue;
        const { ok } = /** @type {{ ok: boolean }} */ (check(value, 'value'));
        // Jest's comparison costs more than both checks.
        if (ok !== isValid) throw new Error(JSON.stringify({ schema, value, ok, isValid }));
        if (isValid) valid++;
        else invalid++;
      }
    }),
    { numRuns: 500 },
  );
  expect(Math.min(valid, invalid)).toBeGreaterThan(500);
});

test('a schema that Ajv refuses for its form is refused', () => {
  const ajv = new Ajv({ strict: false, logger: false });
  for (const schema of [
    { type: 'x' },
    { properties: [] },
    { required: {} },
    { minLength: 1.5 },
    { pattern: '[' },
    { items: 5 },
    { $ref: '#/definitions/none' },
    { anyOf: {} },
    { enum: 5 },
  ]) {
    expect(() => ajv.compile(schema)).toThrow();
    expect(() => readJsonSchema(schema)).toThrow(SchemaError);
  }
});
