'use strict';

const fc = require('fast-check');

const { stripFences } = require('../../lib/source/fences.js');

/** @param {string} text */
function codeIn(text) {
  return stripFences(text).code.trim();
}

test.each([
  ['a labelled fence', '```js\nreturn 1\n```', 'return 1', 'javascript'],
  ['a fence without a label', '```\nreturn 1\n```', 'return 1', null],
  ['tildes', '~~~ts\nreturn 1\n~~~', 'return 1', 'typescript'],
  ['a long label', '```typescript title="a.ts" {1,3}\nreturn 1\n```', 'return 1', 'typescript'],
  ['a label in capitals', '```JavaScript\nreturn 1\n```', 'return 1', 'javascript'],
  ['text around it', 'Here you are:\n\n```tsx\nreturn 1\n```\nDone.', 'return 1', 'typescript'],
  ['an indented fence', '  ```js\n  return 1\n  ```', 'return 1', 'javascript'],
  ['a fence that is never closed', '```js\nreturn 1', 'return 1', 'javascript'],
  ['a fence closed on the last line of code', '```js\nreturn 1```\n', 'return 1', 'javascript'],
  ['longer fences around shorter ones', '````js\n`a`\n```\n````', '`a`\n```', 'javascript'],
  ['CRLF', '```js\r\nreturn 1\r\n```\r\n', 'return 1', 'javascript'],
  ['code of another kind before it', '```json\n{}\n```\n```js\n1\n```', '1', 'javascript'],
  ['output after it', '```js\n1\n```\nprints\n```\n1\n```', '1', 'javascript'],
  ['a path pattern in the text', 'In src/**/*.js:\n```js\n1\n```', '1', 'javascript'],
])('%s', (_, text, code, language) => {
  expect(codeIn(text)).toBe(code);
  expect(stripFences(text)).toMatchObject({ language });
});

test('several labelled blocks are one program', () => {
  expect(codeIn('```js\nconst a = 1\n```\nand\n```js\na\n```').split(/\s{3,}/)).toEqual([
    'const a = 1',
    'a',
  ]);
});

test.each([
  ['plain code', 'const a = `x`\na'],
  ['a fence inside a comment', '/**\n```js\nexample()\n```\n*/\nreal()'],
  ['a fence that does not begin its line', 'const text = "```js"'],
  ['nothing', ''],
])('%s stays as it is', (_, text) => {
  expect(stripFences(text)).toEqual({ code: text, language: null });
});

test('whatever the text, what is kept stands where it stood and the rest is blank', () => {
  const line = fc.constantFrom('```', '```js', '~~~', '/*', '*/', 'some text', 'a = `b`', '', '  ');
  const text = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r', '\u2028')), { maxLength: 20 })
    .map((lines) => lines.flat().join(''));
  fc.assert(
    fc.property(text, (source) => {
      const { code } = stripFences(source);
      expect(code).toHaveLength(source.length);
      for (let index = 0; index < code.length; index++) {
        if (code[index] !== source[index]) expect(code[index]).toBe(' ');
      }
      expect(code.match(/[\n\r\u2028]/g)).toEqual(source.match(/[\n\r\u2028]/g));
    }),
  );
});
