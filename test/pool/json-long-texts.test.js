'use strict';

const { usePool } = require('../support/pools.js');

const { run } = usePool();

// Long enough to keep their bytes from one side to the other, or just not.
const LENGTHS = [32_766, 32_767, 32_768, 100_001, 1_000_000];

/** Sources of texts of a given length. */
const TEXTS = /** @type {Record<string, (length: number) => string>} */ ({
  'of ASCII': (length) => `'abcdefg'.repeat(${length}).slice(0, ${length})`,
  'with escapes': (length) => `'"\\\\\\n\\t\\0 x'.repeat(${length}).slice(0, ${length})`,
  'of Latin-1': (length) => `'\\xe9\\xff\\x7f\\x80'.repeat(${length}).slice(0, ${length})`,
  'of any script': (length) => `'\\u4e2d\\ud83d\\ude00a'.repeat(${length}).slice(0, ${length})`,
  'with lone surrogates': (length) => `'\\udc00x\\ud800'.repeat(${length}).slice(0, ${length})`,
  'in pieces': (length) =>
    `(() => { let text = ''; while (text.length < ${length}) text += 'piece ' + text.length;
      return text.slice(0, ${length}) })()`,
});

describe.each(Object.entries(TEXTS))('a long text %s', (_name, sourceOf) => {
  test.each(LENGTHS)('crosses whole in both directions: %i characters', async (length) => {
    const text = new Function(`return ${sourceOf(length)}`)();
    expect(text).toHaveLength(length);
    const got = [];
    const outcome = await run({
      source: `
        const text = ${sourceOf(length)};
        const back = await host.echo(text);
        const nested = await host.echo({ text, more: [text.slice(1)] });
        return [back === text, nested.text === text, nested.more[0] === text.slice(1),
          back.length, back.charCodeAt(back.length - 1), (back + 'x').slice(-3) === text.slice(-2) + 'x'];`,
      namespaces: {
        host: {
          echo: (value) => {
            got.push(value);
            return value;
          },
        },
      },
    });
    expect(outcome.value).toEqual([true, true, true, length, text.charCodeAt(length - 1), true]);
    expect(got[0] === text).toBe(true);
    expect(got[1].text === text).toBe(true);
  });

  test('is a result as well', async () => {
    const { value } = await run({ source: `return ${sourceOf(70_000)}` });
    expect(value === new Function(`return ${sourceOf(70_000)}`)()).toBe(true);
  });
});

test.each([
  ['one byte each', "'x'", 99_000, 101_000],
  ['two bytes each', "'\\u4e2d'", 49_000, 51_000],
])('the characters of a long text count: %s', async (_name, character, fits, exceeds) => {
  const limits = { resultBytes: 100_000 };
  const source = (length) => `return ${character}.repeat(${length})`;
  expect(await run({ source: source(fits), limits })).toMatchObject({ cause: 'finished' });
  expect(await run({ source: source(exceeds), limits })).toMatchObject({ cause: 'output' });
});

test.each(["'x'", "'\\u4e2d'"])(
  'long texts count as memory of the guest: %s',
  async (character) => {
    const text = new Function(`return ${character}.repeat(2 ** 20)`)();
    const outcome = await run({
      source: 'const kept = []; for (;;) kept.push(await host.text())',
      namespaces: { host: { text: () => text } },
      limits: { memoryBytes: 64 * 2 ** 20 },
    });
    expect(outcome).toMatchObject({ cause: 'memory' });
    expect(outcome.facts.calls.length).toBeLessThan(80);
  },
);
