'use strict';
// However a host ends, its guest processes end with it; and a pool without work lets both go.

const { spawn } = require('node:child_process');
const path = require('node:path');

const isobox = require('../../lib/index.js');
const { runChild } = require('../support/child.js');
const processes = require('../execbox/child-processes.js');
const time = require('../support/time.js');

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('an idle pool does not keep the host alive, and ends with it', async () => {
  const child = await runChild(async ({ IsolatePool, report, require }) => {
    const { childrenOf } = require('../execbox/child-processes.js');
    const pool = new IsolatePool({ host: 'process' });
    report((await pool.run({ source: 'return 1' })).cause);
    report(childrenOf(process.pid));
    globalThis.pool = pool; // reachable to the end
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [cause, pids] = child.reports;
  expect(cause).toBe('finished');
  expect(pids).toHaveLength(1);
  expect(pids.filter(isRunning)).toEqual([]);
});

test('a run that is under way when the host exits is no reason to stay', async () => {
  const child = await runChild(async ({ IsolatePool, report, require }) => {
    const { childrenOf } = require('../execbox/child-processes.js');
    const pool = new IsolatePool({ host: 'process' });
    await pool.run({ source: 'return 1' });
    void pool.run({ source: 'for (;;);', limits: { wallMs: 60_000 } });
    report(childrenOf(process.pid));
    process.exit(3);
  });
  expect(child).toMatchObject({ code: 3, signal: null, stderr: '' });
  expect(child.reports[0]).toHaveLength(1);
  expect(child.reports[0].filter(isRunning)).toEqual([]);
});

test('a host that is killed takes its guest processes with it', async () => {
  const code = `
    const { IsolatePool } = require(${JSON.stringify(path.join(__dirname, '..', '..'))});
    const pool = new IsolatePool({ host: 'process', processes: 2 });
    pool.run({ source: 'for (;;);', limits: { wallMs: 60_000 } });
    pool.run({ source: 'return await host.hold()', namespaces: { host: { hold: () => {
      console.log('ready');
      return new Promise(() => {});
    } } } });`;
  const host = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => {
    host.stdout.once('data', resolve);
  });
  const pids = processes.childrenOf(/** @type {number} */ (host.pid));
  expect(pids).toHaveLength(2);
  host.kill('SIGKILL');
  await time.until(() => !pids.some(isRunning));
});

test('a Worker that is terminated takes its guest processes with it', async () => {
  const child = await runChild(async ({ report, require, until }) => {
    const { Worker } = require('node:worker_threads');
    const { childrenOf } = require('../execbox/child-processes.js');
    require('../../lib/index.js');
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       const { IsolatePool } = require(workerData);
       const pool = new IsolatePool({ host: 'process' });
       pool.run({ source: 'return 1' }).then(({ cause }) => {
         pool.run({ source: 'for (;;);', limits: { wallMs: 60_000 } });
         parentPort.postMessage(cause);
       });`,
      { eval: true, workerData: require.resolve('../../lib/index.js') },
    );
    report(await new Promise((resolve) => worker.once('message', resolve)));
    report(childrenOf(process.pid).length);
    await worker.terminate();
    await until(() => childrenOf(process.pid).length === 0);
    report('gone');
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['finished', 1, 'gone']);
});

test('without use for a while a pool has no processes, and starts one when there is use again', async () => {
  const mine = processes.watchChildren();
  const pool = new isobox.IsolatePool({ host: 'process', warm: { idleMs: 1000 } });
  expect(await pool.run({ source: 'return 1' })).toMatchObject({ ok: true });
  expect(mine()).toHaveLength(1);
  await time.until(() => mine().length === 0);
  expect(pool.stats()).toMatchObject({ processes: 0, threads: 0, warm: 0 });
  expect(await pool.run({ source: 'return 2' })).toMatchObject({ ok: true, value: 2 });
  await pool.dispose();
  expect(mine()).toEqual([]);
});
