'use strict';

const { runChild } = require('../support/child.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');

disposeAfterEach();

describe.each(/** @type {const} */ (['json', 'clone']))('under the profile %s', (values) => {
  test('a result above limits.resultBytes ends the run with `output`', async () => {
    const pool = openPool();
    const limits = { resultBytes: 1000 };
    for (const source of [
      'return "x".repeat(1001)',
      'return Array.from({ length: 500 }, (_, i) => i)',
      'return { a: { b: { c: "x".repeat(1001) } } }',
      'return "ü".repeat(1001)',
    ]) {
      const outcome = await pool.run({ source, values, limits });
      expect(outcome).toMatchObject({ ok: false, cause: 'output' });
      expect(outcome.value).toBeUndefined();
    }
    expect(pool.stats().outcomes.output).toBe(4);
  });

  test('a result within it crosses', async () => {
    const pool = openPool();
    const limits = { resultBytes: 1000 };
    const outcome = await pool.run({ source: 'return "x".repeat(900)', values, limits });
    expect(outcome).toMatchObject({ ok: true, value: 'x'.repeat(900) });
  });

  test('the whole of the limit can be used by a large result', async () => {
    const pool = openPool();
    const outcome = await pool.run({ source: 'return "x".repeat(8e6)', values });
    expect(outcome.value).toHaveLength(8e6);
  });
});

test('limits.valueBytes holds for results and arguments', async () => {
  const pool = openPool();
  const limits = { valueBytes: 1000 };
  const result = await pool.run({ source: 'return "x".repeat(1001)', limits });
  expect(result.cause).toBe('output');
  const argument = await pool.run({
    source: 'try { await host.take("x".repeat(1001)) } catch (error) { return error.code }',
    namespaces: { host: { take: () => {} } },
    limits,
  });
  expect(argument).toMatchObject({ ok: true, value: 'serialization_error' });
});

test('a result that refers to one string a million times costs bounded memory', async () => {
  const child = await runChild(
    async ({ IsolatePool, report }) => {
      const pool = new IsolatePool();
      await pool.prewarm(1);
      const before = process.resourceUsage().maxRSS;
      const source = 'const s = "x".repeat(1e6); return Array.from({ length: 1e6 }, () => s)';
      const limits = { memoryBytes: 64 * 2 ** 20, resultBytes: 2 ** 20 };
      const { cause } = await pool.run({ source, limits });
      report([cause, (process.resourceUsage().maxRSS - before) / 1024]);
    },
    { boundMs: 15_000 },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports[0][0]).toBe('output');
  expect(child.reports[0][1]).toBeLessThan(192);
});
