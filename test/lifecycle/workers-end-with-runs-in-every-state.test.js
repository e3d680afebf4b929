'use strict';

const { CRASH_TEXT, runChild } = require('../support/child.js');

const STATES = [
  'justCreated',
  'prewarming',
  'idle',
  'justStarted',
  'running',
  'queued',
  'parked',
  'inBuiltin',
  'stuck',
  'collecting',
  'mixed',
  'disposing',
  'disposed',
];

describe('a worker that ends', () => {
  test.each(STATES)('by worker.terminate() takes its pool along: %s', async (state) => {
    const child = await runChild(
      async ({ exitOf, report, startWorker, until, poolThreads }, name) => {
        const worker = startWorker(async ({ ENTER, parentPort }, inner) => {
          await ENTER[inner]();
          parentPort.postMessage('there');
          setInterval(() => {}, 1000);
        }, name);
        worker.once('message', () => worker.terminate());
        report(await exitOf(worker));
        // Threads that V8 cannot stop stay, lost; all others go.
        const stays = ['justStarted', 'inBuiltin', 'stuck', 'mixed', 'disposing'].includes(name);
        report(await until(() => poolThreads() <= (stays ? 2 : 0)));
        process.exitCode = 2;
      },
      { args: state, boundMs: 10_000 },
    );
    expect(child).toMatchObject({ code: 2, signal: null, stderr: '' });
    expect(child.reports).toEqual([1, true]);
  });

  test.each(STATES)('by process.exit() takes its pool along: %s', async (state) => {
    const child = await runChild(
      async ({ exitOf, report, startWorker }, name) => {
        const worker = startWorker(async ({ ENTER }, inner) => {
          await ENTER[inner]();
          process.exit(3);
        }, name);
        report(await exitOf(worker));
        process.exitCode = 2;
      },
      { args: state, boundMs: 10_000 },
    );
    expect(child).toMatchObject({ code: 2, signal: null, stderr: '' });
    expect(child.reports).toEqual([3]);
  });

  test.each(STATES)('by an uncaught exception takes its pool along: %s', async (state) => {
    const child = await runChild(
      async ({ exitOf, report, startWorker }, name) => {
        const worker = startWorker(async ({ ENTER }, inner) => {
          await ENTER[inner]();
          throw new Error('of the worker');
        }, name);
        worker.once('error', (error) => report(error.message));
        report(await exitOf(worker));
        process.exitCode = 2;
      },
      { args: state, boundMs: 10_000 },
    );
    expect(child).toMatchObject({ code: 2, signal: null, stderr: '' });
    expect(child.reports).toEqual(['of the worker', 1]);
  });

  test.each(['justCreated', 'prewarming', 'idle', 'stuck', 'disposing', 'disposed'])(
    'by itself takes its pool along: %s',
    async (state) => {
      const child = await runChild(
        async ({ exitOf, report, startWorker }, name) => {
          const worker = startWorker(async ({ ENTER }, inner) => {
            await ENTER[inner]();
            process.exitCode = 4;
          }, name);
          report(await exitOf(worker));
          process.exitCode = 2;
        },
        { args: state, boundMs: 10_000 },
      );
      expect(child).toMatchObject({ code: 2, signal: null, stderr: '' });
      expect(child.reports).toEqual([4]);
    },
  );
});

test.each(STATES)('the process exits while a worker has a pool that is %s', async (state) => {
  const child = await runChild(
    async ({ startWorker }, name) => {
      const worker = startWorker(async ({ ENTER, parentPort }, inner) => {
        await ENTER[inner]();
        parentPort.postMessage('there');
        setInterval(() => {}, 1000);
      }, name);
      worker.once('message', () => process.exit(3));
    },
    { args: state, boundMs: 10_000 },
  );
  expect(child).toMatchObject({ code: 3, signal: null, stderr: '' });
  expect(child.stderr).not.toMatch(CRASH_TEXT);
});

test('a worker with a pending run stays alive until it settles', async () => {
  const child = await runChild(async ({ exitOf, report, startWorker }) => {
    const worker = startWorker(async (tools) => {
      const pool = new tools.IsolatePool();
      const timer = () => new Promise((resolve) => setTimeout(resolve, 200).unref());
      const { cause } = await pool.run({
        source: 'await host.timer()',
        namespaces: { host: { timer } },
        limits: { wallMs: 400 },
      });
      tools.report(cause);
    });
    report(await exitOf(worker));
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(['finished', 0]);
});

test('twenty workers in a row leave nothing behind', async () => {
  const child = await runChild(async ({ exitOf, poolThreads, report, startWorker, until }) => {
    for (let i = 0; i < 20; i++) {
      const worker = startWorker(async (tools) => {
        const pool = new tools.IsolatePool({ threads: 2 });
        const { value } = await pool.run({ source: 'return 6 * 7' });
        void pool.run({ source: tools.GUESTS.loop });
        void pool.run({ source: tools.GUESTS.wait });
        tools.parentPort.postMessage(value);
      });
      worker.once('message', () => worker.terminate());
      await exitOf(worker);
    }
    report(await until(() => poolThreads() === 0));
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([true]);
});

test('pools in the main thread and in workers work at the same time', async () => {
  const child = await runChild(
    async ({ IsolatePool, exitOf, poolThreads, report, startWorker, until }) => {
      const work = async (tools, base) => {
        const pool = new tools.IsolatePool({ threads: 2 });
        const namespaces = { host: { add: (n) => tools.sleep(5).then(() => n + base) } };
        const runs = Array.from({ length: 30 }, (_, n) =>
          pool.run({ source: `return host.add(${n})`, namespaces }),
        );
        const values = (await Promise.all(runs)).map((outcome) => outcome.value);
        await pool.dispose();
        return values.every((value, n) => value === n + base);
      };
      const inWorker = `async (tools, base) => tools.report(await (${work})(tools, base))`;
      const workers = [100, 200, 300].map((base) => startWorker(inWorker, base));
      const exits = workers.map((worker) => exitOf(worker));
      const own = await work(
        { IsolatePool, sleep: (ms) => new Promise((r) => setTimeout(r, ms)) },
        7,
      );
      report(own);
      report(await Promise.all(exits));
      report(await until(() => poolThreads() === 0));
    },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([true, true, true, true, [0, 0, 0], true]);
});

test('a worker that is terminated does not disturb the pool of the main thread', async () => {
  const child = await runChild(async ({ IsolatePool, exitOf, report, startWorker }) => {
    const pool = new IsolatePool({ threads: 2 });
    const worker = startWorker(async ({ ENTER, parentPort }) => {
      await ENTER.mixed();
      parentPort.postMessage('there');
    });
    worker.once('message', () => worker.terminate());
    const exit = exitOf(worker);
    const values = new Set();
    const state = { isOver: false };
    void exit.then(() => (state.isOver = true));
    while (!state.isOver) values.add((await pool.run({ source: 'return 6 * 7' })).value);
    for (let i = 0; i < 10; i++) values.add((await pool.run({ source: 'return 6 * 7' })).value);
    report([await exit, ...values]);
    await pool.dispose();
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual([[1, 42]]);
});
test('workers that are terminated while their runs flood them with calls do not end the process', async () => {
  const child = await runChild(async ({ exitOf, report, startWorker, sleep }) => {
    for (let i = 0; i < 15; i++) {
      const worker = startWorker(async (tools) => {
        const pool = new tools.IsolatePool({ threads: 2 });
        const source = 'for (;;) await Promise.all(Array.from({ length: 50 }, () => host.ping()))';
        for (let n = 0; n < 20; n++) {
          void pool.run({ source, namespaces: { host: { ping: () => 1 } } });
        }
        tools.parentPort.postMessage('there');
      });
      const exit = exitOf(worker);
      await new Promise((resolve) => {
        worker.once('message', resolve);
      });
      await sleep(i);
      await worker.terminate();
      report(await exit);
    }
  });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(child.reports).toEqual(Array(15).fill(1));
});
