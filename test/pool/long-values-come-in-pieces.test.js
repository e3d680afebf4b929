'use strict';

const { usePool } = require('../support/pools.js');

const { run, valueOf } = usePool();

// Each is made by the guest and by the host, from the same text, and must be the same on both sides.
const VALUES = {
  'an array of records':
    'Array.from({ length: 20000 }, (_, i) => ({ id: i, name: `n${i}`, half: i / 2, tags: [i, null, true] }))',
  'an array of numbers': 'Array.from({ length: 300000 }, (_, i) => i)',
  'an object of many names':
    'Object.fromEntries(Array.from({ length: 20000 }, (_, i) => [`key${i}`, { i }]))',
  'names that are numbers, and others between them':
    'Object.fromEntries(Array.from({ length: 20000 }, (_, i) => [i % 2 ? `k${i}` : (i * 7) % 65536, `v${i}`]))',
  'names with escapes':
    'Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`"\\\\\\n\\u20ac${i}`, { [`"${i}`]: [i] }]))',
  'long strings between short ones':
    '({ a: 1, s: "x".repeat(40000), list: [1, "y".repeat(50000), { z: "\\u20ac".repeat(40000), after: [2] }, 3], end: "e" })',
  'long strings with everything in them':
    '["\\n\\"\\\\\\u00e9".repeat(20000), "\\ud800".repeat(40000), [["z".repeat(33000)]]]',
  'the same object many times':
    '((o) => Array.from({ length: 3000 }, () => o))({ a: ["b".repeat(200)], c: { d: 1 } })',
  'the same long array twice':
    '((list) => ({ first: list, between: 1, second: list, both: [list, list] }))(Array.from({ length: 20000 }, (_, i) => [i, `${i}`]))',
  'the same long string twice': '((s) => [s, [s, { s }]])("q".repeat(40000))',
  'arrays in arrays':
    'Array.from({ length: 300 }, (_, i) => Array.from({ length: 300 }, (_, j) => [i * j, [j]]))',
  'deep on both sides':
    '((deep) => [deep(200), Array.from({ length: 20000 }, (_, i) => `text ${i}`), deep(200)])((n) => { let a = { end: [1] }; for (let i = 0; i < n; i++) a = i % 2 ? [a, i] : { i, a, z: [i] }; return a; })',
  'empty ones between long ones':
    '[[], {}, Array.from({ length: 20000 }, () => []), {}, Array.from({ length: 20000 }, () => ({})), []]',
};

describe.each(/** @type {const} */ (['json', 'clone']))('under the %s profile', (values) => {
  test.each(Object.entries(VALUES))('%s', async (_, text) => {
    const expected = eval(`(${text})`);
    const host = { take: null };
    const take = (value) => {
      host.take = value;
      return value;
    };
    const result = await valueOf({
      source: `const value = ${text}; const back = await t.take(value); return [back, JSON.stringify(back) === JSON.stringify(value)]`,
      values,
      namespaces: { t: { take } },
    });
    expect(JSON.stringify(host.take)).toBe(JSON.stringify(expected));
    expect(JSON.stringify(result[0])).toBe(JSON.stringify(expected));
    expect(result[1]).toBe(true);
  });
});

test('a property called __proto__ is one like any other', async () => {
  const value = await valueOf({
    source: `
      const list = Array.from({ length: 20000 }, (_, i) => ({ i, ['__proto__']: { polluted: i } }));
      return { list, ['__proto__']: { long: 'x'.repeat(40000) } };`,
  });
  expect(value.long).toBeUndefined();
  expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value.long).toHaveLength(40000);
  expect(Object.hasOwn(value.list[19999], '__proto__')).toBe(true);
  expect(value.list[19999].polluted).toBeUndefined();
});

test('cycles and shared objects are kept in long clones', async () => {
  const value = await valueOf({
    source: `
      const shared = { shared: true };
      const list = Array.from({ length: 30000 }, (_, i) => ({ i, shared, map: new Map([[shared, i]]) }));
      list.push(list);
      return list;`,
    values: 'clone',
  });
  expect(value[30000]).toBe(value);
  expect(value[0].shared).toBe(value[29999].shared);
  expect([...value[777].map]).toEqual([[value[0].shared, 777]]);
});

test('runs are answered in turn while the values of another are rebuilt', async () => {
  const order = [];
  const long = run({
    source: 'return Array.from({ length: 80000 }, (_, i) => ({ ["k" + i]: i }))',
    limits: { wallMs: 20_000 },
  }).then(() => order.push('long'));
  const short = (async () => {
    while (!order.includes('long')) {
      await run({ source: 'return 1' });
      order.push('short');
    }
  })();
  await Promise.all([long, short]);
  expect(order.filter((one) => one === 'short').length).toBeGreaterThan(2);
});

test('what takes more memory to rebuild than the guest may use is refused, and says so', async () => {
  const outcome = await run({
    source: 'return await t.take(Array.from({ length: 60000 }, () => new Map()))',
    values: 'clone',
    limits: { memoryBytes: 8 * 2 ** 20, valueObjects: 1e6 },
    namespaces: { t: { take: () => 1 } },
  });
  expect(outcome.ok).toBe(false);
  expect(['guest_error', 'memory']).toContain(outcome.cause);
});

test('what takes too long to rebuild is refused, and says so', async () => {
  const outcome = await run({
    source: 'return Array.from({ length: 120000 }, (_, i) => new RegExp("r" + i))',
    values: 'clone',
    limits: { memoryBytes: 256 * 2 ** 20 },
  });
  expect(outcome).toMatchObject({ ok: false, cause: 'output' });
  expect(outcome.error?.message).toMatch(/takes too long to rebuild/);
});

test('unanswered calls may cost the host as much memory as the guest may use', async () => {
  let answered = 0;
  const outcome = await run({
    source: `
      const value = new Array(100000).fill({});
      await t.now(value); await t.now(value); await t.now(value); await t.now(value);
      await t.now(value); await t.now(value); await t.now(value); await t.now(value);
      for (let i = 0; i < 20; i++) t.never(value);
      return 'done';`,
    namespaces: { t: { now: () => (answered += 1), never: () => new Promise(() => {}) } },
    limits: { memoryBytes: 32 * 2 ** 20 },
  });
  expect(outcome).toMatchObject({ ok: false, cause: 'calls' });
  expect(answered).toBe(8);
});
