'use strict';

const { runChild } = require('../support/child.js');
const { usePool } = require('../support/pools.js');

const { valueOf, errorOf } = usePool();

const intrinsics = { queueMicrotask: true };

test('queueMicrotask is there where the plan asks for it, and not on the global object', async () => {
  const source = 'return [typeof queueMicrotask, "queueMicrotask" in globalThis]';
  expect(await valueOf({ source })).toEqual(['undefined', false]);
  expect(await valueOf({ source, intrinsics })).toEqual(['function', false]);
});

test('it is a function like that of other hosts', async () => {
  const source = `
    const errorOf = (f) => { try { f() } catch (e) { return e.name } };
    return [
      queueMicrotask.name, queueMicrotask.length, queueMicrotask(() => {}) === undefined,
      errorOf(() => queueMicrotask()), errorOf(() => queueMicrotask('text')), errorOf(() => new queueMicrotask(() => {})),
    ]`;
  expect(await valueOf({ source, intrinsics })).toEqual([
    'queueMicrotask',
    1,
    true,
    'TypeError',
    'TypeError',
    'TypeError',
  ]);
});

test('its callbacks run in turn with those of promises, without arguments', async () => {
  const source = `
    const seen = [];
    queueMicrotask((...args) => seen.push('first', args.length));
    Promise.resolve().then(() => seen.push('then'));
    queueMicrotask(() => { seen.push('outer'); queueMicrotask(() => seen.push('inner')) });
    seen.push('sync');
    for (let i = 0; i < 5; i++) await null;
    return seen`;
  expect(await valueOf({ source, intrinsics })).toEqual([
    'sync',
    'first',
    0,
    'then',
    'outer',
    'inner',
  ]);
});

test('it works in modules, which may shadow it', async () => {
  const source = `
    import dep from './dep.js';
    const queueMicrotask = 'mine';
    export default [queueMicrotask, dep]`;
  const sources = {
    'dep.js': 'export default await new Promise((done) => queueMicrotask(() => done("run")))',
  };
  expect(await valueOf({ kind: 'module', source, module: { sources }, intrinsics })).toEqual([
    'mine',
    'run',
  ]);
});

test('a flood of microtasks is stopped by the deadline', async () => {
  const source = 'const flood = () => queueMicrotask(flood); flood(); await new Promise(() => {})';
  const error = await errorOf({ source, intrinsics, limits: { wallMs: 100 } });
  expect(error).toMatchObject({ cause: 'deadline' });
});

test('a callback that throws writes nothing to the output of the host', async () => {
  const { code, stdout, stderr } = await runChild(async ({ IsolatePool }) => {
    const pool = new IsolatePool({ threads: 1 });
    const source = `
      queueMicrotask(() => { throw new Error('to the host') });
      queueMicrotask(() => { throw 'to the host' });
      for (let i = 0; i < 5; i++) await null`;
    await pool.run({ source, intrinsics: { queueMicrotask: true } });
    await pool.dispose();
  });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
});
