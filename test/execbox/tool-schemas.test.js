'use strict';

const z4 = require('zod');
const mini = require('zod/mini');
const z3 = require('zod3');

const { resolveProvider } = require('../../lib/execbox/index.js');

const context = {
  signal: new AbortController().signal,
  providerName: 'codemode',
  safeToolName: 'tool',
  originalToolName: 'my-tool',
};

const toolOf = (descriptor) =>
  resolveProvider({ tools: { 'my-tool': { execute: (input) => input, ...descriptor } } }).tools
    .my_tool;
/** @returns {Promise<any>} what the tool gives, or the error with which it fails */
const call = (descriptor, input) =>
  toolOf(descriptor)
    .execute(input, context)
    .catch((error) => error);

const QUERY = { type: 'object', required: ['query'], properties: { query: { type: 'string' } } };

describe('JSON Schema', () => {
  test('checks input before the tool is called', async () => {
    const execute = jest.fn(() => 1);
    const error = await call({ inputSchema: QUERY, execute }, { query: 5 });
    expect(error).toMatchObject({ code: 'validation_error' });
    expect(error.message).toBe('Invalid input for tool my-tool: input/query must be string');
    expect(await call({ inputSchema: QUERY, execute }, undefined)).toMatchObject({
      code: 'validation_error',
    });
    expect(execute).not.toHaveBeenCalled();
    expect(await call({ inputSchema: QUERY, execute }, { query: 'x', more: 1 })).toBe(1);
  });

  test('checks output after the tool has answered', async () => {
    const error = await call({ outputSchema: QUERY, execute: async () => ({}) }, {});
    expect(error).toMatchObject({ code: 'validation_error' });
    expect(error.message).toMatch(/^Invalid output for tool my-tool: output must have/);
    expect(await call({ outputSchema: QUERY, execute: () => ({ query: 'q' }) }, {})).toEqual({
      query: 'q',
    });
  });

  test('says everything that is wrong with a value, up to twenty faults', async () => {
    const inputSchema = { type: 'array', items: { type: 'string' } };
    const small = await call({ inputSchema }, [1, 2]);
    expect(small.message).toMatch(/input\/0 must be string, input\/1 must be string$/);
    const large = await call({ inputSchema }, new Array(1e5).fill(1));
    expect(large.message).toMatch(/, input\/19 must be string, and maybe more$/);
    expect(large.message.length).toBeLessThan(2200);
  });

  test('does not repeat what a guest sent at length', async () => {
    const inputSchema = { additionalProperties: { type: 'string', pattern: '^x$' } };
    const long = 'k'.repeat(1e6);
    const error = await call({ inputSchema }, { [long]: long, [`${long}2`]: { [long]: 1 } });
    expect(error).toMatchObject({ code: 'validation_error' });
    expect(error.message.length).toBeLessThan(300);
  });

  test.each([
    [
      'draft-07',
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'number' }] },
    ],
    [
      '2019-09',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{ type: 'number' }] },
    ],
    [
      '2020-12',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        prefixItems: [{ type: 'number' }],
      },
    ],
  ])('of %s', async (_draft, schema) => {
    const inputSchema = { type: 'array', ...schema };
    expect(await call({ inputSchema }, [1])).toEqual([1]);
    expect(await call({ inputSchema }, ['1'])).toMatchObject({ code: 'validation_error' });
  });

  test('local references, unknown keywords and formats are no obstacle', async () => {
    const inputSchema = {
      $defs: { name: { type: 'string', format: 'no-such-format', 'x-note': 1 } },
      type: 'object',
      properties: { name: { $ref: '#/$defs/name' } },
    };
    expect(await call({ inputSchema }, { name: 'x' })).toEqual({ name: 'x' });
    expect(await call({ inputSchema }, { name: 1 })).toMatchObject({ code: 'validation_error' });
  });

  test('the same $id in two tools is no obstacle', () => {
    const inputSchema = { $id: 'https://example.com/one', type: 'object' };
    const tool = { inputSchema: { ...inputSchema }, execute() {} };
    expect(() =>
      resolveProvider({ tools: { a: tool, b: { ...tool, inputSchema } } }),
    ).not.toThrow();
  });

  test.each([
    ['a number', 42],
    ['an array', []],
    ['null', null],
    ['a type that is none', { type: 'strin' }],
    ['properties that are none', { type: 'object', properties: 5 }],
    ['a reference that leads nowhere', { $ref: 'http://example.com/schema' }],
    ['a pattern with a backreference', { pattern: '^(a|b)\\1$' }],
    ['more parts than are read', { enum: Array.from({ length: 100_000 }, (_, i) => i) }],
  ])('%s is a TypeError that names the tool', (_name, inputSchema) => {
    expect(() => toolOf({ inputSchema })).toThrow(TypeError);
    expect(() => toolOf({ inputSchema })).toThrow(/my-tool/);
  });
});

/** @type {[string, any, (z: any) => object][]} */
const ZODS = [
  ['Zod 4', z4, (z) => z.number().int().optional()],
  ['Zod 3', z3, (z) => z.number().int().optional()],
  ['Zod Mini', mini, (z) => z.optional(z.number())],
];

describe.each(ZODS)('%s', (_name, z, optionalNumber) => {
  const schema = () => z.object({ query: z.string(), limit: optionalNumber(z) });
  const shape = () => ({ query: z.string(), limit: optionalNumber(z) });

  test.each([
    ['a schema', schema],
    ['a raw shape', shape],
  ])('%s checks input and gives what it parsed', async (_form, make) => {
    const inputSchema = make();
    expect(await call({ inputSchema }, { query: 'docs', limit: 2 })).toEqual({
      query: 'docs',
      limit: 2,
    });
    expect(await call({ inputSchema }, { query: 'docs', more: 1 })).toEqual({ query: 'docs' });
    const error = await call({ inputSchema }, { limit: 'bad' });
    expect(error).toMatchObject({ code: 'validation_error' });
    expect(error.message).toMatch(/^Invalid input for tool my-tool: /);
    expect(error.message).toMatch(/query: .*; limit: |limit: .*; query: /);
    for (const input of [undefined, null, 5, 'x', []]) {
      expect(await call({ inputSchema }, input)).toMatchObject({ code: 'validation_error' });
    }
  });

  test('checks output', async () => {
    const outputSchema = z.object({ hits: z.array(z.string()) });
    expect(await call({ outputSchema, execute: () => ({ hits: [1] }) }, {})).toMatchObject({
      code: 'validation_error',
    });
    expect(await call({ outputSchema, execute: () => ({ hits: ['a'] }) }, {})).toEqual({
      hits: ['a'],
    });
  });

  test.each([
    ['a schema', schema],
    ['a raw shape', shape],
  ])('%s is JSON Schema in the resolved tool, and in its declaration', (_form, make) => {
    const provider = resolveProvider({ tools: { f: { inputSchema: make(), execute() {} } } });
    const { inputSchema } = provider.tools.f;
    expect(inputSchema).toMatchObject({
      type: 'object',
      properties: { query: { type: 'string' } },
      required: ['query'],
    });
    expect(JSON.parse(JSON.stringify(inputSchema))).toEqual(inputSchema);
    expect(provider.types).toContain('query: string;');
    expect(provider.types).toContain('limit?: number;');
  });
});

describe('Zod', () => {
  test('defaults, transformations and refinements hold', async () => {
    for (const z of /** @type {any[]} */ ([z4, z3])) {
      const inputSchema = z.object({
        limit: z.number().default(10),
        name: z.string().transform((text) => text.trim()),
        even: z
          .number()
          .refine(async (n) => n % 2 === 0, 'must be even')
          .optional(),
      });
      expect(await call({ inputSchema }, { name: ' x ' })).toEqual({ limit: 10, name: 'x' });
      const error = await call({ inputSchema }, { name: 'x', even: 3 });
      expect(error.message).toMatch(/even: must be even/);
    }
  });

  test('what JSON Schema cannot say is left open', () => {
    for (const z of /** @type {any[]} */ ([z4, z3])) {
      const inputSchema = z.object({ at: z.date(), n: z.bigint().optional(), any: z.any() });
      const { types } = resolveProvider({ tools: { f: { inputSchema, execute() {} } } });
      expect(types).toContain('at: unknown;');
      expect(types).toContain('n?: unknown;');
    }
  });

  test('the kinds of Zod 3 as JSON Schema', () => {
    const inputSchema = z3.object({
      choice: z3.enum(['a', 'b']).describe('Which one'),
      literal: z3.literal(5),
      list: z3.array(z3.string().email()).optional(),
      pair: z3.tuple([z3.string(), z3.null()]),
      either: z3.union([z3.string(), z3.number().min(1)]),
      map: z3.record(z3.boolean()),
      maybe: z3.string().nullable(),
      both: z3.intersection(z3.object({ a: z3.string() }), z3.object({ b: z3.string() })),
      piped: z3.string().pipe(z3.coerce.number()),
      tagged: z3.discriminatedUnion('t', [z3.object({ t: z3.literal('x') })]),
      tree: z3.lazy(() => z3.string()),
    });
    const { tools, types } = resolveProvider({ tools: { f: { inputSchema, execute() {} } } });
    expect(tools.f.inputSchema?.properties).toMatchObject({
      choice: { enum: ['a', 'b'], description: 'Which one' },
      list: { type: 'array', items: { type: 'string', format: 'email' } },
      either: { anyOf: [{ type: 'string' }, { type: 'number', minimum: 1 }] },
      tree: {},
    });
    for (const line of [
      '/** Which one */',
      'choice: "a" | "b";',
      'literal: 5;',
      'list?: string[];',
      'pair: [string, null];',
      'either: string | number;',
      'map: Record<string, boolean>;',
      'maybe: string | null;',
      'piped: string;',
      't: "x";',
      'tree: unknown;',
    ]) {
      expect(types).toContain(line);
    }
  });

  test('an empty shape is a JSON Schema that allows everything', async () => {
    expect(await call({ inputSchema: {} }, 5)).toBe(5);
  });
});
