'use strict';
// Patterns of JSON Schemas: they mean what they mean to V8, and take a time that grows with the text and no faster.

const fc = require('fast-check');

const { Meter } = require('../../lib/schema/meter.js');
const { Pattern, PatternError } = require('../../lib/schema/pattern.js');

/** @returns {{ isFound: boolean, pauses: number }} */
function search(pattern, text) {
  const meter = new Meter();
  const steps = pattern.test(text, meter);
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next();
    if (done) return { isFound: value, pauses };
    meter.resume();
  }
}

const finds = (source, text) => search(new Pattern(source), text).isFound;

describe('mean what they mean to V8', () => {
  const EMAIL =
    "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$";

  test.each([
    ['', ['', 'a']],
    ['a', ['a', 'ba', 'b', '']],
    ['^a|b$', ['ac', 'cb', 'ca', 'bc']],
    ['^(?:ab)+$', ['ab', 'abab', 'aba', '']],
    ['^a{2,3}$', ['a', 'aa', 'aaa', 'aaaa']],
    ['^[^a-c\\]]$', ['a', 'd', ']', '😀', '\n']],
    ['^.$', ['a', '\n', '\u2028', '😀', '\ud83d']],
    ['\\bfoo\\b', ['foo', 'a foo b', 'foob', '_foo', 'éfoo']],
    ['\\Boo', ['foo', 'oo', ' oo']],
    ['^\\p{Lu}\\P{Lu}*$', ['Éa', 'éa', 'ÉÉ']],
    ['^\\u{1F600}\\uD83D\\uDE00$', ['😀😀', '😀']],
    ['^[😀-😂]+$', ['😁', 'a']],
    ['^(?<year>\\d{4})-(?<month>\\d\\d)$', ['2024-01', '24-01']],
    ['^(?=.*\\d)(?=.*[a-z]).{4,}$', ['abc1', 'abcd', '1234', 'a1']],
    ['(?<=\\$)\\d+', ['$5', '5', 'a$12']],
    ['(?<!\\$)\\b\\d+', ['$5', '5', '$5 6']],
    ['^(?!.*(?=b).*c)a', ['abc', 'acb', 'ac', 'ab']],
    ['(?!)', ['', 'a']],
    ['^(?:a*)*$', ['aaa', 'b']],
    ['^(?:)*$', ['', 'a']],
    ['\\0\\x41\\cJ\\t\\/', ['\0A\n\t/', 'A']],
    [EMAIL, ['someone@example.com', '.a@example.com', 'a..b@example.com', 'a@b', 'x@y.z1']],
  ])('%j', (source, texts) => {
    const native = new RegExp(source, 'u');
    for (const text of texts) {
      expect([text, finds(source, text)]).toEqual([text, native.test(text)]);
    }
  });

  const anyAtom = fc.constantFrom(
    ...['a', 'b', '\\d', '\\w', '\\s', '\\W', '.', '[ab]', '[^a]', '[a-c1]', '\\p{Lu}', '\\P{L}'],
    ...['\\n', '-', '\\.', '[]', '[^]', '\\x61', '[\\]]', '\\u{61}'],
  );
  const { source: anySource } = fc.letrec((tie) => ({
    source: fc.oneof(
      { maxDepth: 4 },
      anyAtom,
      fc.constantFrom('^', '$', '\\b', '\\B'),
      fc.array(tie('source'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
      fc
        .array(tie('source'), { minLength: 2, maxLength: 3 })
        .map((parts) => `(?:${parts.join('|')})`),
      fc
        .tuple(tie('source'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '??'))
        .map(([part, times]) => `(${part})${times}`),
      fc
        .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('source'))
        .map(([opening, part]) => `${opening}${part})`),
    ),
  }));
  // V8 also looks inside a surrogate pair for what takes no character; the language does not.
  const anyText = fc
    .array(fc.constantFrom('a', 'b', 'c', '1', '_', ' ', '-', '.', 'A', 'É', '\n', '\u2028', ']'), {
      maxLength: 8,
    })
    .map((parts) => parts.join(''));

  test('whatever the pattern and the text', () => {
    fc.assert(
      fc.property(anySource, fc.array(anyText, { minLength: 1, maxLength: 5 }), (source, texts) => {
        const native = new RegExp(source, 'u');
        let pattern;
        try {
          pattern = new Pattern(source);
        } catch (error) {
          expect(error.message).toMatch(/more than 16 times|more than 10000 parts/);
          return;
        }
        for (const text of texts) {
          expect([text, search(pattern, text).isFound]).toEqual([text, native.test(text)]);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe('take a time that grows with the text', () => {
  test.each([
    ['^(a+)+$', 'a', '!'],
    ['^(a|a)*$', 'a', '!'],
    ['^(a|aa)+$', 'a', '!'],
    ['(.*a){12}$', 'a', '!'],
    ['^(?=(a+)+$)a', 'a', '!'],
    ['(?<=^(a+)+)!$', 'a', 'b'],
    ['\\s+$', ' ', 'x'],
    ['^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$', 'a', '!'],
  ])('%s', (source, unit, end) => {
    const pattern = new Pattern(source);
    const pauses = (length) => search(pattern, unit.repeat(length) + end).pauses;
    const [some, tenTimes] = [pauses(20_000), pauses(200_000)];
    expect(some).toBeLessThan(1000);
    expect(tenTimes).toBeLessThan(11 * some + 11);
  });

  test('however many sets of positions a pattern can be in', () => {
    const text = Array.from({ length: 20_000 }, (_, i) => 'ab'[(i * i + (i >> 3)) % 2]).join('');
    const { isFound, pauses } = search(new Pattern('(?:a|b)*a(?:a|b){200}c'), text);
    expect(isFound).toBe(false);
    expect(pauses).toBeLessThan(text.length);
  });

  test('and remember little of one text for the next', () => {
    const pattern = new Pattern('(?:a|b)*a(?:a|b){12}c');
    const text = Array.from({ length: 5000 }, (_, i) => 'ab'[(i * i + (i >> 3)) % 2]).join('');
    const first = search(pattern, text).pauses;
    expect(search(pattern, text).pauses).toBeGreaterThan(first / 2);
  });
});

describe('are refused', () => {
  test.each([
    ['(', /Unterminated group|Invalid regular expression/],
    ['[z-a]', /Range out of order/],
    ['\\-', /Invalid escape/],
    ['(a)\\1', /refers back to what a group matched \(\\1\)/],
    ['(?<n>a)\\k<n>', /refers back to what a group matched \(\\k<n>\)/],
    ['a{20000}', /more than 10000 parts/],
    ['(?:a{200}){200}', /more than 10000 parts/],
    [`${'('.repeat(150)}a${')'.repeat(150)}`, /nested deeper than 100 levels/],
    ['(?=a)'.repeat(17), /looks around more than 16 times/],
    [
      Array.from({ length: 1001 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join(''),
      /more than 1000 different characters/,
    ],
  ])('%s', (source, message) => {
    expect(() => new Pattern(source)).toThrow(PatternError);
    expect(() => new Pattern(source)).toThrow(message);
  });
});
