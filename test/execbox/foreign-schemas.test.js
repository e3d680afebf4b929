'use strict';
// Schemas of other libraries are checked or refused, never taken without a check.

const ai = require('ai');
const v = require('valibot');
const { toStandardJsonSchema } = require('@valibot/to-json-schema');
const z = require('zod');
const z3 = require('zod3');

const { resolveProvider } = require('../../lib/execbox/index.js');
const { runChild } = require('../support/child.js');

const context = /** @type {any} */ ({ signal: new AbortController().signal });
const provide = (inputSchema) =>
  resolveProvider({ tools: { t: { inputSchema, execute: (input) => input } } });
const call = (provider, input) =>
  provider.tools.t.execute(input, context).catch((error) => `${error.code}: ${error.message}`);

/** @type {import('@ai-sdk/provider').JSONSchema7} */
const JSON_SCHEMA = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
const DECLARED = '{ a: string; }';

describe.each([
  ['jsonSchema() of the AI SDK', ai.jsonSchema(JSON_SCHEMA), DECLARED, 'input/a must be string'],
  [
    'jsonSchema() of the AI SDK with a check of its own',
    ai.jsonSchema(JSON_SCHEMA, {
      validate: (/** @type {any} */ value) =>
        typeof value.a === 'string'
          ? { success: true, value }
          : { success: false, error: new Error('a is no text') },
    }),
    DECLARED,
    'a is no text',
  ],
  ['zodSchema() of the AI SDK', ai.zodSchema(z.object({ a: z.string() })), DECLARED, 'a: '],
  [
    'zodSchema() around Zod 3',
    ai.zodSchema(/** @type {any} */ (z3.object({ a: z3.string() }))),
    DECLARED,
    'a: ',
  ],
  ['Valibot', v.object({ a: v.string() }), 'unknown', 'a: Invalid type: Expected string'],
  [
    'Valibot with its JSON Schema',
    toStandardJsonSchema(v.object({ a: v.string() })),
    DECLARED,
    'a: Invalid type: Expected string',
  ],
  ['a lazy JSON Schema', () => JSON_SCHEMA, DECLARED, 'input/a must be string'],
  ['a lazy Zod schema', () => z.object({ a: z.string() }), DECLARED, 'a: '],
  [
    'a lazy schema of the AI SDK',
    () => ai.zodSchema(z.object({ a: z.string() })),
    DECLARED,
    'a: Invalid input',
  ],
])('%s', (_name, schema, declared, reason) => {
  test('is declared and checked', async () => {
    const provider = provide(schema);
    expect(provider.types.replace(/\s+/g, ' ')).toContain(`t(input: ${declared})`);
    expect(await call(provider, { a: 'x' })).toEqual({ a: 'x' });
    expect(await call(provider, { a: 1 })).toContain(
      `validation_error: Invalid input for tool t: ${reason}`,
    );
  });
});

test('ArkType, whose schemas are functions, is declared and checked', async () => {
  const body = async ({ report }, { arktype, execbox }) => {
    const { type } = await import(arktype);
    const { resolveProvider: resolve } = (await import(execbox)).default;
    const tools = { t: { inputSchema: type({ a: 'string' }), execute: (input) => input } };
    const provider = resolve({ tools });
    const { signal } = new AbortController();
    report({
      types: provider.types.replace(/\s+/g, ' '),
      good: await provider.tools.t.execute({ a: 'x' }, { signal }),
      bad: await provider.tools.t.execute({ a: 1 }, { signal }).catch((error) => error.message),
    });
  };
  const { reports, stderr } = await runChild(body, {
    args: {
      arktype: require.resolve('arktype'),
      execbox: require.resolve('../../lib/execbox/index.js'),
    },
  });
  expect(stderr).toBe('');
  expect(reports).toEqual([
    {
      types: expect.stringContaining(`t(input: ${DECLARED})`),
      good: { a: 'x' },
      bad: 'Invalid input for tool t: a: a must be a string (was a number)',
    },
  ]);
});

test('what a library makes of a value is what the tool gets', async () => {
  const defaults = v.object({ n: v.optional(v.number(), 7) });
  expect(await call(provide(defaults), {})).toEqual({ n: 7 });
  expect(await call(provide(ai.zodSchema(z.object({ n: z.number().default(7) }))), {})).toEqual({
    n: 7,
  });
});

class Validator {
  type = 'object';
}

test.each([
  ['a shape of Valibot', { a: v.string() }, /no keyword of JSON Schema/],
  ['a shape with the name of a keyword', { title: v.string() }, /member title.*object\(\)/],
  ['Zod inside JSON Schema', { properties: { a: z.string() } }, /properties\/a.*another library/],
  ['an object of a class', new Validator(), /another library/],
  ['an object with functions', { type: 'object', parse: () => 1 }, /another library/],
  [
    'an object that is no schema',
    { query: 'string' },
    /no keyword of JSON Schema \(it has query\)/,
  ],
  ['a promise', Promise.resolve(JSON_SCHEMA), /is a promise: await it/],
  ['a promise in jsonSchema()', ai.jsonSchema(Promise.resolve(JSON_SCHEMA)), /is a promise/],
  ['a function that gives no schema', () => 5, /must be a JSON Schema/],
  [
    'a function that throws',
    () => {
      throw new Error('no');
    },
    /threw instead of returning a schema/,
  ],
  ['true', true, /must be a JSON Schema/],
])('%s is refused when the tool is given', (_name, schema, message) => {
  expect(() => provide(schema)).toThrow(TypeError);
  expect(() => provide(schema)).toThrow(message);
  expect(() => provide(schema)).toThrow(/tool t/);
});
