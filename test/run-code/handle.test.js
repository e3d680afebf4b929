'use strict';
// The handle and the result (contract 2.3, 2.4)

const { runCode: sharedRunCode, createRunCode } = require('../../lib/run-code/index.js');
const { sleep } = require('../support/time.js');
const { useRunCode } = require('./use-run-code.js');

const used = useRunCode();
const { runCode, runJs } = used;

test('the handle is there at once, and awaiting it gives the result', async () => {
  const handle = runCode('export default 1');
  expect(handle.running).toBe(true);
  expect(typeof handle.then).toBe('function');
  expect(handle).toBeInstanceOf(Promise);
  const result = await handle;
  expect(handle.running).toBe(false);
  expect(result).toEqual({
    status: 'success',
    result: 1,
    reports: [],
    logs: [],
    durationMs: expect.any(Number),
  });
});

test('it can be awaited any number of times, and gives the same result', async () => {
  const handle = runJs('export default {}');
  const [a, b] = await Promise.all([handle, handle]);
  expect(a).toBe(b);
  expect(await handle).toBe(a);
});

test('then, catch and finally work as for promises', async () => {
  const handle = runJs('throw new Error("x")');
  const onRejected = jest.fn();
  const onFinally = jest.fn();
  expect(await handle.then(({ status }) => status, onRejected)).toBe('error');
  expect((await handle.catch(onRejected)).status).toBe('error');
  expect((await handle.finally(onFinally)).status).toBe('error');
  expect(onRejected).not.toHaveBeenCalled();
  expect(onFinally).toHaveBeenCalledTimes(1);
  expect((await handle.then()).status).toBe('error');
});

test.each([
  ['success', 'export default 1', {}],
  ['error', 'throw 1', {}],
  ['link_error', 'import "x"', {}],
  ['memory', 'const a = []; for (;;) a.push(new Array(1000))', { memoryLimitBytes: 16 * 2 ** 20 }],
])('the result of %s has exactly its fields', async (status, source, options) => {
  const ending = await runJs(source, options);
  expect(ending.status).toBe(status);
  const own = status === 'success' ? 'result' : 'error';
  expect(Object.keys(ending).sort()).toEqual(
    ['durationMs', 'logs', 'reports', 'status', own].sort(),
  );
});

test('reports and logs are live, and the arrays of the result are those of the handle', async () => {
  const lengths = [];
  const handle = runJs(
    'report(1); console.log("a"); await look(); report(2); console.log("b"); await look(); export default 0',
    {
      report() {},
      globals: { look: () => void lengths.push([handle.reports.length, handle.logs.length]) },
    },
  );
  const { reports, logs } = handle;
  const ending = await handle;
  expect(lengths).toEqual([
    [1, 1],
    [2, 2],
  ]);
  expect(ending.reports).toBe(reports);
  expect(ending.logs).toBe(logs);
  expect(handle.reports).toBe(reports);
});

test('running is true until the run settles, whatever happens in between', async () => {
  const seen = [];
  const handle = runJs('await look(); export default 1', {
    globals: { look: () => void seen.push(handle.running) },
  });
  await handle.then(() => seen.push(handle.running));
  expect(seen).toEqual([true, false]);
});

test('durationMs is the wall time from call to settlement', async () => {
  const start = performance.now();
  const { durationMs } = await runJs('await host()', { globals: { host: () => sleep(60) } });
  expect(durationMs).toBeGreaterThanOrEqual(58);
  expect(durationMs).toBeLessThanOrEqual(performance.now() - start + 1);
});

test('terminate is a method of the handle, and of nothing else', async () => {
  const handle = runJs('for (;;);');
  expect(() => handle.terminate.call({})).toThrow(TypeError);
  handle.terminate();
  await handle;
});

test('runs go on side by side', async () => {
  const handles = Array.from({ length: 50 }, (_, i) =>
    runJs('export default (i) => i * 2', { execute: { args: [i] } }),
  );
  const results = (await Promise.all(handles)).map(({ result }) => result);
  expect(results).toEqual(Array.from({ length: 50 }, (_, i) => i * 2));
});

test('a run may start another run through the host', async () => {
  const inner = (source) => runJs(source).then(({ result }) => result);
  const source =
    'export default async () => (await inner("export default 20")) + (await inner("export default 22"))';
  expect(await runJs(source, { globals: { inner } })).toMatchObject({ result: 42 });
});

test('the shared runCode works without any setup', async () => {
  const [a, b] = await Promise.all([
    sharedRunCode('export default 1 as number'),
    createRunCode()('export default 2'),
  ]);
  expect([a.result, b.result]).toEqual([1, 2]);
});

describe('a signal for all runs', () => {
  test('terminates those under way and those that come later, with its reason', async () => {
    const controller = new AbortController();
    const run = createRunCode({ pool: used.pool, signal: controller.signal });
    const endless = run('for (;;);');
    const waiting = run('await new Promise(() => {})');
    await sleep(20);
    controller.abort(new Error('shutting down'));
    const later = run('export default 1');
    expect(later.running).toBe(false);
    for (const handle of [endless, waiting, later]) {
      expect(await handle).toMatchObject({
        status: 'terminated',
        error: { message: 'shutting down' },
      });
    }
  });

  test('has no listeners left behind by runs that have ended', async () => {
    const controller = new AbortController();
    const add = jest.spyOn(controller.signal, 'addEventListener');
    const remove = jest.spyOn(controller.signal, 'removeEventListener');
    const run = createRunCode({ pool: used.pool, signal: controller.signal });
    await run('export default 1');
    await run('throw 1');
    await run('const x: = 1');
    expect(add).toHaveBeenCalledTimes(3);
    expect(remove).toHaveBeenCalledTimes(3);
  });
});
