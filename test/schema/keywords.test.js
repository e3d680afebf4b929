'use strict';
// What each keyword of JSON Schema accepts, and what it says of the rest.

const { readJsonSchema } = require('../../lib/schema/json-schema.js');

const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const checkOf = (schema) => {
  const check = readJsonSchema(schema);
  return (value) => /** @type {{ ok: boolean, reason?: string }} */ (check(value, 'value'));
};

test.each([
  ['type', { type: 'integer' }, [1, 1.0, -0], [1.5, '1', null], 'value must be integer'],
  ['several types', { type: ['string', 'null'] }, ['', null], [1], 'value must be string,null'],
  ['nullable', { type: 'string', nullable: true }, ['', null], [1], 'value must be string,null'],
  ['number', { type: 'number' }, [1.5], [NaN, Infinity, '1'], 'value must be number'],
  [
    'enum',
    { enum: ['a', 1, { b: [1, { c: 2, d: 3 }] }] },
    ['a', 1, { b: [1, { d: 3, c: 2 }] }],
    ['b', { b: [1] }, { b: [1, { c: 2 }] }, [], {}],
    'value must be equal to one of the allowed values',
  ],
  ['const', { const: [{}] }, [[{}]], [[], [[]], {}], 'value must be equal to constant'],
  ['const null', { const: null }, [null], [0, {}], 'value must be equal to constant'],
  ['minimum', { minimum: 2 }, [2, 'x'], [1], 'value must be >= 2'],
  ['exclusiveMaximum', { exclusiveMaximum: 2 }, [1], [2], 'value must be < 2'],
  ['multipleOf', { multipleOf: 0.5 }, [1.5, 0], [1.2], 'value must be multiple of 0.5'],
  [
    'minLength in characters',
    { minLength: 2 },
    ['ab', '😀😀'],
    ['a', '😀'],
    'value must NOT have fewer than 2 characters',
  ],
  [
    'maxLength in characters',
    { maxLength: 2 },
    ['ab', '😀😀'],
    ['abc', '😀😀😀'],
    'value must NOT have more than 2 characters',
  ],
  ['pattern', { pattern: '^a+$' }, ['aa', 5], ['b'], 'value must match pattern "^a+$"'],
  ['minItems', { minItems: 1 }, [[1], {}], [[]], 'value must NOT have fewer than 1 items'],
  ['maxItems', { maxItems: 1 }, [[1]], [[1, 2]], 'value must NOT have more than 1 items'],
  ['items', { items: { type: 'string' } }, [[], ['a']], [['a', 1]], 'value/1 must be string'],
  [
    'a tuple of draft-07',
    { items: [{ type: 'string' }], additionalItems: false },
    [[], ['a']],
    [['a', 'b']],
    'value must NOT have more than 1 items',
  ],
  [
    'contains',
    { contains: { const: 1 } },
    [[0, 1], 'x'],
    [[], [0]],
    'value must contain at least 1 valid item(s)',
  ],
  [
    'minContains and maxContains',
    { $schema: DRAFT_2020, contains: { const: 1 }, minContains: 2, maxContains: 3 },
    [[1, 1, 0]],
    [[1], [1, 1, 1, 1]],
    'value must contain at least 2 valid item(s) and no more than 3 valid item(s)',
  ],
  [
    'uniqueItems',
    { uniqueItems: true },
    [[1, '1', true, 'true', null, [1], { a: 1, b: 2 }, { a: 1 }, [[1]]], [], [0], [{}, []]],
    [
      [1, 2, 1.0],
      [0, -0],
      [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }],
      [
        [1, [2]],
        [1, [2]],
      ],
      ['a', 'a'],
    ],
    /^value must NOT have duplicate items \(items ## \d and \d are identical\)$/,
  ],
  [
    'required',
    { required: ['a', 'toString'] },
    [{ a: 1, toString: 2 }, []],
    [{ a: 1 }, { a: undefined, toString: 1 }],
    /^value must have required property '(toString|a)'$/,
  ],
  [
    'properties',
    { properties: { a: { type: 'string' }, constructor: { type: 'string' } } },
    [{}, { a: 'x' }, { a: undefined }],
    [{ a: 1 }],
    'value/a must be string',
  ],
  [
    'patternProperties',
    { patternProperties: { '^a': { type: 'string' }, b$: { minLength: 2 } } },
    [{ ab: 'xx', c: 1 }],
    [{ ab: 'x' }],
    'value/ab must NOT have fewer than 2 characters',
  ],
  [
    'additionalProperties',
    { properties: { a: {} }, patternProperties: { '^x-': {} }, additionalProperties: false },
    [{ a: 1, 'x-b': 2, c: undefined }],
    [{ c: 1 }],
    "value must NOT have additional properties ('c')",
  ],
  [
    'propertyNames',
    { propertyNames: { maxLength: 1 } },
    [{ a: 1 }],
    [{ ab: 1 }],
    "value must NOT have more than 1 characters, value property name must be valid ('ab')",
  ],
  ['minProperties', { minProperties: 1 }, [{ a: 1 }], [{}], /fewer than 1 properties$/],
  ['maxProperties', { maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 2 }], /more than 1 properties$/],
  [
    'dependencies',
    { dependencies: { a: ['b'], c: { required: ['d'] } } },
    [{}, { a: 1, b: 2 }, { c: 1, d: 2 }],
    [{ a: 1 }],
    "value must have required property 'b' when property 'a' is present",
  ],
  [
    'dependentRequired and dependentSchemas',
    {
      $schema: DRAFT_2019,
      dependentRequired: { a: ['b'] },
      dependentSchemas: { c: { required: ['d'] } },
    },
    [{ a: 1, b: 2, c: 3, d: 4 }],
    [{ c: 1 }],
    "value must have required property 'd'",
  ],
  [
    'anyOf',
    { anyOf: [{ type: 'string' }, { minimum: 5 }] },
    ['x', 5, null],
    [1],
    'value must be string, value must be >= 5, value must match a schema in anyOf',
  ],
  [
    'oneOf',
    { oneOf: [{ minimum: 5 }, { maximum: 6 }] },
    [1, 7],
    [5],
    'value must match exactly one schema in oneOf',
  ],
  ['allOf', { allOf: [{ minimum: 5 }, { maximum: 6 }] }, [5], [4], 'value must be >= 5'],
  ['not', { not: { type: 'string' } }, [1], ['x'], 'value must NOT be valid'],
  [
    'if, then and else',
    { if: { type: 'string' }, then: { minLength: 1 }, else: { minimum: 1 } },
    ['x', 1],
    [0],
    'value must be >= 1, value must match "else" schema',
  ],
  ['false', { properties: { a: false } }, [{}], [{ a: 1 }], 'value/a boolean schema is false'],
  [
    'prefixItems and items of 2020-12',
    { $schema: DRAFT_2020, prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    [['a', 1, 2], []],
    [['a', 'b']],
    'value/1 must be number',
  ],
  [
    'unevaluatedProperties',
    {
      $schema: DRAFT_2019,
      properties: { a: {} },
      anyOf: [{ properties: { b: { const: 1 } } }, { properties: { c: {} } }],
      if: { required: ['d'], properties: { d: {} } },
      unevaluatedProperties: false,
    },
    [{ a: 1, b: 1, c: 2, d: 3 }],
    [{ a: 1, b: 2 }],
    "value must NOT have unevaluated properties ('b')",
  ],
  [
    'unevaluatedItems',
    {
      $schema: DRAFT_2020,
      prefixItems: [true],
      contains: { type: 'string' },
      unevaluatedItems: { type: 'null' },
    },
    [[1, 'a', null, 'b']],
    [[1, 'a', 2]],
    'value must NOT have unevaluated items (item ## 2)',
  ],
  [
    'escaped names in paths',
    { additionalProperties: { items: { type: 'string' } } },
    [{}],
    [{ 'a/b~c': [1] }],
    'value/a~1b~0c/0 must be string',
  ],
])('%s', (_name, schema, valid, invalid, message) => {
  const check = checkOf(schema);
  for (const value of valid) expect(check(value)).toEqual({ ok: true, value });
  for (const value of invalid) {
    const { ok, reason } = check(value);
    expect([value, ok]).toEqual([value, false]);
    expect(reason).toEqual(expect.stringMatching(/^value/));
  }
  expect(check(invalid.at(-1)).reason).toEqual(
    typeof message === 'string' ? message : expect.stringMatching(message),
  );
});

describe('references', () => {
  test.each([
    ['to a definition', { $ref: '#/$defs/x', $defs: { x: { type: 'string' } } }],
    [
      'to an odd name',
      { $ref: '#/definitions/a~1b%25', definitions: { 'a/b%': { type: 'string' } } },
    ],
    ['to a place that is no definition', { $ref: '#/x-types/0', 'x-types': [{ type: 'string' }] }],
    ['to an anchor', { $ref: '#it', $defs: { x: { $anchor: 'it', type: 'string' } } }],
    [
      'to an anchor of draft-07',
      { $ref: '#it', definitions: { x: { $id: '#it', type: 'string' } } },
    ],
    [
      'by address',
      {
        $id: 'https://example.com/root.json',
        $ref: 'text.json',
        $defs: { x: { $id: 'text.json', type: 'string' } },
      },
    ],
    [
      'from inside another address',
      {
        $id: 'https://example.com/root.json',
        $ref: 'a/list.json',
        $defs: {
          x: { $id: 'a/list.json', $ref: '#/$defs/text', $defs: { text: { type: 'string' } } },
        },
      },
    ],
    [
      'of 2020-12 that are dynamic',
      {
        $schema: DRAFT_2020,
        $dynamicRef: '#it',
        $defs: { x: { $dynamicAnchor: 'it', type: 'string' } },
      },
    ],
    ['with keywords beside them', { $ref: '#/$defs/x', type: 'string', $defs: { x: {} } }],
  ])('%s', (_name, schema) => {
    const check = checkOf(schema);
    expect(check('x').ok).toBe(true);
    expect(check(1)).toEqual({ ok: false, reason: 'value must be string' });
  });

  test('to the schema itself', () => {
    const check = checkOf({
      type: 'object',
      properties: { value: { type: 'number' }, next: { $ref: '#' } },
    });
    expect(check({ value: 1, next: { value: 2, next: {} } }).ok).toBe(true);
    expect(check({ next: { next: { value: 'x' } } }).reason).toBe(
      'value/next/next/value must be number',
    );
  });

  test('a verdict is not asked for twice', () => {
    const check = checkOf({
      $defs: { x: { type: 'object', required: ['a'] } },
      allOf: [{ $ref: '#/$defs/x' }, { $ref: '#/$defs/x' }],
    });
    expect(check({}).reason).toBe(
      "value must have required property 'a', value must match the schema #/$defs/x",
    );
  });
});

describe('a schema that cannot be used is a TypeError that says where', () => {
  test.each([
    [{ type: 'strin' }, 'schema/type must be one or several of string, number'],
    [{ properties: 5 }, 'schema/properties must be an object'],
    [{ properties: { a: 5 } }, 'schema/properties/a must be a schema'],
    [{ allOf: [] }, 'schema/allOf must be an array with at least one schema'],
    [{ items: { minimum: '1' } }, 'schema/items/minimum must be a number'],
    [{ exclusiveMinimum: true }, 'schema/exclusiveMinimum must be a number'],
    [{ minLength: -1 }, 'schema/minLength must be a whole number, 0 or more'],
    [{ multipleOf: 0 }, 'schema/multipleOf must be greater than 0'],
    [{ required: 'a' }, 'schema/required must be an array of strings'],
    [{ uniqueItems: 1 }, 'schema/uniqueItems must be true or false'],
    [{ enum: [] }, 'schema/enum must be an array with members'],
    [{ pattern: '(' }, 'schema/pattern is a pattern that cannot be checked: '],
    [{ patternProperties: { '(a)\\1': {} } }, 'schema/patternProperties/(a)\\1 is a pattern that'],
    [{ $ref: '#/nowhere' }, 'schema/$ref leads nowhere: #/nowhere'],
    [{ $ref: 'https://example.com/x' }, 'schema/$ref leads nowhere: https://example.com/x'],
    [{ $defs: { a: { type: 5 } } }, 'schema/$defs/a/type must be'],
    [
      { $defs: { a: { $id: 'x' }, b: { $id: 'x' } } },
      'schema/$defs/b has the address of another schema',
    ],
    [
      { $schema: DRAFT_2020, $id: 'a:/b', $dynamicRef: '#', $defs: { x: { $id: 'c' } } },
      'schema/$dynamicRef is not supported in a schema with several $id',
    ],
    [{ $schema: DRAFT_2020, items: [{}] }, 'schema/items must be a schema'],
    [
      { properties: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}`, {}])) },
      'schema has more than 100000 parts',
    ],
    [{ enum: [Array.from({ length: 100_000 }, (_, i) => i)] }, 'schema has more than 100000 parts'],
  ])('%#: %.80j', (schema, message) => {
    expect(() => readJsonSchema(schema)).toThrow(TypeError);
    expect(() => readJsonSchema(schema)).toThrow(message);
  });
});
