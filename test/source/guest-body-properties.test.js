'use strict';

const fc = require('fast-check');
const vm = require('node:vm');

const { makeBody } = require('../../lib/source/body-pipeline.js');
const { failurePlace, runBody } = require('./support/run-body.js');
const { findPlace } = require('./support/find-place.js');

const RUNS = { numRuns: 150 };

/** @param {string} source */
function prepare(source) {
  return makeBody(source, { language: 'typescript', filename: 'guest.js' });
}

// Statements that work in any order; each may lack its semicolon where a line end follows.
const STATEMENTS = [
  'let a@ = 1',
  'var b@ = [1, 2, 3].map((x) => x * 2)',
  'const { c@ = 4 } = {}',
  'function d@() { return "d" }',
  'class E@ { static v = 5; #p = 1; get p() { return this.#p } }',
  'if (n > 1) { n += 1 } else { n -= 1 }',
  'for (let i = 0; i < 3; i++) { n += i }',
  'for (const k of [1, 2]) n += k',
  'try { throw new Error("x") } catch { n++ } finally { n-- }',
  'label@: for (;;) { break label@ }',
  'switch (n) { case 1: n = 2; break; default: n = 3 }',
  'do n++; while (n < 2)',
  'n = n ** 2 % 7',
  '({ n } = { n: n + 1 })',
  '/[/}]{1}/.test("}")',
  '`a${n}b${`c${n}`}`',
  'n++',
  '"a string"',
  '[1, 2].length',
  '(() => n)()',
  '// a comment } ) ]',
  '/* a comment { ( [ */',
  ';',
];
const EXPRESSIONS = [
  'n',
  'n + 1',
  '[n, "x"]',
  '({ n })',
  '(n, 2)',
  'typeof n',
  '-n',
  '`t${n}`',
  '"s"',
  '/r/.source',
];
// Statements with types, and what they do at run time. Blanks are enough for the first kind.
const TYPED = [
  ['let t@: number = 1', 'let t@ = 1'],
  ['type T@ = { a: string; b: number }', ''],
  ['interface I@ { x: 1 }', ''],
  ['n = n as any as number', 'n = n'],
  ['const f@ = <T,>(x: T): T => x', 'const f@ = (x) => x'],
  ['n = Math.max<number>(n, 2)!', 'n = Math.max(n, 2)'],
];
const PRINTED = [
  ['enum G@ { X, Y = 3 }\nn += G@.Y', 'n += 3'],
  ['namespace N@ { export const a = 1 }\nn += N@.a', 'n += 1'],
  ['class P@ { constructor(private x = 1) {} }\nn += new P@().x', 'n += 1'],
  ['n = <any>n', 'n = n'],
];

/**
 * @param {readonly (readonly string[])[]} templates a statement as it is written and as it runs
 * @returns {import('fast-check').Arbitrary<{ typed: string, plain: string }>}
 */
function programOf(templates) {
  const separator = fc.constantFrom(';\n', '\n', ';', '\r\n', ';  \n\n');
  const parts = fc.array(fc.tuple(fc.constantFrom(...templates), separator), { maxLength: 8 });
  return parts.map((chosen) => {
    const [typed, plain] = [0, 1].map((side) =>
      chosen.map(([texts, end], index) => finish(texts[side], index, end)).join(''),
    );
    return { typed, plain };
  });
}

/**
 * @param {string} text
 * @param {number} index makes its names unique
 * @param {string} end
 */
function finish(text, index, end) {
  // What follows must not be read as a continuation, and a line comment needs its line end.
  const separator = end.includes(';') && !text.startsWith('//') ? end : `\n;${end}`;
  return text.replaceAll('@', String(index)) + separator;
}

/** @param {readonly string[]} statements */
function untyped(statements) {
  return statements.map((text) => [text, text]);
}

test('whatever comes before it, the last expression is what eval would give', async () => {
  const ending = fc.constantFrom('', ';', '\n', ' // end');
  await fc.assert(
    fc.asyncProperty(
      programOf(untyped(STATEMENTS)),
      fc.constantFrom(...EXPRESSIONS),
      ending,
      async ({ plain }, last, end) => {
        const source = `let n = 1;\n${plain}${last}${end}`;
        const value = await runBody(prepare(source).code);
        expect(JSON.stringify(value)).toBe(JSON.stringify(vm.runInNewContext(source)));
      },
    ),
    RUNS,
  );
});

test('whatever its types, a program gives the value it gives without them', async () => {
  const program = programOf([...untyped(STATEMENTS), ...TYPED, ...PRINTED]);
  await fc.assert(
    fc.asyncProperty(program, fc.constantFrom(...EXPRESSIONS), async ({ typed, plain }, last) => {
      const { code } = prepare(`let n: number = 1;\n${typed}(${last}) as any`);
      const expected = vm.runInNewContext(`let n = 1;\n${plain}(${last})`);
      expect(JSON.stringify(await runBody(code))).toBe(JSON.stringify(expected));
    }),
    RUNS,
  );
});

test.each([
  ['JavaScript', untyped(STATEMENTS)],
  ['types that become blanks', [...untyped(STATEMENTS), ...TYPED]],
  ['code that is printed anew', [...untyped(STATEMENTS), ...TYPED, ...PRINTED]],
])('a failure in %s is where the source has it', async (_, templates) => {
  const failure = fc.constantFrom(
    'null.§x',
    'await null.§x',
    'throw §new Error("here")',
    'n + §missing',
    'const r = [1].map(() => §missing())',
    '({ a: null.§x })',
    'return n + §missing',
    '(() => { throw §new Error("é😀") })()',
    'export default null.§x',
    'export default () => §missing',
  );
  const program = fc.tuple(programOf(templates), failure, fc.constantFrom('', '"é漢😀"; ', '\t'));
  await fc.assert(
    fc.asyncProperty(program, fc.boolean(), async ([{ typed }, failing, pad], isFenced) => {
      const text = `let n = 1; ${typed}${pad}${failing}`;
      const marked = isFenced ? `Look:\r\n\`\`\`ts\n${text}\n\`\`\`` : text;
      const { code, map } = prepare(marked.replace('§', ''));
      const place = await failurePlace(code);
      expect(place && map.original(place.line, place.column)).toEqual(findPlace(marked, '§'));
    }),
    RUNS,
  );
});

test('whatever the text, what is accepted is one function body and nothing behind it', () => {
  const piece = fc.constantFrom(
    ...['}', '{', ')', '(', ']', '[', ';', '`', '${', '"', "'", '/', '*', '//', '/*', '*/', '<!--'],
    ...[
      '\n',
      '=>',
      'async',
      '()',
      'x',
      '1',
      ',',
      ' ',
      'export default ',
      'return ',
      '</',
      'as any',
    ],
  );
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (source) => {
      const code = acceptedCode(source);
      if (code === null) return;
      // The constructor of async functions parses its body on its own, whatever the text.
      const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
      expect(() => new AsyncFunction(code)).not.toThrow();
    }),
    { numRuns: 1500 },
  );
});

/** @param {string} source */
function acceptedCode(source) {
  try {
    return prepare(source).code;
  } catch {
    return null;
  }
}
