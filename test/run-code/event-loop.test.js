'use strict';
// 13.7

const { runChild } = require('../support/child.js');
const { sleep, until } = require('../support/time.js');
const { useRunCode } = require('./use-run-code.js');

const used = useRunCode();
const { runJs, resultOf, errorOf } = used;

test('microtasks run in their order', async () => {
  const source = `
    const order = [];
    queueMicrotask(() => { order.push('micro 1'); queueMicrotask(() => order.push('micro 3')) });
    Promise.resolve().then(() => order.push('then 2'));
    (async () => { order.push('sync'); await null; order.push('await'); })();
    order.push('end');
    export default async () => { for (let i = 0; i < 5; i++) await null; return order }`;
  expect(await resultOf(source)).toEqual(['sync', 'end', 'micro 1', 'then 2', 'await', 'micro 3']);
});

test('queueMicrotask refuses what it cannot call, and is the guest to shadow', async () => {
  expect(await errorOf('queueMicrotask(5)')).toMatchObject({ status: 'error', name: 'TypeError' });
  expect(await resultOf('const queueMicrotask = 1; export default queueMicrotask')).toBe(1);
  const globals = { queueMicrotask: 'mine' };
  expect(await resultOf('export default queueMicrotask', { globals })).toBe('mine');
});

test('a microtask that throws harms nobody else, and writes nothing to the host', async () => {
  const { stdout, stderr, reports } = await runChild(async ({ require, report }) => {
    const { runCode } = require('../../lib/run-code/index.js');
    const source = `queueMicrotask(() => { throw new Error('lost') });
      export default async () => { await 0; await 0; return 'went on' }`;
    report((await runCode(source)).result);
  });
  expect({ reports, stderr }).toEqual({ reports: ['went on'], stderr: '' });
  expect(stdout).not.toContain('lost');
});

test('a rejection that nobody handles harms nobody', async () => {
  expect(await resultOf('Promise.reject(new Error("lost")); export default 1')).toBe(1);
});

test('microtasks of a guest that is done are over', async () => {
  const touch = jest.fn();
  await resultOf(
    'export default 1; (async () => { await 0; for (let i = 0; i < 100; i++) await 0; touch() })()',
    {
      globals: { touch },
    },
  );
  await sleep(20);
  expect(touch.mock.calls.length).toBeLessThanOrEqual(1);
});

test('MUST: there are no timers unless they are bridged', async () => {
  expect(await resultOf('export default [typeof setTimeout, typeof setInterval]')).toEqual([
    'undefined',
    'undefined',
  ]);
  const globals = { setTimeout: (callback, ms) => void setTimeout(callback, ms) };
  const source = `export default () => new Promise((resolve) => setTimeout(() => resolve('rang'), 10))`;
  expect(await resultOf(source, { globals })).toBe('rang');
});

test('MUST: top-level await works, in the entry and in modules', async () => {
  const modules = { './m.js': 'export const m = await host(2)' };
  const source = `
    import { m } from './m.js';
    const e = await host(1);
    for await (const x of [host(3)]) var last = x;
    export default [e, m, last]`;
  const globals = { host: async (n) => n * 10 };
  expect(await resultOf(source, { modules, globals })).toEqual([10, 20, 30]);
});

test('MUST: a module completes when its top level and then the export have settled', async () => {
  const order = [];
  const globals = { mark: async (text) => void order.push(text) };
  const source = `
    await mark('top level');
    export default async () => { await mark('export'); return 'done' }`;
  expect(await resultOf(source, { globals })).toBe('done');
  expect(order).toEqual(['top level', 'export']);
});

test('guests do not share a microtask queue: one that never yields does not hold up another', async () => {
  const busy = runJs('export default async () => { for (;;) await null }');
  expect(await resultOf('export default async () => { await null; return 1 }')).toBe(1);
  busy.terminate();
  expect(await busy).toMatchObject({ status: 'terminated' });
});

test('MUST NOT: no deadline is invented: a run that can never finish waits, parked', async () => {
  const handle = runJs('console.log("waiting"); export default new Promise(() => {})');
  await sleep(300);
  expect(handle.running).toBe(true);
  expect(handle.logs).toHaveLength(1);
  await until(() => used.pool.stats().parked === 1);
  expect(used.pool.stats().running).toBe(0);
  handle.terminate('enough');
  expect(await handle).toMatchObject({ status: 'terminated', error: { message: 'enough' } });
});

test('a run that waits costs no CPU time', async () => {
  // Alone in its process: threads that other tests have lost go on computing.
  const { reports } = await runChild(async ({ require, report, sleep: pause }) => {
    const { runCode } = require('../../lib/run-code/index.js');
    const handle = runCode('export default new Promise(() => {})', {});
    await pause(300);
    const before = process.cpuUsage();
    await pause(200);
    const { user, system } = process.cpuUsage(before);
    handle.terminate();
    report({ status: (await handle).status, isCheap: user + system < 100_000 });
  });
  expect(reports).toEqual([{ status: 'terminated', isCheap: true }]);
});

test('a hundred runs that wait hold no threads', async () => {
  const handles = Array.from({ length: 100 }, () => runJs('await new Promise(() => {})'));
  while (used.pool.stats().parked < 100) await sleep(5);
  expect(await resultOf('export default 1')).toBe(1);
  for (const handle of handles) handle.terminate();
  const endings = await Promise.all(handles);
  expect(new Set(endings.map(({ status }) => status))).toEqual(new Set(['terminated']));
});
