'use strict';

const { runChild } = require('../support/child.js');

const MiB = 2 ** 20;

// Each holds most of what it may, or makes a lot of garbage, and comes to its end.
const GUESTS = {
  'an array of nearly the limit': {
    limitMiB: 64,
    source:
      'const kept = []; for (let i = 0; i < 6000; i++) kept.push(new Array(1000).fill(1.5)); return kept.length',
    value: 6000,
  },
  'ArrayBuffers of nearly the limit': {
    limitMiB: 64,
    source:
      'const kept = []; for (let i = 0; i < 56; i++) kept.push(new ArrayBuffer(2 ** 20)); return kept.length',
    value: 56,
  },
  'one ArrayBuffer of nearly the limit': {
    limitMiB: 64,
    source: 'return new ArrayBuffer(56 * 2 ** 20).byteLength',
    value: 56 * MiB,
  },
  'many small buffers that become garbage': {
    limitMiB: 16,
    source: 'for (let i = 0; i < 200_000; i++) new Uint8Array(1000); return "done"',
    value: 'done',
  },
  'large buffers that become garbage': {
    limitMiB: 16,
    source: 'for (let i = 0; i < 300; i++) new Uint8Array(4 * 2 ** 20); return "done"',
    value: 'done',
  },
  'buffers of half the limit, one after the other': {
    limitMiB: 32,
    source:
      'let kept; for (let i = 0; i < 100; i++) kept = new Uint8Array(12 * 2 ** 20).fill(1); return kept.length',
    value: 12 * MiB,
  },
  'buffers that become garbage over many turns': {
    limitMiB: 16,
    source:
      'for (let i = 0; i < 300; i++) { new Uint8Array(2 ** 20); await host.ping() } return "done"',
    value: 'done',
  },
  'arrays that become garbage': {
    limitMiB: 16,
    source: 'for (let i = 0; i < 20_000; i++) new Array(1000).fill(1.5); return "done"',
    value: 'done',
  },
  'strings that become garbage': {
    limitMiB: 16,
    source:
      'let n = 0; for (let i = 0; i < 20_000; i++) n += String(i).padEnd(10_000).length; return n',
    value: 2e8,
  },
  'replies that become garbage': {
    limitMiB: 16,
    source: 'let n = 0; for (let i = 0; i < 300; i++) n += (await host.large()).length; return n',
    value: 3e7,
  },
  'the smallest limit': {
    limitMiB: 8,
    source: 'return [1, 2, 3].map((n) => n * 2)',
    value: [2, 4, 6],
  },
  'a limit of four gigabytes': {
    limitMiB: 4096,
    source: 'return "x".repeat(1e6).length',
    value: 1e6,
  },
};

test.each(Object.entries(GUESTS))('%s: finishes', async (_name, { limitMiB, source, value }) => {
  const child = await runChild(
    async ({ IsolatePool, report }, { guest, memoryBytes }) => {
      const pool = new IsolatePool({ threads: 1 });
      const text = 'x'.repeat(1e5);
      const namespaces = { host: { ping: () => 1, large: () => text } };
      const outcome = await pool.run({ source: guest, namespaces, limits: { memoryBytes } });
      report([outcome.cause, outcome.value, outcome.facts.peakMemoryBytes > 0]);
    },
    { args: { guest: source, memoryBytes: limitMiB * MiB } },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([['finished', value, true]]);
});

test('a guest that catches its RangeErrors over large buffers finishes', async () => {
  const child = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool({ threads: 1 });
    const source = `
      let name;
      try { new ArrayBuffer(2 ** 53) } catch (error) { name = error.name }
      try { new Array(-1) } catch (error) { name += error.name }
      try { 'x'.repeat(2 ** 30) } catch (error) { name += error.name }
      return name`;
    const outcome = await pool.run({ source });
    report([outcome.cause, outcome.value]);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([['finished', 'RangeErrorRangeErrorRangeError']]);
});

test('runs with limits of their own do not disturb each other', async () => {
  const child = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool({ threads: 2 });
    const hungry = 'const kept = []; for (;;) kept.push(new Array(1000).fill(1.5))';
    const modest = `
      const kept = [];
      for (let i = 0; i < 1500; i++) kept.push(new Array(1000).fill(i / 3));
      return kept.every((one, i) => one[999] === i / 3)`;
    const runs = Array.from({ length: 20 }, (_, i) =>
      pool.run({ source: i % 2 ? hungry : modest, limits: { memoryBytes: 32 * 2 ** 20 } }),
    );
    const outcomes = await Promise.all(runs);
    report(outcomes.map(({ cause, value }) => (cause === 'finished' ? value : cause)));
    await pool.dispose();
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([Array.from({ length: 20 }, (_, i) => (i % 2 ? 'memory' : true))]);
});

test('a hundred guests that run into their limit leave no memory behind', async () => {
  const child = await runChild(
    async ({ IsolatePool, report }) => {
      const pool = new IsolatePool({ threads: 1, warm: { target: 1 } });
      const run = async (count) => {
        for (let i = 0; i < count; i++) {
          const source =
            i % 2
              ? 'const kept = []; for (;;) kept.push(new Array(1000).fill(1.5))'
              : 'const kept = []; for (;;) kept.push(new ArrayBuffer(2 ** 20))';
          const { cause } = await pool.run({ source, limits: { memoryBytes: 16 * 2 ** 20 } });
          if (cause !== 'memory') throw new Error(cause);
        }
        return process.memoryUsage().rss / 2 ** 20;
      };
      const before = await run(20);
      report((await run(80)) - before);
    },
    { boundMs: 25_000 },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports[0]).toBeLessThan(40);
});
