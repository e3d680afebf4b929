'use strict';

const { prepareBody, SourceError } = require('../../lib/source/index.js');
const { closeWorkersAfterAll } = require('./support/close-workers.js');
const { runBody } = require('./support/run-body.js');

closeWorkersAfterAll();

/**
 * @param {string} source
 * @param {object} [options]
 */
async function valueOf(source, options) {
  const { code } = await prepareBody(source, options);
  const tools = { echo: async (/** @type {any} */ input) => ({ ok: true, input }) };
  const value = await runBody(code, { tools });
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

describe('the result of a body is', () => {
  test.each([
    ['a lone expression', '1 + 1', 2],
    ['a lone expression with await', 'await tools.echo(1)', { ok: true, input: 1 }],
    ['a promise, awaited', 'tools.echo(1)', { ok: true, input: 1 }],
    ['the last expression', 'const v = await tools.echo({}); v.ok', true],
    ['the last expression, with a semicolon and a comment', 'let a = 1;\na; // done', 1],
    [
      'the last expression before function declarations',
      'twice(2)\nfunction twice(x) { return 2 * x }',
      4,
    ],
    ['the last expression before a bare var', 'x = 4\nvar x', 4],
    ['the last expression, after an early return', 'if (0) return 1\n2', 2],
    ['an early return', 'if (1) return 1\n2', 1],
    ['an explicit return', 'const a = 1\nreturn a', 1],
    ['an assignment', 'let a; a = 5', 5],
    ['a comma expression', 'let a = 1; a, 2', 2],
    ['a string', '"use strict"', 'use strict'],
    ['the last of several strings', '"a"; "b"', 'b'],
    ['a template', '`x`', 'x'],
    ['a regular expression at work', '/a/.test("a")', true],
    ['an immediately called function', '(async () => { return 3 })()', 3],
    ['nothing for a declaration', 'const a = 1', undefined],
    ['nothing for a block', '{ let a = 1 }', undefined],
    ['nothing for nothing', '', undefined],
    ['nothing for a comment', '// later', undefined],
  ])('%s', async (_, source, value) => {
    expect(await valueOf(source)).toEqual(value);
  });
});

describe('a lone function is called', () => {
  test.each([
    ['arrow', '() => 1'],
    ['async arrow', 'async () => { await null; return 1 }'],
    ['arrow with comments around it', '/* a */ () => 1 // b'],
    ['declaration', 'function main() { return 1 }'],
    ['async declaration', 'async function main() {\n  return 1\n}\n'],
    [
      'declaration under a directive',
      '"use strict"; function main() { return this === undefined ? 1 : 0 }',
    ],
    ['exported declaration', 'export async function main() { return 1 }'],
    ['arrow with types', 'async (): Promise<number> => 1'],
    [
      'declaration with types',
      'async function main(this: void): Promise<number> { return 1 as number }',
    ],
  ])('%s', async (_, source) => {
    expect(await valueOf(source)).toBe(1);
  });

  test.each([
    '(async () => 1)',
    '(() => 1)',
    '((((n = 1) => n)))',
    '(function () { return 1 });',
    '( /* a */ async function named() { return 1 } // b\n) // c',
    '(async (n: number = 1): Promise<number> => n)',
  ])('in parentheses too: %j', async (source) => {
    expect(await valueOf(source)).toBe(1);
  });

  test('but not one that is called already, or a part of an expression', async () => {
    expect(await valueOf('(() => 1)()')).toBe(1);
    expect(typeof (await runBody((await prepareBody('(0, () => 2)')).code))).toBe('function');
    expect(await valueOf('((n) => n + 1)(2)')).toBe(3);
  });

  test('nor one of several', async () => {
    expect(await valueOf('function a() { return 1 } function b() { return 2 }')).toBeUndefined();
  });
});

describe('a lone object is the object', () => {
  test.each([
    ['several properties', '{ a: 1, b: 2 }', { a: 1, b: 2 }],
    ['one property', '{ a: 1 }', { a: 1 }],
    ['shorthand', '{ JSON }', { JSON: {} }],
    ['none', '{}', {}],
    ['a semicolon behind it', '{ a: 1 };', { a: 1 }],
    ['awaited values', '{ a: await 1 }', { a: 1 }],
    ['parentheses', '({ a: 1 })', { a: 1 }],
    ['types inside', '{ a: 1 as number, b: 2 }', { a: 1, b: 2 }],
  ])('%s', async (_, source, value) => {
    expect(await valueOf(source)).toEqual(value);
  });
});

describe('export default gives the result', () => {
  test.each([
    ['a value', 'export default 1'],
    ['an arrow function', 'export default async () => 1'],
    ['a nameless function', 'export default async function () { return 1 }'],
    ['a named function', 'export default function main() { return main.length + 1 }'],
    [
      'a function declared elsewhere',
      'export default main; const one = 1; function main() { return one }',
    ],
    ['a value that is a function', 'const f = () => 1\nexport default f // the end'],
    ['with comments between the words', 'export /* default */ default 1'],
    ['next to exported constants', 'export const one = 1\nexport default one'],
    ['with types', 'const one: number = 1; export default (x: number = one): number => x'],
    ['with an enum', 'enum A { X = 1 }\nexport default A.X'],
  ])('%s', async (_, source) => {
    expect(await valueOf(source)).toBe(1);
  });

  test('the name it needs is one the source does not have', async () => {
    expect(await valueOf('const $default = 1; export default () => $default')).toBe(1);
  });
});

test.each(['{ export default 1 }', 'if (true) { import "a" }', '() => { export const a = 1 }'])(
  'module syntax inside a block is refused: %s',
  async (source) => {
    await expect(valueOf(source)).rejects.toThrow(/Only export default can be used here/);
  },
);

describe('an exported main gives the result', () => {
  test.each([
    [
      'beside a helper',
      'export async function main() { return one() }\nfunction one() { return 1 }',
    ],
    ['that is a constant', 'const one = 1; export const main = () => one'],
    ['that is a value', 'let x; export const main = 1'],
    ['behind other statements', 'export function main() { return 1 }\nconsole.log(2); 3'],
    ['once, when the code calls it', 'let n = 0; export function main() { return ++n }\nmain()'],
    ['with types', 'export async function main(): Promise<number> { return 1 }\nlet x: any = 2; x'],
  ])('%s', async (_, source) => {
    expect(await valueOf(source)).toBe(1);
  });

  test('but not a main that is not exported', async () => {
    expect(await valueOf('function main() { return 1 }\n2')).toBe(2);
  });
});

describe('TypeScript is accepted', () => {
  test.each([
    ['annotations', 'const v: number = 1; v'],
    ['enums', 'enum A { X = 1 }\nA.X'],
    ['enums and an explicit return', 'enum A { X = 1 }\nreturn A.X'],
    ['generic calls', 'const id = (x) => x; id<string>(1)'],
    [
      'interfaces and await',
      'interface Row { id: number }\nconst row: Row = await { id: 1 }\nrow.id',
    ],
    ['parameter properties', 'class A { constructor(public x = 1) {} }\nnew A().x'],
    ['a fence that says so', '```ts\nconst v: number = 1\nv\n```'],
  ])('%s', async (_, source) => {
    expect(await valueOf(source)).toBe(1);
  });

  test('unless the language is JavaScript', async () => {
    const body = prepareBody('const v: number = 1', { language: 'javascript' });
    await expect(body).rejects.toMatchObject({ name: 'SyntaxError', line: 1, column: 8 });
  });

  test('and a fence labelled as TypeScript counts under either language', async () => {
    expect(await valueOf('```ts\n1 as number\n```', { language: 'javascript' })).toBe(1);
  });
});

test.each([
  ['fences', 'Sure:\n```js\nreturn 1\n```\nThat is all.'],
  ['a hashbang', '#!/usr/bin/env node\n1'],
  ['a byte order mark', '\uFEFF1'],
  ['HTML comments', '1\n<!-- old\n--> older'],
])('%s around code do no harm', async (_, source) => {
  expect(await valueOf(source)).toBe(1);
});

test('a body may end in a line comment or lack a line end', async () => {
  expect(await valueOf('return 1 // }')).toBe(1);
});

test.each([
  ['an unexpected token', 'let a = 1\nlet b = )', 2, 9],
  ['an unexpected end', 'foo(', 1, 5],
  ['a redeclaration', 'let a = 1\nlet a = 2', 2, 5],
  ['await as a name', 'let await = 1', 1, 5],
  ['a static import', '1\nimport fs from "fs"', 2, 1],
  ['an export of names', 'const a = 1; export { a }', 1, 14],
  ['an error behind erased types', 'enum A { X }\nlet a = 1;\nlet a = 2', 3, 5],
])('%s is a SyntaxError with a place', async (_, source, line, column) => {
  const error = await prepareBody(source, { filename: 'guest.js' }).catch((reason) => reason);
  expect(error).toBeInstanceOf(SourceError);
  expect(error).toMatchObject({ name: 'SyntaxError', code: 'ERR_SOURCE_SYNTAX', line, column });
  expect(error.message).toBe(error.reason);
  expect(error.stack).toContain(`guest.js:${line}:${column}`);
});

describe('text that closes the function and goes on is refused', () => {
  test.each([
    '}); globalThis.x = 1; (async()=>{',
    '})(); globalThis.x = 1; (async()=>{',
    '}; globalThis.x = 1; async()=>{',
    '}\nglobalThis.x = 1;\nasync()=>{',
    '}, globalThis.x = 1, async()=>{',
    '}/globalThis.x/async()=>{',
    'const a: number = 1 }; globalThis.x = 1; async()=>{',
    'enum A { X } }; globalThis.x = 1; async()=>{',
    'export default 1 }; globalThis.x = 1; async()=>{',
    '/* }); globalThis.x = 1; (async()=>{',
    '`}); globalThis.x = 1; (async()=>{',
    '"}); globalThis.x = 1; (async()=>{',
    '//\u2028}); globalThis.x = 1; (async()=>{',
  ])('%j', async (source) => {
    for (const language of ['javascript', 'typescript']) {
      const body = prepareBody(source, /** @type {any} */ ({ language }));
      await expect(body).rejects.toMatchObject({ name: 'SyntaxError' });
    }
  });
});

test.each([
  [{ lang: 'typescript' }, "Unknown option 'lang'"],
  [{ language: 'python' }, "options.language must be one of 'javascript', 'typescript'"],
])('%j is a TypeError', async (options, message) => {
  const refused = prepareBody('1', /** @type {any} */ (options));
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.toThrow(message);
});
