'use strict';

const { resolveProvider } = require('../../lib/execbox/index.js');

const typesOf = (inputSchema, more = {}) =>
  resolveProvider({ name: 'mcp', tools: { search: { inputSchema, execute() {}, ...more } } }).types;
const typeOf = (schema) =>
  String(
    /function search\(input\??: ([\s\S]*)\): Promise<unknown>;/.exec(typesOf(schema))?.[1],
  ).replace(/\s+/g, ' ');

test.each([
  ['no schema', undefined, 'input?: unknown'],
  ['an object that may be empty', { type: 'object', properties: { a: {} } }, 'input?: {'],
  ['an object that must be empty', { type: 'object', additionalProperties: false }, ')'],
  ['an object with a required field', { type: 'object', required: ['a'] }, 'input: '],
  ['something else', { type: 'string' }, 'input: string'],
])('a tool with %s is declared as it can be called', (_name, schema, start) => {
  expect(typesOf(schema)).toContain(`function search(${start}`);
});

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
      '  function plain(input?: unknown): Promise<unknown>;',
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
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
  [{ properties: { a: { type: 'string' } }, required: ['a'] }, '{ a: string; }'],
  [{ type: 'object', properties: { 'a-b': {}, 1: {} } }, '{ "1"?: unknown; "a-b"?: unknown; }'],
  [{ $ref: '#/$defs/x', $defs: { x: { type: 'string' } } }, 'string'],
  [{ $ref: '#/definitions/a~1b', definitions: { 'a/b': { type: 'boolean' } } }, 'boolean'],
  [{}, 'unknown'],
])('%j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

describe('definitions that several references lead to are types with a name', () => {
  test('those that refer to themselves', () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          description: 'A node',
          type: 'object',
          properties: { next: { $ref: '#/$defs/node' } },
        },
      },
    };
    expect(typesOf(tree)).toBe(
      [
        'declare namespace mcp {',
        '  /** A node */',
        '  type Node = {',
        '    next?: Node;',
        '  };',
        '  function search(input: Node): Promise<unknown>;',
        '}',
      ].join('\n'),
    );
  });

  test('the schema itself', () => {
    const types = typesOf({ type: 'object', properties: { child: { $ref: '#' } } });
    expect(types).toContain('type Search_input = {\n    child?: Search_input;\n  };');
    expect(types).toContain('function search(input?: Search_input)');
  });

  test('what is short, or referred to once, is written out', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/id' },
        b: { $ref: '#/$defs/id' },
        c: { $ref: '#/$defs/point' },
      },
      $defs: {
        id: { type: 'string' },
        point: { type: 'object', properties: { x: { type: 'number' } } },
      },
    };
    expect(typeOf(schema)).toBe('{ a?: string; b?: string; c?: { x?: number; }; }');
  });

  test('names are unique in the namespace, and none hides what declarations are written with', () => {
    const inputSchema = {
      type: 'array',
      items: { anyOf: [{ $ref: '#/$defs/record' }, { $ref: '#/$defs/record' }] },
      $defs: { record: { type: 'object', properties: { a: {} } } },
    };
    const { types } = resolveProvider({
      tools: { a: { inputSchema, execute() {} }, b: { inputSchema, execute() {} } },
    });
    expect(types.match(/type \w+/g)).toEqual(['type Record__2', 'type Record__3']);
  });
});

describe('the text grows with the schema and no faster', () => {
  const wide = (property) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}`, property]));

  test('definitions that are 20 wide and 6 deep', () => {
    const $defs = { d6: { type: 'string' } };
    for (let i = 0; i < 6; i++) {
      $defs[`d${i}`] = { type: 'object', properties: wide({ $ref: `#/$defs/d${i + 1}` }) };
    }
    const types = typesOf({ $ref: '#/$defs/d0', $defs });
    expect(types.length).toBeLessThan(3000);
    expect(types).toContain('p19?: string;');
  });

  test('schemas that are the same object in many places', () => {
    let schema = { type: 'string' };
    for (let i = 0; i < 6; i++) schema = { type: 'object', properties: wide(schema) };
    expect(typesOf(schema).length).toBeLessThan(100_000);
  });

  test('2,000 parts are shown, 12 levels deep', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: 'string' }]),
    );
    const types = typesOf({ type: 'object', properties });
    expect(types).toMatch(/p1998\?: string;\n {4}\/\/ and 18001 more\n/);
    expect(typeOf({ enum: Array.from({ length: 5000 }, (_, i) => i) })).toBe('unknown');
    expect(typeOf({ type: 'array', prefixItems: new Array(5000).fill({}) })).toBe('unknown[]');
    let deep = { type: 'string' };
    for (let i = 0; i < 200; i++) deep = { type: 'object', properties: { a: deep } };
    expect(typeOf(deep)).toMatch(/^(\{ a\?: ){12}unknown;/);
  });

  test('a reference inside what it leads to ends in unknown', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { $ref: '#/properties/a' } } } },
    };
    expect(typeOf(schema)).toBe('{ a?: { b?: { b?: unknown; }; }; }');
  });
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
