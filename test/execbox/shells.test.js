'use strict';
// Worker and process shells: what dies, what is replaced, and what must not stay.

const fs = require('node:fs');

const { IsolateExecutor } = require('../../lib/execbox/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { runChild } = require('../support/child.js');
const { sleep, until } = require('../support/time.js');
const { childrenOf } = require('./child-processes.js');
const { toolsOf } = require('./contract.js');

const executors = [];

function open(options) {
  const executor = new IsolateExecutor(options);
  executors.push(executor);
  return executor;
}

let before;
const shells = () => childrenOf(process.pid).filter((pid) => !before.has(pid));

beforeEach(() => {
  before = new Set(childrenOf(process.pid));
});

afterEach(async () => {
  for (const executor of executors.splice(0)) await executor.dispose();
  expect(shells()).toEqual([]);
});

const gate = () => {
  let open_ = (/** @type {any} */ _value) => {};
  const opened = new Promise((resolve) => (open_ = resolve));
  const seen = { count: 0 };
  return { seen, open: open_, tool: () => (seen.count++, opened) };
};

describe('process', () => {
  test('a shell that dies answers internal_error for its run, and nothing else is lost', async () => {
    const executor = open({ host: 'process', pool: { maxSize: 2 } });
    const doomed = gate();
    const first = executor.execute('await tools.wait()', [toolsOf({ wait: doomed.tool })]);
    await until(() => doomed.seen.count === 1);
    const [victim] = shells();
    const other = gate();
    const second = executor.execute('await tools.wait()', [toolsOf({ wait: other.tool })]);
    await until(() => other.seen.count === 1);
    process.kill(victim, 'SIGKILL');
    expect(await first).toMatchObject({
      ok: false,
      error: { code: 'internal_error', message: expect.stringContaining('SIGKILL') },
    });
    other.open('survived');
    expect(await second).toMatchObject({ ok: true, result: 'survived' });
    expect(await executor.execute('1 + 1', [])).toMatchObject({ ok: true, result: 2 });
    expect(shells()).not.toContain(victim);
  });

  test('the signal of a dead shell’s tools aborts', async () => {
    const executor = open({ host: 'process' });
    let signal;
    const wait = (_input, context) => new Promise(() => (signal = context.signal));
    const run = executor.execute('await tools.wait()', [toolsOf({ wait })]);
    await until(() => signal !== undefined);
    process.kill(shells()[0], 'SIGKILL');
    await run;
    expect(signal.aborted).toBe(true);
  });

  test('a shell that dies idle is not handed out', async () => {
    const executor = open({ host: 'process', pool: { maxSize: 1, minSize: 1 } });
    await executor.prewarm(1);
    const [victim] = shells();
    process.kill(victim, 'SIGKILL');
    await until(() => shells().length === 1 && shells()[0] !== victim);
    const [replacement] = shells();
    const { durationMs: _durationMs, ...result } = await executor.execute('1', []);
    expect(result).toEqual({ ok: true, result: 1, logs: [] });
    expect(shells()).toEqual([replacement]);
  });

  test('a shell that hangs is killed after the grace, and replaced', async () => {
    const executor = open({ host: 'process', cancelGraceMs: 50, pool: { maxSize: 1 } });
    await executor.prewarm(1);
    const [victim] = shells();
    process.kill(victim, 'SIGSTOP');
    const elapsedMs = startStopwatch();
    expect(await executor.execute('1', [], { timeoutMs: 50 })).toMatchObject({
      ok: false,
      error: { code: 'timeout' },
    });
    expect(elapsedMs()).toBeLessThan(6000);
    expect(await executor.execute('2', [])).toMatchObject({ ok: true, result: 2 });
    expect(shells()).not.toContain(victim);
  });

  test('a guest inside a builtin does not cost the next execution', async () => {
    const executor = open({ host: 'process', pool: { maxSize: 1 } });
    const stuck = 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)';
    expect(await executor.execute(stuck, [], { timeoutMs: 100 })).toMatchObject({
      error: { code: 'timeout' },
    });
    expect(await executor.execute('2', [])).toMatchObject({ ok: true, result: 2 });
  });

  test('a guest that was stopped leaves a shell that is used again', async () => {
    const executor = open({ host: 'process', pool: { maxSize: 1 } });
    await executor.prewarm(1);
    const [shell] = shells();
    await executor.execute('await new Promise(() => {})', [], { timeoutMs: 50 });
    expect(await executor.execute('2', [])).toMatchObject({ ok: true, result: 2 });
    expect(shells()).toEqual([shell]);
  });

  test('a shell serves one execution after the other, and is given up when idle', async () => {
    const executor = open({ host: 'process', pool: { maxSize: 3, idleTimeoutMs: 150 } });
    for (let i = 0; i < 3; i++) await executor.execute('1', []);
    expect(shells()).toHaveLength(1);
    await until(() => shells().length === 0);
    expect(await executor.execute('1', [])).toMatchObject({ ok: true });
  });

  test('prewarm really warms', async () => {
    const executor = open({ host: 'process', pool: { maxSize: 4 } });
    await executor.prewarm(2);
    expect(shells()).toHaveLength(2);
    const pids = shells();
    await Promise.all([executor.execute('1', []), executor.execute('2', [])]);
    expect(shells()).toEqual(pids);
  });

  test('ephemeral shells serve one execution', async () => {
    const executor = open({ host: 'process', mode: 'ephemeral' });
    expect(await executor.execute('1', [])).toMatchObject({ ok: true });
    await until(() => shells().length === 0);
  });

  test('a shell has nothing of the host’s environment', async () => {
    process.env.ISOBOX_TEST_SECRET = 'hunter2';
    const executor = open({ host: 'process' });
    await executor.prewarm(1);
    delete process.env.ISOBOX_TEST_SECRET;
    const environment = fs.readFileSync(`/proc/${shells()[0]}/environ`, 'utf8');
    expect(environment).not.toContain('hunter2');
    expect(environment).not.toContain('NODE_OPTIONS');
  });

  test('shells end with a host that was killed', async () => {
    const child = await runChild(async ({ require, report }) => {
      const { IsolateExecutor: Executor } = require('../../lib/execbox/index.js');
      const executor = new Executor({ host: 'process' });
      await executor.prewarm(2);
      void executor.execute('for (;;);', [], { timeoutMs: 60_000 });
      report(require('../execbox/child-processes.js').childrenOf(process.pid));
      process.kill(process.pid, 'SIGKILL');
    });
    const [pids] = child.reports;
    expect(pids.length).toBeGreaterThanOrEqual(2);
    await until(() => pids.every((pid) => !fs.existsSync(`/proc/${pid}`)));
  });

  test('a terminal’s interrupt is the host’s to answer', async () => {
    const executor = open({ host: 'process' });
    await executor.prewarm(1);
    process.kill(shells()[0], 'SIGINT');
    process.kill(shells()[0], 'SIGTERM');
    await sleep(50);
    expect(await executor.execute('1', [])).toMatchObject({ ok: true });
    expect(shells()).toHaveLength(1);
  });
});

describe.each(['thread', 'worker', 'process'])('host %s', (host) => {
  test('an idle executor does not keep the process alive', async () => {
    const child = await runChild(
      async ({ require, report }, kind) => {
        const { IsolateExecutor: Executor } = require('../../lib/execbox/index.js');
        const executor = new Executor({
          host: kind,
          pool: { maxSize: 2, minSize: 1, prewarm: true },
        });
        await executor.prewarm(2);
        report((await executor.execute('1 + 1', [])).result);
        report((await executor.execute('const typed: number = 3; typed', [])).result);
        report((await executor.execute('for (;;);', [], { timeoutMs: 50 })).error?.code);
      },
      { args: host },
    );
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '', reports: [2, 3, 'timeout'] });
  });

  test('one that was only made does not either', async () => {
    const child = await runChild(
      ({ require }, kind) => {
        const { IsolateExecutor: Executor } = require('../../lib/execbox/index.js');
        void new Executor({ host: kind, pool: { maxSize: 2, prewarm: true } });
      },
      { args: host },
    );
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  test('an execution does, until its result is there', async () => {
    const child = await runChild(
      ({ require, report }, kind) => {
        const {
          IsolateExecutor: Executor,
          resolveProvider,
        } = require('../../lib/execbox/index.js');
        const wait = { execute: () => new Promise((resolve) => void setTimeout(resolve, 100)) };
        const provider = resolveProvider({ tools: { wait } });
        void new Executor({ host: kind })
          .execute('await codemode.wait(); "there"', [provider])
          .then(({ result }) => report(result));
      },
      { args: host },
    );
    expect(child).toMatchObject({ code: 0, stderr: '', reports: ['there'] });
  });

  test('disposing leaves nothing alive', async () => {
    const child = await runChild(
      async ({ require, report, allThreads, until: eventually }, kind) => {
        const { IsolateExecutor: Executor } = require('../../lib/execbox/index.js');
        const { childrenOf: listChildren } = require('../execbox/child-processes.js');
        // What the first use of everything leaves: libuv's and V8's own threads.
        const first = new Executor({ host: kind });
        await first.execute('1', []);
        await first.dispose();
        const threads = allThreads();
        const executor = new Executor({ host: kind, pool: { maxSize: 3, minSize: 3 } });
        await executor.prewarm(3);
        const running = executor.execute('for (;;);', [], { timeoutMs: 60_000 });
        await new Promise((resolve) => void setTimeout(resolve, 100));
        await executor.dispose();
        report((await running).error?.code);
        report(await eventually(() => allThreads() <= threads));
        report(listChildren(process.pid));
      },
      { args: host },
    );
    expect(child).toMatchObject({ code: 0, stderr: '', reports: ['internal_error', true, []] });
  });
});
