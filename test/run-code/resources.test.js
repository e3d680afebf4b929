'use strict';
// 13.4

const constants = require('../../lib/run-code/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { GUESTS } = require('../support/guests.js');
const { runChild } = require('../support/child.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');
const { sleep } = require('../support/time.js');

const { createRunCode } = constants;
const { useRunCode } = require('./use-run-code.js');

disposeAfterEach();

const MiB = 2 ** 20;
const used = useRunCode({ maxMemoryLimitBytes: 64 * MiB, memoryLimitBytes: 32 * MiB });
const { runJs, resultOf, errorOf } = used;

const HUNGRY = {
  'objects on the heap': 'const kept = []; for (;;) kept.push({ a: [1, 2, 3] })',
  strings:
    "const kept = []; for (let i = 0; ; i++) kept.push(JSON.stringify('x'.repeat(2 ** 16) + i))",
  'array buffers': 'const kept = []; for (;;) kept.push(new Uint8Array(2 ** 20))',
  'a microtask at a time':
    'const kept = []; for (;;) { await null; kept.push(new Array(1000).fill(kept)) }',
  'inside the selected export':
    'export default () => { const kept = []; for (;;) kept.push(new Array(100)) }',
};

test.each(Object.keys(HUNGRY))('MUST: the memory limit holds for %s', async (what) => {
  const { status, error } = await runJs(HUNGRY[what], { memoryLimitBytes: 16 * MiB });
  expect({ status, name: error.name }).toEqual({ status: 'memory', name: 'MemoryLimitExceeded' });
});

test('the message of an overrun names the limit', async () => {
  const { message } = await errorOf(HUNGRY['objects on the heap'], { memoryLimitBytes: 20 * MiB });
  expect(message).toBe(`Code execution exceeded its memory limit of ${20 * MiB} bytes`);
});

test('MUST: a limit above the ceiling is clamped to it, and the message names the effective limit', async () => {
  const { status, message } = await errorOf(HUNGRY['objects on the heap'], {
    memoryLimitBytes: 512 * MiB,
  });
  expect(status).toBe('memory');
  expect(message).toContain(`limit of ${64 * MiB} bytes`);
  expect(message).toContain(String(512 * MiB));
});

test('a limit below what an isolate needs is raised to it, and the message says so', async () => {
  const { status, message } = await errorOf(HUNGRY['objects on the heap'], { memoryLimitBytes: 1 });
  expect(status).toBe('memory');
  expect(message).toContain(`limit of ${constants.MIN_MEMORY_LIMIT_BYTES} bytes`);
  expect(await resultOf('export default 1', { memoryLimitBytes: 0.5 })).toBe(1);
});

test('SHOULD: the default applies when there is no limit, and is documented', async () => {
  expect(constants).toMatchObject({
    MIN_MEMORY_LIMIT_BYTES: 8 * MiB,
    DEFAULT_MEMORY_LIMIT_BYTES: 128 * MiB,
    DEFAULT_MAX_MEMORY_LIMIT_BYTES: 1024 * MiB,
  });
  const { message } = await errorOf(HUNGRY['objects on the heap']);
  expect(message).toContain(`limit of ${32 * MiB} bytes`);
});

test('what stays below the limit is not disturbed', async () => {
  const source = `export default () => {
    let sum = 0;
    for (let i = 0; i < 200; i++) sum += new Array(10_000).fill(1).length;
    return sum }`;
  expect(await resultOf(source, { memoryLimitBytes: 16 * MiB })).toBe(2_000_000);
});

test('reports and logs made before the limit are kept', async () => {
  const source = `report('before'); console.log('before'); ${HUNGRY['objects on the heap']}`;
  const ending = await runJs(source, { memoryLimitBytes: 16 * MiB, report() {} });
  expect(ending).toMatchObject({
    status: 'memory',
    reports: ['before'],
    logs: [{ level: 'log', args: ['before'] }],
  });
});

test('a guest that catches everything does not escape its limit', async () => {
  const source =
    'const kept = []; for (;;) { try { for (;;) kept.push(new Array(1000)) } catch {} }';
  expect(await errorOf(source, { memoryLimitBytes: 16 * MiB })).toMatchObject({ status: 'memory' });
});

test.each([
  ['throws out of memory', "throw new RangeError('out of memory: heap allocation failed')"],
  [
    'throws MemoryLimitExceeded',
    "throw Object.assign(new Error('x'), { name: 'MemoryLimitExceeded' })",
  ],
  ['asks for an invalid array length', 'new Array(-1)'],
])('a guest that %s is an error, not memory', async (_what, statement) => {
  expect(await errorOf(`export default () => { ${statement} }`)).toMatchObject({ status: 'error' });
});

const ENDLESS = {
  'a tight loop': 'for (;;);',
  'a tight loop with allocation': GUESTS.allocate,
  'an endless regular expression': "/(a+)+$/.test('a'.repeat(40) + 'b'); for (;;);",
  'an endless microtask loop': 'for (;;) await null',
  'a promise that never settles': 'await new Promise(() => {})',
  'a host call that never answers': 'await never()',
  'an endless export': 'export default async () => { for (;;) await null }',
};

test.each(Object.keys(ENDLESS))('MUST: terminate ends %s within 50 ms', async (what) => {
  const handle = runJs(ENDLESS[what], { globals: { never: () => new Promise(() => {}) } });
  await sleep(40);
  const elapsedMs = startStopwatch();
  handle.terminate('that is enough');
  const { status, error } = await handle;
  const ms = elapsedMs();
  expect({ status, ...error }).toMatchObject({
    status: 'terminated',
    name: 'Terminated',
    message: 'that is enough',
  });
  // 50 ms is the promise; other tests may share the processor.
  expect(ms).toBeLessThan(150);
  expect(handle.running).toBe(false);
});

test('MUST: terminate ends even a builtin that V8 cannot interrupt, within 50 ms', async () => {
  const { reports, code } = await runChild(
    async ({ require, report, sleep: wait, startStopwatch: startWatch, GUESTS: guests }) => {
      const { runCode } = require('../../lib/run-code/index.js');
      const handle = runCode(guests.stuck, { language: 'javascript' });
      await wait(100);
      const elapsedMs = startWatch();
      handle.terminate('stuck');
      const { status } = await handle;
      report({ status, ms: elapsedMs() });
    },
  );
  expect(reports).toEqual([{ status: 'terminated', ms: expect.any(Number) }]);
  expect(reports[0].ms).toBeLessThan(150);
  expect(code).toBe(0);
});

test('terminate is quick: the median of 20 is a few milliseconds', async () => {
  const times = [];
  for (let i = 0; i < 20; i++) {
    const handle = runJs(i % 2 ? 'for (;;);' : 'await new Promise(() => {})');
    await sleep(5);
    const elapsedMs = startStopwatch();
    handle.terminate();
    await handle;
    times.push(elapsedMs());
  }
  times.sort((a, b) => a - b);
  expect(times[10]).toBeLessThan(50);
});

test('MUST: terminate is idempotent: the first reason counts', async () => {
  const handle = runJs('for (;;);');
  handle.terminate('first');
  handle.terminate('second');
  const ending = await handle;
  handle.terminate('third');
  expect(ending.error.message).toBe('first');
  expect(await handle).toBe(ending);
});

test('terminate without a reason has a message of its own', async () => {
  const handle = runJs('for (;;);');
  handle.terminate();
  expect(await handle).toMatchObject({ error: { message: 'Code execution terminated' } });
});

test.each([
  ['at once, before anything ran', 'export default 1', (handle) => handle.terminate('now')],
  [
    'before types are erased',
    `const n: number = ${Date.now()}; export default n`,
    (handle) => handle.terminate('now'),
  ],
])('terminate %s', async (_when, source, act) => {
  const handle = runJs(source, { language: 'typescript' });
  act(handle);
  expect(await handle).toMatchObject({ status: 'terminated', error: { message: 'now' } });
});

test('a run that has settled is not terminated any more', async () => {
  const handle = runJs('export default 1');
  await handle;
  handle.terminate('late');
  expect(await handle).toMatchObject({ status: 'success', result: 1 });
});

test('reports and logs made before termination are kept', async () => {
  const handle = runJs('report(1); console.log("a"); await tell(); for (;;) console.log("more")', {
    report() {},
    globals: { tell: () => setTimeout(() => handle.terminate(), 20) && undefined },
  });
  const { status, reports, logs } = await handle;
  expect({ status, reports }).toEqual({ status: 'terminated', reports: [1] });
  expect(logs[0].args).toEqual(['a']);
});

test('terminating one run leaves the others alone', async () => {
  const stays = runJs('export default async () => { await host(); return "stayed" }', {
    globals: { host: () => sleep(50) },
  });
  const goes = runJs('for (;;);');
  goes.terminate();
  await goes;
  expect(await stays).toMatchObject({ status: 'success', result: 'stayed' });
});

describe('safety caps settle as terminated, with a message that says which', () => {
  test('more reports than are kept', async () => {
    const source =
      'export default async () => { for (let i = 0; ; i++) { report(i); if (i % 1000 === 0) await report(i) } }';
    const { status, error, reports } = await runJs(source, { report() {} });
    expect({ status, message: error.message }).toEqual({
      status: 'terminated',
      message: 'Code execution terminated: more than 100000 reports',
    });
    expect(reports).toHaveLength(100_000);
  });

  test('more bytes of reports than are kept', async () => {
    const source =
      "export default async () => { for (;;) await report({ text: 'x'.repeat(2 ** 20), map: new Map([[1, new Uint8Array(2 ** 20)]]) }) }";
    const { status, error, reports } = await runJs(source, { report() {} });
    expect({ status, message: error.message }).toEqual({
      status: 'terminated',
      message: `Code execution terminated: more than ${64 * MiB} bytes of reports`,
    });
    expect(reports.length).toBeGreaterThan(25);
  });

  test('a flood of calls', async () => {
    const { status, error } = await runJs('export default () => { for (;;) host() }', {
      globals: { host: () => new Promise(() => {}) },
    });
    expect(status).toMatch(/terminated|memory/);
    expect(error.message.length).toBeGreaterThan(10);
  });

  test('limits of a pool of the caller', async () => {
    const pool = openPool({ threads: 1, limits: { wallMs: 50, cpuMs: 1000 } });
    const runCode = createRunCode({ pool });
    const ending = await runCode('for (;;);', { language: 'javascript' });
    expect(ending).toMatchObject({
      status: 'terminated',
      error: { name: 'Terminated', message: 'The run reached its deadline' },
    });
  });

  test('a pool that is disposed of', async () => {
    const pool = openPool({ threads: 1 });
    const runCode = createRunCode({ pool });
    const handle = runCode('for (;;);', { language: 'javascript' });
    await sleep(20);
    await pool.dispose();
    expect(await handle).toMatchObject({ status: 'terminated', error: { name: 'Terminated' } });
    expect(await runCode('export default 1', { language: 'javascript' })).toMatchObject({
      status: 'terminated',
    });
  });
});

test('a full queue is a link_error: nothing ran', async () => {
  const pool = openPool({ threads: 1, maxRunning: 1, maxQueued: 0 });
  const runCode = createRunCode({ pool });
  const first = runCode('for (;;);', { language: 'javascript' });
  expect(await runCode('export default 1', { language: 'javascript' })).toMatchObject({
    status: 'link_error',
    error: { name: 'QueueFullError' },
  });
  first.terminate();
  await first;
});

test('a result larger than may cross is an error', async () => {
  const pool = openPool({ threads: 1, limits: { resultBytes: 1000 } });
  const runCode = createRunCode({ pool });
  const ending = await runCode("export default 'x'.repeat(2000)", { language: 'javascript' });
  expect(ending.status).toBe('error');
});

test.each([
  [{ memoryLimitBytes: 5 }, RangeError],
  [{ memoryLimitBytes: '5' }, TypeError],
  [{ maxMemoryLimitBytes: 2 ** 40 }, RangeError],
  [{ pool: {} }, TypeError],
  [{ signal: {} }, TypeError],
  [{ poll: 1 }, TypeError],
  [5, TypeError],
])('createRunCode(%p) throws', (/** @type {any} */ settings, kind) => {
  expect(() => createRunCode(settings)).toThrow(kind);
});

test('a process whose runs have ended ends by itself', async () => {
  const ended = await runChild(async ({ require, report }) => {
    const { runCode } = require('../../lib/run-code/index.js');
    report((await runCode('export default (1 as number)')).result);
    report((await runCode('export default 2', { language: 'javascript' })).result);
  });
  expect({ code: ended.code, reports: ended.reports }).toEqual({ code: 0, reports: [1, 2] });
});
