'use strict';

const { usePool } = require('../support/pools.js');

const { errorOf } = usePool();

const THROW = 'throw new Error("here")';
// Where `new Error` stands within THROW.
const NEW_COLUMN = 7;

const KINDS = /** @type {const} */ (['script', 'function', 'module']);

describe.each(KINDS)('in a source of kind %s', (kind) => {
  test.each([
    ['the first character', '', 1, 0],
    ['the first line', 'const a = 1; ', 1, 13],
    ['the second line', '\n', 2, 0],
    ['a later line, indented', 'const a = 1;\n\n\n    ', 4, 4],
    ['a line behind carriage returns', '\r\n\r\n  ', 3, 2],
    ['a line with characters outside the BMP', '"😀"; ', 1, 6],
  ])('a throw on %s has its own line and column', async (_name, before, line, indent) => {
    const error = await errorOf({ kind, source: before + THROW });
    expect(error).toMatchObject({ cause: 'guest_error', filename: '<guest>', line });
    expect(error.frames[0]).toMatchObject({
      filename: '<guest>',
      line,
      column: indent + NEW_COLUMN,
    });
    // A synchronous throw points to the statement, a rejection to where the error was made.
    expect([indent + 1, indent + NEW_COLUMN]).toContain(error.column);
  });

  test.each([
    ['the first line', 'let a = ;', 1, 9],
    ['the second line', '\nlet a = ;', 2, 9],
    ['the third line, indented', '\n\n  let a = ;', 3, 11],
  ])('a syntax error on %s has its own line and column', async (_name, source, line, column) => {
    const error = await errorOf({ kind, source, filename: 'the/program.js' });
    expect(error).toMatchObject({ cause: 'link_error', filename: 'the/program.js', line, column });
  });

  test('frames name functions and positions, innermost first', async () => {
    const source = `function inner() {
  null.x;
}
function outer() { inner(); }
outer();`;
    const error = await errorOf({ kind, source, filename: 'deep.js' });
    expect(error).toMatchObject({ name: 'TypeError', filename: 'deep.js', line: 2, column: 8 });
    expect(error.frames.slice(0, 3)).toMatchObject([
      { functionName: 'inner', filename: 'deep.js', line: 2, column: 8 },
      { functionName: 'outer', filename: 'deep.js', line: 4, column: 20 },
      { filename: 'deep.js', line: 5, column: 1 },
    ]);
  });

  test('the stack is made of those frames', async () => {
    const error = await errorOf({ kind, source: `\n${THROW}`, filename: 'a.js' });
    expect(error.stack.split('\n').slice(0, 2)).toEqual(['Error: here', '    at a.js:2:7']);
  });
});

test.each([
  ['a block that is not closed', 'if (true) {'],
  ['a brace too many', '}'],
  ['a call that is not closed', 'f('],
  ['a string that is not closed', 'return "abc'],
  ['a comment that is not closed', 'return 1 /* abc'],
])('%s at the end of a function body points into the text', async (_name, source) => {
  const error = await errorOf({ source });
  expect(error).toMatchObject({ cause: 'link_error', name: 'SyntaxError', line: 1 });
  expect(error.column).toBeGreaterThanOrEqual(1);
  expect(error.column).toBeLessThanOrEqual(source.length + 1);
});

test('an error in a callback behind an await keeps its position', async () => {
  const source = 'await null;\nawait Promise.resolve().then(() => {\n  undefined.x;\n});';
  const error = await errorOf({ source });
  expect(error).toMatchObject({ name: 'TypeError', line: 3, column: 13 });
});

test('an error made in one place and thrown in another has the frames of its making', async () => {
  const source = 'const made = new Error("m");\n\n\nawait null;\nthrow made;';
  const error = await errorOf({ source });
  expect(error.frames[0]).toMatchObject({ line: 1, column: 14 });
});

test('no frame shows where the pool keeps its own scripts', async () => {
  const source = 'new ArrayBuffer(8, { maxByteLength: 16 })';
  const error = await errorOf({ kind: 'script', source });
  expect(error).toMatchObject({ name: 'RangeError', filename: '<guest>', line: 1 });
  for (const { filename } of error.frames) expect(filename).toBe('<guest>');
});

test('any file name is kept as it is', async () => {
  for (const filename of ['', 'isobox:x', 'a b/ü.js', '/etc/passwd', 'x.js:1:2', '(eval)']) {
    const error = await errorOf({ source: `\n ${THROW}`, filename });
    expect(error).toMatchObject({ line: 2, column: 8 });
    expect(error.frames[0].filename).toBe(filename);
  }
});
