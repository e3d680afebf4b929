'use strict';

const { runChild } = require('../support/child.js');

test('a pool that is dropped without dispose() gives its threads back', async () => {
  const child = await runChild(
    async ({ IsolatePool, poolThreads, report, sleep }) => {
      const use = async () => {
        const pool = new IsolatePool({ threads: 3 });
        await pool.prewarm(3);
        await pool.run({ source: 'return 1' });
        return poolThreads();
      };
      report((await use()) >= 3);
      for (let i = 0; i < 200 && poolThreads() > 0; i++) {
        globalThis.gc?.();
        await sleep(10);
      }
      report(poolThreads());
    },
    { execArgv: ['--expose-gc'] },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([true, 0]);
});

test('a dropped pool serves its pending runs to their end', async () => {
  const child = await runChild(
    async ({ IsolatePool, poolThreads, report, sleep }) => {
      const start = () => {
        const pool = new IsolatePool({ threads: 2 });
        const wait = () => sleep(200).then(() => 'awaited');
        return pool.run({ source: 'return host.wait()', namespaces: { host: { wait } } });
      };
      // A function of its own, so that nothing of the run is left on the stack.
      const finish = async () => {
        const run = start();
        for (let i = 0; i < 10; i++) {
          globalThis.gc?.();
          await sleep(10);
        }
        return (await run).value;
      };
      report(await finish());
      for (let i = 0; i < 200 && poolThreads() > 0; i++) {
        globalThis.gc?.();
        await sleep(10);
      }
      report(poolThreads());
    },
    { execArgv: ['--expose-gc'] },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['awaited', 0]);
});

test('a hundred dropped pools leave no thread behind', async () => {
  const child = await runChild(
    async ({ IsolatePool, poolThreads, report, sleep }) => {
      const use = async (runs) => {
        const pool = new IsolatePool({ threads: 1, warm: { target: 0 } });
        for (let i = 0; i < runs; i++) await pool.run({ source: 'return 1' });
      };
      for (let i = 0; i < 100; i++) await use(i % 2);
      for (let i = 0; i < 300 && poolThreads() > 0; i++) {
        globalThis.gc?.();
        await sleep(10);
      }
      report(poolThreads());
    },
    { execArgv: ['--expose-gc'] },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([0]);
});

test.each(['naturally', 'by process.exit()'])(
  'the process ends well %s right after busy pools were collected',
  async (how) => {
    const child = await runChild(
      async ({ GUESTS, IsolatePool }, end) => {
        const use = async () => {
          const pool = new IsolatePool({ threads: 2, warm: { target: 500 } });
          await pool.run({ source: 'return 1' });
          await pool.run({ source: GUESTS.churn, limits: { wallMs: 20 } });
        };
        for (let i = 0; i < 5; i++) await use();
        setImmediate(() => {
          globalThis.gc?.();
          // The collector's finalizers run in the loop.
          setImmediate(() => {
            if (end === 'by process.exit()') process.exit(3);
            process.exitCode = 3;
          });
        });
      },
      { args: how, execArgv: ['--expose-gc'] },
    );
    expect(child).toMatchObject({ code: 3, signal: null, stderr: '' });
  },
);
