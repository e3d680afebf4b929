'use strict';

const path = require('node:path');

const { CRASH_TEXT, runNode } = require('../support/child.js');

const ISOBOX = path.join(__dirname, '../../lib/index.js');
const IN_WORKER = path.join(__dirname, '../support/child-main.js');

/**
 * @param {(worker: import('node:worker_threads').Worker) => void} main runs in a main thread that does not load isobox,
 *   moved as text
 * @param {(tools: typeof import('../support/child-tools.js'), args: any) => unknown} inWorker
 * @param {{ args?: unknown, execArgv?: string[] }} [options]
 */
async function runBoth(main, inWorker, { args = null, execArgv = [] } = {}) {
  const argv = [String(inWorker), JSON.stringify(args)];
  const program = `
    const { Worker } = require('node:worker_threads');
    (${main})(new Worker(${JSON.stringify(IN_WORKER)}, { argv: ${JSON.stringify(argv)} }));`;
  const child = await runNode([...execArgv, '--eval', program]);
  // Node says so when the process ends in the millisecond in which the Worker has it load isobox.
  child.stderr = child.stderr.replace('Waiting for the debugger to disconnect...\n', '');
  expect(child.stderr).not.toMatch(CRASH_TEXT);
  return child;
}

const enterAndStay = async ({ ENTER, parentPort }, state) => {
  await ENTER[state]();
  parentPort.postMessage('there');
  setInterval(() => {}, 1000);
};

describe.each(['justCreated', 'idle', 'parked', 'running', 'inBuiltin', 'stuck', 'disposing'])(
  'a process whose main thread does not load isobox ends as it is to: %s',
  (state) => {
    test('by process.exit()', async () => {
      const main = (worker) => worker.once('message', () => process.exit(3));
      const child = await runBoth(main, enterAndStay, { args: state });
      expect(child).toMatchObject({ code: 3, signal: null, stderr: '' });
    });

    test('by itself, after the worker', async () => {
      const main = (worker) => {
        worker.once('message', () => worker.terminate());
        worker.once('exit', () => (process.exitCode = 4));
      };
      const child = await runBoth(main, enterAndStay, { args: state });
      expect(child).toMatchObject({ code: 4, signal: null, stderr: '' });
    });

    test('by an uncaught exception', async () => {
      const main = (worker) =>
        worker.once('message', () => {
          throw new Error('of the main thread');
        });
      const child = await runBoth(main, enterAndStay, { args: state });
      expect(child).toMatchObject({ code: 1, signal: null });
      expect(child.stderr).toContain('of the main thread');
    });
  },
);

test('a main thread that was busy all the time ends as it is to', async () => {
  const main = () => {
    const end = Date.now() + 1500;
    while (Date.now() < end);
    process.exit(3);
  };
  const child = await runBoth(main, enterAndStay, { args: 'stuck' });
  expect(child).toMatchObject({ code: 3, signal: null, stderr: '' });
});

test('a worker of a worker has the main thread know of its pool', async () => {
  const child = await runBoth(
    (worker) => worker.once('message', () => process.exit(3)),
    ({ parentPort, startWorker }) => {
      const inner = startWorker(async ({ ENTER, parentPort: port }) => {
        await ENTER.stuck();
        port.postMessage('there');
        setInterval(() => {}, 1000);
      });
      inner.once('message', (message) => parentPort?.postMessage(message));
    },
  );
  expect(child).toMatchObject({ code: 3, signal: null, stderr: '' });
});

test('a main thread that cannot load isobox is told so', async () => {
  const child = await runBoth(
    () => {
      process.dlopen = () => {
        throw new Error('No addons here');
      };
      process.once('warning', (/** @type {any} */ { code, message, detail }) =>
        console.log(JSON.stringify({ report: [code, message, detail.split('\n')[0]] })),
      );
    },
    async ({ IsolatePool }) => {
      await new IsolatePool().run({ source: 'return 1' });
    },
  );
  expect(child).toMatchObject({ code: 0, signal: null });
  expect(child.reports).toEqual([
    [
      'ISOBOX_MAIN_THREAD',
      expect.stringContaining("Load isobox in the main thread too: require('isobox')"),
      expect.stringContaining('isobox has no native binary'),
    ],
  ]);
});

test('a worker that is not permitted the inspector says so, and works', async () => {
  const isOld = !process.allowedNodeEnvironmentFlags.has('--permission');
  const child = await runBoth(
    () => {},
    async ({ IsolatePool, report }) => {
      process.on('warning', (/** @type {any} */ { code }) => code && report(code));
      report((await new IsolatePool().run({ source: 'return 1' })).value);
    },
    {
      execArgv: [
        isOld ? '--experimental-permission' : '--permission',
        ...['--allow-addons', '--allow-worker', '--allow-fs-read=*', '--allow-fs-write=*'],
      ],
    },
  );
  expect(child).toMatchObject({ code: 0, signal: null });
  expect(child.reports).toEqual(['ISOBOX_MAIN_THREAD', 1]);
});

test('a worker that is terminated while it loads isobox does not end the process', async () => {
  const inWorker = `
    const { parentPort } = require('node:worker_threads');
    const host = process;
    const { dlopen } = host;
    host.dlopen = (...given) => {
      const get = () => { parentPort.postMessage('loading'); for (;;); };
      Object.defineProperty(globalThis, 'process', { get });
      return Reflect.apply(dlopen, host, given);
    };
    require(${JSON.stringify(ISOBOX)});`;
  const child = await runNode([
    '--eval',
    `const { Worker } = require('node:worker_threads');
    const worker = new Worker(${JSON.stringify(inWorker)}, { eval: true });
    worker.once('message', () => worker.terminate());
    worker.once('exit', () => (process.exitCode = 4));`,
  ]);
  expect(child).toMatchObject({ code: 4, signal: null, stderr: '' });
});
