'use strict';

const { types } = require('node:util');

const { runCode } = require('../../lib/run-code/index.js');
const { usePool } = require('../support/pools.js');

const { run } = usePool();

test.each([
  ['a run of a pool', () => run({ source: 'return 1' })],
  ['a run of runCode', () => runCode('export default 1')],
])('%s is a promise, and what comes of it is one too', async (_name, start) => {
  const handle = start();
  expect(types.isPromise(handle)).toBe(true);
  expect(handle).toBeInstanceOf(Promise);
  expect(handle.running).toBe(true);
  const next = handle.then((outcome) => outcome.value ?? outcome.result);
  expect(Object.getPrototypeOf(next)).toBe(Promise.prototype);
  expect(await next).toBe(1);
  expect(await Promise.race([handle])).toBe(await handle);
  let isDone = false;
  await handle.finally(() => (isDone = true)).catch(() => {});
  expect(isDone).toBe(true);
  expect(handle.running).toBe(false);
});
