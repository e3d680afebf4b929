'use strict';

const { runChild } = require('../support/child.js');

test('an idle pool does not keep the process alive', async () => {
  const child = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool();
    const outcome = await pool.run({ source: 'return 1' });
    report(outcome.cause);
    globalThis.pool = pool; // reachable to the end
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['finished']);
  expect(child.ms).toBeLessThan(5000);
});

test('a pool that was never used does not keep the process alive', async () => {
  const child = await runChild(({ IsolatePool }) => {
    globalThis.pool = new IsolatePool({ warm: { target: 8, idleMs: 60_000 } });
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.ms).toBeLessThan(5000);
});

test('a pending run keeps the process alive until it settles', async () => {
  const child = await runChild(({ IsolatePool, report }) => {
    const pool = new IsolatePool();
    pool.run({ source: 'for (;;) {}', limits: { wallMs: 300 } }).then(({ cause }) => report(cause));
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['deadline']);
});

test('a run that waits in the queue keeps the process alive', async () => {
  const child = await runChild(({ IsolatePool, report }) => {
    const pool = new IsolatePool({ threads: 1, maxRunning: 1 });
    void pool.run({ source: 'for (;;) {}', limits: { wallMs: 200 } });
    pool.run({ source: 'return 1' }).then(({ cause }) => report(cause));
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['finished']);
});

test('a run that is parked keeps the process alive, though nothing else does', async () => {
  const child = await runChild(({ IsolatePool, report }) => {
    const pool = new IsolatePool();
    const never = () => new Promise(() => {});
    pool
      .run({
        source: 'await host.never()',
        namespaces: { host: { never } },
        limits: { wallMs: 300 },
      })
      .then(({ cause }) => report(cause));
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['deadline']);
});

test('prewarm and dispose keep the process alive until they resolve', async () => {
  const child = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool({ threads: 2 });
    await pool.prewarm(4);
    report('warm');
    await pool.dispose();
    report('disposed');
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['warm', 'disposed']);
});

test('a stuck thread keeps neither the process nor its answers', async () => {
  const child = await runChild(async ({ ENTER, report }) => {
    const { pool } = await ENTER.stuck();
    report((await pool.run({ source: 'return 1' })).cause);
    report(pool.stats().stuck);
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['finished', 1]);
  expect(child.ms).toBeLessThan(5000);
});
