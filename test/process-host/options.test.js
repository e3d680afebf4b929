'use strict';

const { IsolatePool } = require('../../lib/index.js');
const { native } = require('../../lib/native.js');

test.each([
  [{ host: 'fiber' }, /options\.host/],
  [{ host: 'process', processes: 0 }, /options\.processes/],
  [{ host: 'process', processes: 257 }, /options\.processes/],
  [{ host: 'process', processes: '2' }, /options\.processes/],
  [{ host: 'process', runsPerProcess: 0 }, /options\.runsPerProcess/],
  [{ host: 'process', runsPerProcess: 1.5 }, /options\.runsPerProcess/],
  [{ host: 'process', zygote: -1 }, /options\.zygote/],
  [{ host: 'process', zygote: 257 }, /options\.zygote/],
  [{ host: 'process', sandbox: 'strict' }, /options\.sandbox/],
  [{ processes: 2 }, /options\.processes needs options\.host: 'process'/],
  [{ runsPerProcess: 1 }, /options\.runsPerProcess needs options\.host: 'process'/],
  [{ host: 'thread', sandbox: 'off' }, /options\.sandbox needs options\.host: 'process'/],
])('%p is refused', (options, message) => {
  expect(() => new IsolatePool(/** @type {any} */ (options))).toThrow(message);
});

test('stats say how many processes there are and how they are locked in', async () => {
  const pool = new IsolatePool({ host: 'process', processes: 2, sandbox: 'require' });
  expect(await pool.run({ source: 'return 1' })).toMatchObject({ ok: true, value: 1 });
  const { processes, sandbox } = pool.stats();
  expect(processes).toBe(2);
  expect(sandbox.sort()).toEqual([...(native.sandboxes ?? [])].sort());
  await pool.dispose();
  expect(pool.stats()).toMatchObject({ processes: 0, threads: 0 });
});

test("sandbox: 'off' locks nothing, and the stats say so", async () => {
  const pool = new IsolatePool({ host: 'process', sandbox: 'off' });
  expect(await pool.run({ source: 'return 1' })).toMatchObject({ ok: true, value: 1 });
  expect(pool.stats().sandbox).toEqual([]);
  await pool.dispose();
});
