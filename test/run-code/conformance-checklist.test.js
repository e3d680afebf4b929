'use strict';
// 13.9, point by point. The other files of this folder look at each point more closely.

const { threadState } = require('../../lib/run-code/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { sleep } = require('../support/time.js');
const { useRunCode } = require('./use-run-code.js');

const used = useRunCode();
const { runCode } = used;

test('1. ThreadState.runCode(source, options?) returns a CodeExecution handle', async () => {
  const state = threadState({}, { pool: used.pool });
  const handle = state.runCode('export default 1');
  expect(handle).toMatchObject({ running: true, reports: [], logs: [] });
  expect([typeof handle.then, typeof handle.terminate]).toEqual(['function', 'function']);
  expect(await handle).toMatchObject({ status: 'success', result: 1 });
});

test('2. TypeScript source is accepted by default and evaluated as an ES module', async () => {
  const source = `
    interface Point { x: number }
    const here: Point = { x: await Promise.resolve(1) };
    export default [here, import.meta.url, this === undefined] as const`;
  expect(await runCode(source)).toMatchObject({ result: [{ x: 1 }, 'sandbox:<runCode>', true] });
});

test('3. bare specifiers come only from imports, relative ones only from modules, others fail', async () => {
  const options = { imports: { pkg: { a: 1 } }, modules: { './m': 'export const b = 2' } };
  const source = `import { a } from 'pkg'; import { b } from './m'; export default [a, b]`;
  expect(await runCode(source, options)).toMatchObject({ result: [1, 2] });
  for (const specifier of ['m', './pkg', 'other', './other', 'https://example.com/x.js', '/m']) {
    const ending = await runCode(`import '${specifier}'; export default 1`, options);
    expect(ending).toMatchObject({ status: 'link_error', error: { specifier } });
  }
});

test('4. globals are installed at module scope, not on globalThis', async () => {
  const source = `export default [given, 'given' in globalThis, Object.keys(globalThis)]`;
  expect(await runCode(source, { globals: { given: 1 } })).toMatchObject({
    result: [1, false, []],
  });
});

test('5. globalThis has only the intrinsics of ECMAScript', async () => {
  const hosts = [
    'fetch',
    'setTimeout',
    'console',
    'process',
    'require',
    'Buffer',
    'URL',
    'WebAssembly',
    'queueMicrotask',
  ];
  const source = `export default ${JSON.stringify(hosts)}.filter((name) => name in globalThis)`;
  expect(await runCode(source)).toMatchObject({ result: [] });
});

test('6. eval, new Function, SharedArrayBuffer, Atomics and URL imports are rejected', async () => {
  const attempts = [
    'eval("1")',
    'new Function("1")',
    'new SharedArrayBuffer(1)',
    'Atomics.wait',
    'await import("https://example.com/x.js")',
  ];
  for (const attempt of attempts) {
    const { status } = await runCode(`export default async () => ${attempt}`);
    expect(status).toMatch(/^(error|link_error)$/);
  }
});

test('7. memoryLimitBytes is enforced, with status memory', async () => {
  const source = 'const kept: number[][] = []; for (;;) kept.push(new Array(1000).fill(0))';
  const { status, error } = await runCode(source, { memoryLimitBytes: 24 * 2 ** 20 });
  expect(status).toBe('memory');
  expect(error.message).toContain(String(24 * 2 ** 20));
});

test('8. the handle settles as terminated within 50 ms of terminate()', async () => {
  for (const source of ['for (;;);', 'await new Promise(() => {})', 'for (;;) await null']) {
    const handle = runCode(source);
    await sleep(30);
    const elapsedMs = startStopwatch();
    handle.terminate('deadline of the caller');
    const { status, error } = await handle;
    // Other tests may share the processor.
    expect(elapsedMs()).toBeLessThan(150);
    expect({ status, message: error.message }).toEqual({
      status: 'terminated',
      message: 'deadline of the caller',
    });
  }
});

test('9. values cross as structured clones and callable proxies, and share nothing', async () => {
  const given = { map: new Map([['k', new Date(0)]]) };
  const source = 'export default async (g) => { g.map.set("new", await double(21)); return g }';
  const { result } = await runCode(source, {
    execute: { args: [given] },
    globals: { double: (n) => n * 2 },
  });
  expect([...result.map.keys()]).toEqual(['k', 'new']);
  expect(result.map.get('new')).toBe(42);
  expect([...given.map.keys()]).toEqual(['k']);
});

test('10. the configured export is resolved', async () => {
  const source =
    'export const main = (n: number) => ({ then(resolve) { resolve(Promise.resolve(n + 1)) } }); export const n = 1';
  expect(await runCode(source, { execute: { fn: 'main', args: [1] } })).toMatchObject({
    status: 'success',
    result: 2,
  });
  expect(await runCode(source, { execute: { fn: 'nope' } })).toMatchObject({
    status: 'link_error',
  });
  expect(await runCode(source, { execute: { fn: 'n', args: [1] } })).toMatchObject({
    status: 'error',
  });
});

test('11. the status is one of the five', async () => {
  const hungry = 'const kept = []; for (;;) kept.push(new Array(1000))';
  const handle = runCode('for (;;);');
  handle.terminate();
  const endings = await Promise.all([
    runCode('export default 1'),
    runCode('throw new Error("x")'),
    runCode('import "nope"'),
    runCode(hungry, { memoryLimitBytes: 16 * 2 ** 20 }),
    handle,
  ]);
  expect(endings.map(({ status }) => status)).toEqual([
    'success',
    'error',
    'link_error',
    'memory',
    'terminated',
  ]);
});

test('12. every call has a fresh isolate and leaks nothing into the next', async () => {
  const source =
    'globalThis.n = (globalThis.n ?? 0) + 1; Array.prototype.x = 1; export default [globalThis.n, m]; import { m } from "./m"';
  const modules = { './m': 'export let m = 0; m++' };
  for (let i = 0; i < 3; i++) {
    expect(await runCode(source, { modules })).toMatchObject({ result: [1, 1] });
  }
});

test('SHOULD: console.* is captured when no console global is supplied', async () => {
  const { logs } = await runCode('console.warn("careful", { n: 1 }); export default 1');
  expect(logs).toEqual([
    { level: 'warn', args: ['careful', { n: 1 }], timestamp: expect.any(Number) },
  ]);
});

test('SHOULD: syntactic and linker errors have line and column of the source', async () => {
  const syntax = await runCode('const a: number = 1;\nconst b = = 2;', { filename: 'a.ts' });
  expect(syntax).toMatchObject({
    status: 'link_error',
    error: { filename: 'a.ts', line: 2, column: 11 },
  });
  const linker = await runCode('type T = 1;\nimport x from "nope";\nexport default x', {
    filename: 'a.ts',
  });
  expect(linker).toMatchObject({
    status: 'link_error',
    error: { filename: 'a.ts', line: 2, column: 15 },
  });
});

test('SHOULD: terminate() is called when state.execution.abortSignal fires', async () => {
  const controller = new AbortController();
  const state = threadState({ execution: { abortSignal: controller.signal } }, { pool: used.pool });
  const handle = state.runCode('for (;;);');
  setTimeout(() => controller.abort('thread aborted'), 20);
  expect(await handle).toMatchObject({
    status: 'terminated',
    error: { message: 'thread aborted' },
  });
});
