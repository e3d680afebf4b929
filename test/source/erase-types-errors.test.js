'use strict';

const { eraseTypes, SourceError } = require('../../lib/source/index.js');
const { closeWorkersAfterAll } = require('./support/close-workers.js');
const { findPlace } = require('./support/find-place.js');

closeWorkersAfterAll();

/**
 * @param {string} source
 * @param {object} [options]
 * @returns {Promise<any>}
 */
async function failureOf(source, options) {
  const error = await eraseTypes(source, options).then(
    () => null,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(SourceError);
  return error;
}

test('a syntax error has a name, the line in its message and a place', async () => {
  const error = await failureOf('let a: number = 1\nlet b: = 2', { filename: 'src/a.ts' });
  expect(error).toMatchObject({
    name: 'TypeScriptTranspileError',
    code: 'ERR_SOURCE_SYNTAX',
    filename: 'src/a.ts',
    line: 2,
    column: 8,
  });
  expect(error.message).toBe(`Line 2 of src/a.ts: ${error.reason}`);
  expect(error.stack).toBe(`TypeScriptTranspileError: ${error.message}\n    at src/a.ts:2:8`);
});

test.each([
  ['ASCII', 'let a: number = @;', {}],
  ['wide characters', '"é😀漢"; const a: number = @;', {}],
  ['tabs', '\tlet a: number = 1\n\t\tlet b\t= @;', {}],
  ['joined and combining characters', '"👨‍👩‍👧e\u0301"; let a: number = @;', {}],
  ['a byte order mark', '\uFEFFlet a: number = @;', {}],
  ['CRLF', 'let a: number = 1\r\nlet b = @;', {}],
  ['rare line ends', '/*\u2028*/ let a: number = 1\u2028let b = @;', {}],
  ['JSX', 'let b = <b>{1}</b>\n\tlet a: number = @;', { jsx: true }],
])('the place is that of the source with %s', async (_, marked, options) => {
  const { line, column } = findPlace(marked, '@');
  expect(await failureOf(marked.replace('@', ''), options)).toMatchObject({ line, column });
});

test.each([
  ['decorators', 'let a: number = 1\nclass A { @d m() {} }', 'Decorators are not supported', 2, 11],
  ['decorators by an enum', 'enum A {}\n@d class B {}', 'Decorators are not supported', 2, 1],
  ['accessors', 'class A { accessor x: number = 1 }', 'accessor keyword is not supported', 1, 20],
  ['namespaces with JSX', 'namespace N { export const a = 1 }\nlet x = <a />', 'Namespaces', 1, 1],
])('%s are refused with a clear message', async (_, source, message, line, column) => {
  const error = await failureOf(source, { filename: 'a.tsx' });
  expect(error.reason).toContain(message);
  expect(error).toMatchObject({ line, column });
});

test('JSX that would run two statements together is refused', async () => {
  const source = 'const a = f\ntype T = string\n;[1].map(String)\nconst b = <a />';
  expect(await failureOf(source, { jsx: true })).toMatchObject({ line: 3 });
});

test('source above maxBytes is refused before it is read', async () => {
  const error = await failureOf('é'.repeat(600_000));
  expect(error).toMatchObject({ code: 'ERR_SOURCE_TOO_LARGE', line: undefined });
  expect(error.message).toContain('1200000 bytes');
  await expect(eraseTypes('let a: 1', { maxBytes: 8 })).resolves.toBeDefined();
  await expect(eraseTypes('let a: 12', { maxBytes: 8 })).rejects.toThrow('maxBytes');
});

test('an error is remembered with the source but not with the name of its file', async () => {
  await failureOf('let remembered: = 1', { filename: 'one.ts' });
  const error = await failureOf('let remembered: = 1', { filename: 'two.ts' });
  expect(error.message).toMatch(/^Line 1 of two\.ts: /);
});

test.each([
  [{ fileName: 'a.ts' }, TypeError, "Unknown option 'fileName'"],
  [{ filename: 1 }, TypeError, 'options.filename must be a string'],
  [{ jsx: 'yes' }, TypeError, 'options.jsx must be true or false'],
  [{ maxBytes: 0 }, RangeError, 'options.maxBytes must be between 1 and'],
  [{ timeoutMs: 1.5 }, RangeError, 'options.timeoutMs must be a whole number'],
  [null, TypeError, 'options must be an object'],
])('%j is refused', async (options, kind, message) => {
  const misuse = /** @type {any} */ (options);
  await expect(eraseTypes('1', misuse)).rejects.toThrow(kind);
  await expect(eraseTypes('1', misuse)).rejects.toThrow(message);
});

test('a source that is no string is a TypeError', async () => {
  await expect(eraseTypes(/** @type {any} */ (1))).rejects.toThrow(TypeError);
});
