'use strict';
// Pools that have lost all of their threads, and get them back.

const { runChild } = require('../support/child.js');

/**
 * @param {number} seconds of processor time: long enough to be stuck, short enough to end
 * @returns {string} a builtin that V8 cannot interrupt
 */
function slowFor(seconds) {
  const probe = 1e7;
  const start = process.cpuUsage();
  Array.prototype.lastIndexOf.call({ length: probe }, 1);
  const { user, system } = process.cpuUsage(start);
  const length = Math.ceil((probe * seconds * 1e6) / (user + system));
  return `Array.prototype.lastIndexOf.call({ length: ${length} }, 1)`;
}

test('`exhausted` says how many threads are lost and what to do, and ends when they are back', async () => {
  const child = await runChild(
    async ({ IsolatePool, report, until }, source) => {
      const pool = new IsolatePool({ threads: 1, maxStuck: 1 });
      const namespaces = { host: { never: () => new Promise(() => {}) } };
      const parked = pool.run({ source: 'await host.never()', namespaces });
      await until(() => pool.stats().parked === 1);
      for (let i = 1; i <= 2; i++) {
        await pool.run({ source, limits: { wallMs: 150 } });
        await until(() => pool.stats().stuck === i);
      }
      report((await parked).cause);
      const { cause, error } = await pool.run({ source: 'return 1' });
      report({ cause, error });
      report(await until(() => pool.stats().threads === 1, 20_000));
      report((await pool.run({ source: 'return 42' })).value);
      await until(() => pool.stats().stuck === 0, 20_000);
      await pool.dispose();
    },
    { args: slowFor(4), boundMs: 45_000 },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [parked, refused, ...rest] = child.reports;
  expect(parked).toBe('exhausted');
  expect(refused).toMatchObject({ cause: 'exhausted', error: { name: 'PoolExhaustedError' } });
  expect(refused.error.message).toMatch(/: 2\).*maxStuck.*host: 'process'/);
  expect(rest).toEqual([true, 42]);
}, 60_000);

test('lost guests may hold maxStuckBytes, by their memory limits', async () => {
  const child = await runChild(async ({ GUESTS, IsolatePool, report, until }) => {
    const memoryBytes = 2 ** 26;
    const pool = new IsolatePool({
      threads: 1,
      maxStuckBytes: memoryBytes,
      limits: { memoryBytes, wallMs: 150 },
    });
    const causes = [];
    for (let i = 1; i <= 2; i++) {
      causes.push((await pool.run({ source: GUESTS.stuck })).cause);
      await until(() => pool.stats().stuck === i);
      causes.push((await pool.run({ source: 'return 1', limits: { wallMs: 5000 } })).cause);
    }
    report(causes);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([['deadline', 'finished', 'deadline', 'exhausted']]);
});

test('`runCode` refuses when its pool is exhausted, and runs again when threads are back', async () => {
  const child = await runChild(
    async ({ report, require, sleep }, source) => {
      // A small machine, on which few guests may be lost.
      const os = require('node:os');
      os.availableParallelism = () => 2;
      os.totalmem = () => 2 ** 28;
      const { runCode } = require('../../lib/run-code/index.js');
      const run = (code) =>
        runCode(code, { language: 'javascript', memoryLimitBytes: 100 * 2 ** 20 });
      let lost = 0;
      let refused;
      while (refused === undefined && lost < 20) {
        const handle = run(`export default ${source}`);
        await sleep(50);
        handle.terminate();
        if ((await handle).status === 'terminated') lost += 1;
        const { status, error } = await run('export default 1');
        if (status === 'link_error') refused = error;
      }
      report({ lost, ...refused });
      let result;
      const end = performance.now() + 40_000;
      while (result?.status !== 'success' && performance.now() < end) {
        await sleep(50);
        result = await run('export default 42');
      }
      report(result);
    },
    { args: slowFor(4), boundMs: 55_000 },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [refused, result] = child.reports;
  // One is replaced, and then the two threads that are left go too.
  expect(refused).toMatchObject({ lost: 3, name: 'PoolExhaustedError' });
  expect(refused.message).toMatch(/: 3\).*maxStuckBytes.*host: 'process'/);
  expect(result).toMatchObject({ status: 'success', result: 42 });
}, 60_000);

test('guests that go on after a termination do not exhaust the pool of `runCode`', async () => {
  const child = await runChild(
    async ({ report, require, sleep }) => {
      const { runCode } = require('../../lib/run-code/index.js');
      const run = (code) => runCode(code, { language: 'javascript' });
      // Where V8 is asked to encode argument after argument, each uses up a termination.
      const guest = 'const x = { toJSON() { for (;;); } }; console.log(x, x, x, x, x, x, x, x)';
      const statuses = new Set();
      for (let i = 0; i < 14; i++) {
        const handle = run(`${guest}; export default 1`);
        await sleep(30);
        handle.terminate();
        statuses.add((await handle).status);
      }
      report([...statuses]);
      report((await run('export default 42')).result);
    },
    { boundMs: 28_000 },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([['terminated'], 42]);
}, 30_000);
