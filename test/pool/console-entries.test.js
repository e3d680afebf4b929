'use strict';

const { differenceBetween } = require('../support/difference.js');
const { usePool } = require('../support/pools.js');

const { run } = usePool();

async function entriesOf(source, request = {}) {
  const outcome = await run({ source, console: 'entries', values: 'clone', ...request });
  expect(outcome.cause).toBe('finished');
  return outcome.logs;
}

const argsOf = async (source, request) =>
  (await entriesOf(source, request)).map(({ args }) => args);

test('an entry has its level, its time and its arguments, and no text', async () => {
  const before = Date.now();
  const [entry] = await entriesOf('console.warn("a", 1, { b: [2] })');
  expect(entry).toEqual({
    level: 'warn',
    timestamp: expect.any(Number),
    args: ['a', 1, { b: [2] }],
  });
  expect(entry.timestamp).toBeGreaterThanOrEqual(before - 1);
  expect(entry.timestamp).toBeLessThanOrEqual(Date.now() + 1);
});

test('a call without arguments is an entry without arguments', async () => {
  expect(await argsOf('console.log()')).toEqual([[]]);
  expect(await argsOf('console.log()', { values: 'json' })).toEqual([[]]);
});

test('arguments are copied as structured clone does', async () => {
  const source = `
    const shared = { list: [1] };
    const cyclic = {}; cyclic.self = cyclic;
    console.log(undefined, null, -0, NaN, 1n, new Map([[1, new Set([2])]]), new Date(5), new Uint8Array([1]), [shared, shared], cyclic);
    shared.list.push('later')`;
  const shared = { list: [1] };
  const cyclic = {};
  cyclic.self = cyclic;
  /** @type {unknown[]} */
  const expected = [undefined, null, -0, NaN, 1n, new Map([[1, new Set([2])]]), new Date(5)];
  expected.push(new Uint8Array([1]), [shared, shared], cyclic);
  const [args] = await argsOf(source);
  expect(differenceBetween(args, expected)).toBe('');
});

test('what cannot cross is text, and costs the other arguments nothing', async () => {
  const source = `
    class Mine { toString() { return 'mine' } }
    console.log(1, Symbol('s'), new Error('e'), () => 1, new WeakMap(), new Mine(), 2)`;
  const [args] = await argsOf(source);
  expect(args).toEqual([
    1,
    'Symbol(s)',
    'Error: e',
    '() => 1',
    expect.any(String),
    expect.any(String),
    2,
  ]);
});

test('under the JSON profile, what JSON cannot say is text', async () => {
  const source = 'console.log({ a: [1] }, 1n, NaN, new Map(), undefined)';
  const [args] = await argsOf(source, { values: 'json' });
  expect(args).toEqual([{ a: [1] }, '1', 'NaN', '{}', undefined]);
});

test('getters are read once', async () => {
  const source = `
    let reads = 0;
    console.log({ get a() { return reads++ === 0 ? 'first' : Symbol('second') } });
    return reads`;
  const outcome = await run({ source, console: 'entries' });
  expect(outcome.logs.map(({ args }) => args)).toEqual([[{ a: 'first' }]]);
  expect(outcome.value).toBe(1);
});

test('a getter that throws makes text of its object, and the guest goes on', async () => {
  const source = 'console.log(1, { get a() { throw new Error("no") } }); return "on"';
  const outcome = await run({ source, console: 'entries', values: 'clone' });
  expect(outcome.value).toBe('on');
  expect(outcome.logs[0].args).toEqual([1, '[object Object]']);
});

test('entries that do not fit are left out whole, and that is told', async () => {
  const source = 'console.log("small"); console.log("x".repeat(1000)); console.log("also small")';
  const outcome = await run({
    source,
    console: 'entries',
    values: 'clone',
    limits: { logChars: 100 },
  });
  expect(outcome.logs.map(({ args }) => args)).toEqual([['small'], ['also small']]);
  expect(outcome.logsTruncated).toBe(true);
});

test('an argument larger than any value may be does not vanish without a word', async () => {
  const source = 'console.log("x".repeat(1000)); console.log("small")';
  const outcome = await run({ source, console: 'entries', limits: { valueBytes: 100 } });
  expect(outcome.logs.at(-1)?.args).toEqual(['small']);
  expect(outcome.logsTruncated || outcome.logs.length === 2).toBe(true);
});

test('only as many entries are kept as lines', async () => {
  const source = 'for (let i = 0; i < 5; i++) console.log(i)';
  const outcome = await run({ source, console: 'entries', limits: { logLines: 2 } });
  expect(outcome.logs.map(({ args }) => args)).toEqual([[0], [1]]);
  expect(outcome.logsTruncated).toBe(true);
});

test('logging functions does not use up those a guest may hand out', async () => {
  const source = `
    for (let i = 0; i < 12_000; i++) console.log({ f() {} });
    return host.call(() => 'called')`;
  const outcome = await run({
    source,
    console: 'entries',
    values: 'clone',
    limits: { logLines: 100 },
    namespaces: { host: { call: (f) => f() } },
  });
  expect(outcome).toMatchObject({ ok: true, value: 'called' });
});

test('entries may have a lexical console', async () => {
  const source = 'console.log(1); return "console" in globalThis';
  const outcome = await run({ source, console: { mode: 'entries', scope: 'lexical' } });
  expect(outcome.value).toBe(false);
  expect(outcome.logs.map(({ args }) => args)).toEqual([[1]]);
});
