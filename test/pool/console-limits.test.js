'use strict';

const { usePool } = require('../support/pools.js');

const { run } = usePool();

async function capture(source, limits) {
  const { cause, logs, logsTruncated } = await run({ source, limits });
  expect(cause).toBe('finished');
  return { lines: logs.map(({ text }) => text), logsTruncated };
}

const logAll = (...texts) => texts.map((text) => `console.log(${JSON.stringify(text)})`).join(';');

test.each([
  ['the earliest lines are kept', { logLines: 2 }, ['a', 'b', 'c'], ['a', 'b'], true],
  ['as many lines as fit are not cut', { logLines: 3 }, ['a', 'b', 'c'], ['a', 'b', 'c'], false],
  ['no line at all', { logLines: 0 }, ['a'], [], true],
  ['empty lines count as lines', { logLines: 2 }, ['', '', 'x'], ['', ''], true],
  ['characters count across lines', { logChars: 5 }, ['abc', 'defg', 'h'], ['abc', 'de'], true],
  ['as many characters as fit are not cut', { logChars: 6 }, ['abc', 'def'], ['abc', 'def'], false],
  ['a line that begins at the limit is dropped', { logChars: 3 }, ['abc', 'd'], ['abc'], true],
  ['a first line that is too long is clipped', { logChars: 2 }, ['abcdef'], ['ab'], true],
  ['nothing follows a clipped line', { logChars: 4 }, ['abc', 'defg', '', 'h'], ['abc', 'd'], true],
  ['no character at all', { logChars: 0 }, ['a'], [], true],
  ['lines come before characters', { logLines: 1, logChars: 5 }, ['abc', 'def'], ['abc'], true],
  ['characters are those of JavaScript', { logChars: 4 }, ['日本', 'éü!'], ['日本', 'éü'], true],
  ['a character of two units is not split', { logChars: 2 }, ['a😀b'], ['a'], true],
  ['a character of two units counts twice', { logChars: 3 }, ['a😀b'], ['a😀'], true],
])('%s', async (_name, limits, texts, lines, logsTruncated) => {
  expect(await capture(logAll(...texts), limits)).toEqual({ lines, logsTruncated });
});

test('without console calls nothing is truncated', async () => {
  expect(await capture('return 1', { logLines: 0, logChars: 0 })).toEqual({
    lines: [],
    logsTruncated: false,
  });
});

test('spaces between arguments count', async () => {
  expect(await capture('console.log("a", "b", "c")', { logChars: 4 })).toEqual({
    lines: ['a b '],
    logsTruncated: true,
  });
});

test('the defaults keep 10,000 lines', async () => {
  const { lines, logsTruncated } = await capture('for (let i = 0; i < 10_001; i++) console.log(i)');
  expect(lines).toHaveLength(10_000);
  expect([lines[0], lines[9_999]]).toEqual(['0', '9999']);
  expect(logsTruncated).toBe(true);
});

test('the defaults keep 4 MiB of characters', async () => {
  const { lines, logsTruncated } = await capture(
    'for (let i = 0; i < 5; i++) console.log("x".repeat(2 ** 20))',
  );
  expect(lines.map((line) => line?.length)).toEqual([2 ** 20, 2 ** 20, 2 ** 20, 2 ** 20]);
  expect(logsTruncated).toBe(true);
});

test('a run ends as it would without the limit', async () => {
  const source = 'for (let i = 0; i < 1000; i++) console.log(i); return "done"';
  expect(await run({ source, limits: { logLines: 1 } })).toMatchObject({ ok: true, value: 'done' });
});

test('arguments that would not be kept are not formatted', async () => {
  const source = `
    let formatted = 0;
    const counting = { toJSON: () => ++formatted };
    for (let i = 0; i < 1000; i++) console.log(counting);
    return formatted`;
  expect(await run({ source, limits: { logLines: 3 } })).toMatchObject({ value: 3 });
});

test('a flood costs bounded memory, and only what is kept is posted', async () => {
  const heard = jest.fn();
  const before = process.memoryUsage().rss;
  const outcome = await run({
    source: 'const line = "x".repeat(10_000); for (let i = 0; i < 100_000; i++) console.log(line)',
    limits: { logChars: 50_000 },
    onLog: heard,
  });
  expect(outcome).toMatchObject({ ok: true, logsTruncated: true });
  expect(outcome.logs).toHaveLength(5);
  expect(heard).toHaveBeenCalledTimes(5);
  // The guest wrote a gigabyte.
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
});

test('one line far longer than the limit is clipped', async () => {
  const outcome = await run({
    source: 'console.log("x".repeat(2 ** 24))',
    limits: { logChars: 100 },
  });
  expect(outcome.logs.map(({ text }) => text)).toEqual(['x'.repeat(100)]);
});
