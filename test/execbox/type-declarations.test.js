'use strict';

const { resolveProvider } = require('../../lib/execbox/index.js');

const typesOf = (inputSchema, more = {}) =>
  resolveProvider({ name: 'mcp', tools: { search: { inputSchema, execute() {}, ...more } } }).types;
const typeOf = (schema) =>
  /function search\(input: ([\s\S]*)\): Promise<unknown>;/
    .exec(typesOf(schema))[1]
    .replace(/\s+/g, ' ');

test('a namespace with a function per tool', () => {
  const types = resolveProvider({
    name: 'mcp',
    tools: {
      'search-docs': {
        description: 'Search docs',
        inputSchema: {
          type: 'object',
          required: ['query'],
          properties: {
            query: { type: 'string', description: 'What for' },
            limit: { type: 'integer' },
          },
        },
        outputSchema: {
          type: 'object',
          required: ['hits'],
          properties: { hits: { type: 'array', items: { type: 'string' } } },
        },
        execute() {},
      },
      plain: { execute() {} },
    },
  }).types;
  expect(types).toBe(
    [
      'declare namespace mcp {',
      '  /** Search docs */',
      '  function search_docs(input: {',
      '    /** What for */',
      '    query: string;',
      '    limit?: number;',
      '  }): Promise<{',
      '    hits: string[];',
      '  }>;',
      '  function plain(input: unknown): Promise<unknown>;',
      '}',
    ].join('\n'),
  );
});

test('declarations of the caller are used instead', () => {
  const types = 'declare namespace mine {}';
  expect(resolveProvider({ name: 'mine', tools: {}, types }).types).toBe(types);
});

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'string', nullable: true }, 'string | null'],
  [{ const: 'a"b' }, '"a\\"b"'],
  [{ enum: ['a', 1, null, true] }, '"a" | 1 | null | true'],
  [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
  [{ anyOf: [{ type: 'string' }, {}] }, 'unknown'],
  [
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } } },
        { type: 'object', properties: { b: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
      ],
    },
    '{ a?: string; } & ({ b?: string | null; })',
  ],
  [{ type: 'array' }, 'unknown[]'],
  [{ type: 'array', items: { type: ['string', 'number'] } }, 'Array<string | number>'],
  [
    { type: 'array', items: { type: 'object', properties: { id: {} } } },
    'Array<{ id?: unknown; }>',
  ],
  [{ type: 'array', items: [{ type: 'string' }, { type: 'null' }] }, '[string, null]'],
  [{ type: 'object' }, 'Record<string, unknown>'],
  [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
  [{ properties: { a: { type: 'string' } }, required: ['a'] }, '{ a: string; }'],
  [{ type: 'object', properties: { 'a-b': {}, 1: {} } }, '{ "1"?: unknown; "a-b"?: unknown; }'],
  [{ $ref: '#/$defs/x', $defs: { x: { type: 'string' } } }, 'string'],
  [{ $ref: '#/definitions/a~1b', definitions: { 'a/b': { type: 'boolean' } } }, 'boolean'],
  [{}, 'unknown'],
])('%j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

test('recursion and depth end in unknown', () => {
  const tree = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  };
  expect(typeOf(tree)).toBe('{ next?: unknown; }');
  let deep = { type: 'string' };
  for (let i = 0; i < 200; i++) deep = { type: 'object', properties: { a: deep } };
  expect(typeOf(deep)).toMatch(/a\?: unknown;/);
});

test('no description can end its comment', () => {
  const types = typesOf(
    { type: 'object', properties: { a: { description: '*/ evil' } } },
    {
      description: 'one */ function evil(): void; /*\ntwo\u2028three',
    },
  );
  expect(types.match(/\*\//g)).toHaveLength(2);
  expect(types).toContain('   * two\n   * three\n   */');
});

test('no property name can end its declaration', () => {
  const types = typesOf({ type: 'object', properties: { 'a": string }; evil("\n': {} } });
  expect(types).toContain(String.raw`"a\": string }; evil(\"\n"?: unknown;`);
});
