'use strict';

const { runChild } = require('../support/child.js');

const LIMIT_MIB = 32;
// What the limit promises for allocation in steps.
const MAX_GROWTH_MIB = 2 * LIMIT_MIB + 64;

const GUESTS = {
  'arrays of numbers': 'const kept = []; for (;;) kept.push(new Array(1000).fill(1.5))',
  'one array that grows': 'const kept = []; for (;;) kept.push(1.5)',
  strings: 'const kept = []; for (let i = 0; ; i++) kept.push(String(i).padEnd(1000))',
  'ropes that are flattened':
    'const kept = []; for (;;) { let s = ""; for (let i = 0; i < 1000; i++) s += i; kept.push(s, s.charCodeAt(5)) }',
  objects: 'const kept = []; for (let i = 0; ; i++) kept.push({ i, a: i / 3, b: { i } })',
  'a linked list': 'let kept = null; for (;;) kept = { kept }',
  closures: 'const kept = []; for (let i = 0; ; i++) kept.push(() => i)',
  Maps: 'const kept = []; for (;;) { const map = new Map(); for (let i = 0; i < 100; i++) map.set(i, {}); kept.push(map) }',
  'one Map that grows': 'const kept = new Map(); for (let i = 0; ; i++) kept.set(i, i / 3)',
  Sets: 'const kept = new Set(); for (let i = 0; ; i++) kept.add("x" + i)',
  'ArrayBuffers of a megabyte': 'const kept = []; for (;;) kept.push(new ArrayBuffer(2 ** 20))',
  'ArrayBuffers that are written to':
    'const kept = []; for (;;) kept.push(new Uint8Array(2 ** 20).fill(1))',
  'small typed arrays': 'const kept = []; for (;;) kept.push(new Uint8Array(32))',
  'typed arrays of a page': 'const kept = []; for (;;) kept.push(new Float64Array(512).fill(1))',
  promises: 'const kept = []; for (;;) kept.push(new Promise(() => {}).then(() => {}))',
  'queued microtasks': 'for (;;) Promise.resolve().then(() => {})',
  BigInts: 'const kept = []; for (let i = 1n; ; i++) kept.push((1n << 80_000n) + i)',
  classes: 'const kept = []; for (let i = 0; ; i++) kept.push(class { a = i; b() { return i } })',
  'buffers and heap together':
    'const kept = []; for (;;) kept.push(new ArrayBuffer(2 ** 16), new Array(8192).fill(1.5))',
  'growth over many turns':
    'const kept = []; for (;;) { kept.push(new Array(1e5).fill(1.5)); await host.ping() }',
  'replies that are kept': 'const kept = []; for (;;) kept.push(await host.large())',
};

test.each(Object.entries(GUESTS))(
  '%s: ends with `memory`, near the limit',
  async (_name, source) => {
    const child = await runChild(
      async ({ IsolatePool, report, until }, { guest, limitMiB }) => {
        const pool = new IsolatePool({ threads: 1 });
        await pool.prewarm(2);
        const text = 'x'.repeat(1e5);
        const namespaces = { host: { ping: () => 1, large: () => text } };
        const before = process.resourceUsage().maxRSS;
        const limits = { memoryBytes: limitMiB * 2 ** 20, wallMs: 15_000 };
        const { ok, cause, error, facts } = await pool.run({ source: guest, namespaces, limits });
        const grownMiB = (process.resourceUsage().maxRSS - before) / 1024;
        report({
          ok,
          cause,
          name: error?.name,
          grownMiB,
          peakMiB: facts.peakMemoryBytes / 2 ** 20,
        });
        report((await pool.run({ source: 'return 42' })).value);
        // The last collection may take longer than the caller waits; its thread comes back all the same.
        report(await until(() => pool.stats().stuck === 0, 10_000));
      },
      { args: { guest: source, limitMiB: LIMIT_MIB } },
    );
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
    const [answer, after, isThreadBack] = child.reports;
    expect(answer).toMatchObject({ ok: false, cause: 'memory', name: 'MemoryLimitError' });
    expect(answer.grownMiB).toBeLessThan(MAX_GROWTH_MIB);
    expect([after, isThreadBack]).toEqual([42, true]);
  },
);
