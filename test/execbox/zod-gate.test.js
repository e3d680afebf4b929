'use strict';
// Zod checks a value in one go; what would hold the event loop is refused before it looks.

const { z } = require('zod');
const mini = require('zod/mini');

const { readToolSchema } = require('../../lib/execbox/tool-schema.js');
const { atOnce } = require('../../lib/turns.js');

const schemaOf = (given) =>
  /** @type {import('../../lib/execbox/tool-schema.js').ToolSchema} */ (
    atOnce(readToolSchema(given, 'input', 'pay'))
  );

// V8 would look at this for years.
const endless = `${'a'.repeat(60)}b`;
const bad = /^(a+)+$/;

test.each([
  ['a member', z.object({ a: z.string().regex(bad) }), { a: endless }],
  ['a shape', { a: z.string().regex(bad) }, { a: endless }],
  ['Zod Mini', mini.object({ a: mini.string().check(mini.regex(bad)) }), { a: endless }],
  ['an element', z.array(z.string().regex(bad).optional()), [endless]],
  ['a value of a record', z.record(z.string(), z.string().regex(bad)), { k: endless }],
  ['a length beside it', z.object({ a: z.string().max(10).regex(bad) }), { a: endless }],
  ['flags', z.string().regex(/^(a+)+$/gu), endless],
  ['bounded repetitions', z.string().regex(/^(a{1,60}){1,60}$/), endless],
  ['any character', z.string().regex(/^(.|a)+$/), `${'a'.repeat(60)}\n`],
])('a regular expression that backtracks is matched in linear time: %s', async (...row) => {
  const [, schema, value] = row;
  const checked = await schemaOf(schema).check(value, 'input');
  expect(checked).toEqual({ ok: false, reason: expect.stringContaining('must match pattern') });
});

test('a large value that does not fit is refused before Zod sees it', async () => {
  const schema = z.array(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]));
  const seen = jest.spyOn(schema, 'safeParseAsync');
  const value = Array.from({ length: 20_000 }, (_, index) => ({ a: index }));
  const checked = await schemaOf(schema).check(value, 'input');
  expect(checked).toEqual({ ok: false, reason: expect.stringContaining('must be string') });
  expect(seen).not.toHaveBeenCalled();
});

test('what is wrong with a small value is said by Zod, in the words of its author', async () => {
  const schema = z.object({ id: z.string('a name, please').regex(/^\d+$/, 'digits only') });
  const check = (value) => schemaOf(schema).check(value, 'input');
  expect(await check({ id: 'x' })).toEqual({ ok: false, reason: 'id: digits only' });
  expect(await check({ id: 1 })).toEqual({ ok: false, reason: 'id: a name, please' });
});

test('a reason does not grow with what the guest sends', async () => {
  const value = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${i}`.repeat(99), 1]));
  for (const schema of [z.strictObject({}), z.record(z.string(), z.string())]) {
    const checked = await schemaOf(schema).check(value, 'input');
    expect(checked.ok).toBe(false);
    expect(/** @type {any} */ (checked).reason.length).toBeLessThan(3000);
  }
});

const twice = /^(a+|b+)+$/;
const tree = z.object({
  name: z.string().regex(twice),
  get children() {
    return z.array(tree).optional();
  },
});

test.each(
  /** @type {[string, any, unknown][]} */ ([
    ['a number that is coerced', z.object({ n: z.coerce.number() }), { n: '5' }],
    ['a text that is trimmed first', z.string().trim().regex(twice), ' ab '],
    ['a text in lower case', z.string().toLowerCase().regex(twice), 'AB'],
    ['a pattern without case', z.string().regex(/^(a+)+$/i), 'AA'],
    ['what is caught', z.object({ n: z.number().catch(0) }), { n: 'x' }],
    ['what is caught when absent', z.object({ n: z.number().catch(0) }), {}],
    ['what is made of anything', z.preprocess(String, z.string().regex(/^(\d|5)+$/)), 55],
    ['a default', z.object({ a: z.string().regex(twice).default('a') }), {}],
    ['null', z.object({ a: z.string().regex(twice).nullable() }), { a: null }],
    ['pairs of surrogates, counted as two', z.string().regex(/^(..)(.|x)+$/), '😀😀'],
    ['pairs of surrogates, counted as one', z.string().regex(/^(.|x).$/u), '😀😀'],
    [
      'a union whose branches are both loose',
      z.discriminatedUnion('k', [
        z.object({ k: z.literal('a'), v: z.coerce.number() }),
        z.object({ k: z.literal('b'), v: z.coerce.number() }),
      ]),
      { k: 'b', v: '1' },
    ],
    ['further members', z.object({ a: z.string().regex(twice) }), { a: 'ab', b: 1 }],
    ['members of a catch-all', z.object({}).catchall(z.coerce.number()), { b: '1' }],
    ['a record of numbers', z.record(z.number(), z.string().regex(twice)), { 1: 'a' }],
    ['a tuple', z.tuple([z.string().regex(twice)], z.coerce.number()), ['a', '1']],
    [
      'an intersection',
      z.intersection(z.object({ a: z.coerce.number() }), z.object({ b: z.string() })),
      { a: '1', b: '' },
    ],
    [
      'a transformed text',
      z
        .string()
        .regex(twice)
        .transform((text) => text.length),
      'ab',
    ],
    [
      'a refined number',
      z
        .number()
        .multipleOf(0.1)
        .refine((n) => n > 0),
      0.3,
    ],
    ['a tree', tree, { name: 'a', children: [{ name: 'b', children: [] }] }],
    ['a pattern that refers back', z.string().regex(/^(a)\1+$/), 'aaa'],
    ['nothing at all', z.object({ a: z.string().regex(twice) }).optional(), undefined],
  ]),
)('what Zod takes is not refused: %s', async (_name, schema, value) => {
  const parsed = schema.safeParse(value);
  expect(parsed.success).toBe(true);
  expect(await schemaOf(schema).check(value, 'input')).toEqual({ ok: true, value: parsed.data });
  // A large value goes through the gate as well.
  const many = Array.from({ length: 3000 }, () => value);
  if (value === undefined) return;
  const checked = await schemaOf(z.array(schema)).check(many, 'input');
  expect(checked).toEqual({ ok: true, value: many.map(() => parsed.data) });
});
