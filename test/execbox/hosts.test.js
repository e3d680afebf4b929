'use strict';
// Where executions run: what dies, what is replaced, and what must not stay.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { IsolateExecutor } = require('../../lib/execbox/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { runChild } = require('../support/child.js');
const { until } = require('../support/time.js');
const { watchChildren } = require('./child-processes.js');
const { toolsOf } = require('./contract.js');

const executors = [];

/** @param {import('../../types/execbox.js').IsolateExecutorOptions} [options] */
function open(options) {
  const executor = new IsolateExecutor({ host: 'process', ...options });
  executors.push(executor);
  return executor;
}

/** @type {() => number[]} */
let processes;

beforeEach(() => {
  processes = watchChildren();
});

afterEach(async () => {
  for (const executor of executors.splice(0)) await executor.dispose();
  expect(processes()).toEqual([]);
});

/** An execution that waits for a tool, once it does. */
async function startWaiting(executor) {
  let answer = (/** @type {any} */ _value) => {};
  let signal;
  let result;
  await new Promise((resolve) => {
    const wait = (_input, context) => {
      signal = context.signal;
      resolve(undefined);
      return new Promise((settle) => (answer = settle));
    };
    result = executor.execute('await tools.wait()', [toolsOf({ wait })]);
  });
  return { answer, signal, result: Promise.resolve(result) };
}

describe('process', () => {
  test('a process that dies answers internal_error for its executions, and nothing else is lost', async () => {
    const executor = open({ processes: 2 });
    const waiting = [await startWaiting(executor), await startWaiting(executor)];
    const victim = processes()[0];
    process.kill(victim, 'SIGKILL');
    const lost = await Promise.race(waiting.map(({ result }, i) => result.then((one) => [i, one])));
    expect(lost[1]).toMatchObject({
      ok: false,
      error: { code: 'internal_error', message: expect.stringContaining('process') },
    });
    expect(waiting[lost[0]].signal?.aborted).toBe(true);
    const other = waiting[1 - lost[0]];
    expect(other.signal?.aborted).toBe(false);
    other.answer('survived');
    expect(await other.result).toMatchObject({ ok: true, result: 'survived' });
    expect(await executor.execute('1 + 1', [])).toMatchObject({ ok: true, result: 2 });
    expect(processes()).not.toContain(victim);
  });

  test('a process that dies idle is replaced, and the next execution has the new one', async () => {
    const executor = open();
    await executor.execute('1', []);
    const [victim] = processes();
    process.kill(victim, 'SIGKILL');
    let replacement;
    await until(() => ([replacement] = processes().filter((pid) => pid !== victim)).length > 0);
    const { durationMs: _durationMs, ...result } = await executor.execute('1', []);
    expect(result).toEqual({ ok: true, result: 1, logs: [] });
    expect(processes()).toEqual([replacement]);
  });

  test('a process that hangs costs a timeout, is killed, and replaced', async () => {
    const executor = open();
    await executor.prewarm(1);
    const [victim] = processes();
    process.kill(victim, 'SIGSTOP');
    const elapsedMs = startStopwatch();
    expect(await executor.execute('1', [], { timeoutMs: 50 })).toMatchObject({
      ok: false,
      error: { code: 'timeout' },
    });
    expect(elapsedMs()).toBeLessThan(6000);
    await until(() => !processes().includes(victim));
    expect(await executor.execute('2', [])).toMatchObject({ ok: true, result: 2 });
  });

  test('an abort is answered when the process hangs', async () => {
    const executor = open();
    await executor.prewarm(1);
    process.kill(processes()[0], 'SIGSTOP');
    const abort = new AbortController();
    const execution = executor.execute('1', [], { timeoutMs: 60_000, signal: abort.signal });
    abort.abort();
    expect(await execution).toMatchObject({ ok: false, error: { code: 'timeout' } });
  });

  test('a guest inside a builtin does not cost the next execution', async () => {
    const executor = open({ pool: { maxSize: 1 } });
    const stuck = 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)';
    expect(await executor.execute(stuck, [], { timeoutMs: 100 })).toMatchObject({
      error: { code: 'timeout' },
    });
    expect(await executor.execute('2', [])).toMatchObject({ ok: true, result: 2 });
  });

  test('a guest that was stopped leaves a process that is used again', async () => {
    const executor = open({ pool: { maxSize: 1 } });
    await executor.prewarm(1);
    const first = processes();
    await executor.execute('await new Promise(() => {})', [], { timeoutMs: 50 });
    expect(await executor.execute('2', [])).toMatchObject({ ok: true, result: 2 });
    expect(processes()).toEqual(first);
  });

  test('executions at once share a process, which is given up when idle', async () => {
    const executor = open({ pool: { idleTimeoutMs: 0 } });
    await Promise.all([0, 1, 2].map(() => executor.execute('1', [])));
    expect(processes()).toHaveLength(1);
    await until(() => processes().length === 0);
    expect(await executor.execute('1', [])).toMatchObject({ ok: true });
  });

  test('with minSize it is kept however long nothing runs', async () => {
    const kept = open({ pool: { minSize: 1, idleTimeoutMs: 0 } });
    await kept.prewarm();
    const [pid] = processes();
    // Made later, and its process goes by itself: by then the time is over for both.
    const other = open({ pool: { idleTimeoutMs: 0 } });
    await other.prewarm();
    await until(() => processes().length === 1);
    expect(processes()).toEqual([pid]);
  });

  test('prewarm really warms', async () => {
    const executor = open({ processes: 2 });
    await executor.prewarm(2);
    const pids = processes();
    expect(pids).toHaveLength(2);
    await Promise.all([executor.execute('1', []), executor.execute('2', [])]);
    expect(processes()).toEqual(pids);
  });

  test('a process has nothing of the host’s environment', async () => {
    process.env.ISOBOX_TEST_SECRET = 'hunter2';
    const executor = open({ sandbox: 'off' }); // one that is locked in cannot be looked into
    await executor.prewarm(1);
    delete process.env.ISOBOX_TEST_SECRET;
    const environment = fs.readFileSync(`/proc/${processes()[0]}/environ`, 'utf8');
    expect(environment).toContain('TZ=');
    expect(environment).not.toContain('hunter2');
    expect(environment).not.toContain('NODE_OPTIONS');
  });

  test('processes end with a host that was killed', async () => {
    const child = await runChild(async ({ require, report }) => {
      const { IsolateExecutor: Executor } = require('../../lib/execbox/index.js');
      const executor = new Executor({ host: 'process', processes: 2 });
      await executor.prewarm(2);
      void executor.execute('for (;;);', [], { timeoutMs: 60_000 });
      report(require('../execbox/child-processes.js').childrenOf(process.pid));
      process.kill(process.pid, 'SIGKILL');
    });
    const [pids] = child.reports;
    expect(pids).toHaveLength(2);
    await until(() => pids.every((pid) => !fs.existsSync(`/proc/${pid}`)));
  });

  test('a terminal’s interrupt is the host’s to answer', async () => {
    const code = `
      const { IsolateExecutor, resolveProvider } = require(${JSON.stringify(path.join(__dirname, '../../lib/execbox'))});
      const interrupted = new Promise((resolve) => process.once('SIGINT', resolve));
      const wait = { execute: () => (console.log('waiting'), interrupted.then(() => 'answered')) };
      new IsolateExecutor({ host: 'process' })
        .execute('await codemode.wait()', [resolveProvider({ tools: { wait } })])
        .then(({ result }) => console.log(result));`;
    // With a group of its own, as a terminal gives to what it starts.
    const host = spawn(process.execPath, ['-e', code], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    host.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    const ended = new Promise((resolve) => host.once('close', resolve));
    await until(() => output === 'waiting\n');
    process.kill(-Number(host.pid), 'SIGINT');
    expect(await ended).toBe(0);
    expect(output).toBe('waiting\nanswered\n');
  });
});

describe('ephemeral', () => {
  test('a process serves one execution, and none is left', async () => {
    const executor = open({ mode: 'ephemeral' });
    const [first, second] = await Promise.all([startWaiting(executor), startWaiting(executor)]);
    expect(processes()).toHaveLength(2);
    first.answer(1);
    expect(await first.result).toMatchObject({ ok: true, result: 1 });
    await until(() => processes().length === 1);
    const [pid] = processes();
    const third = await startWaiting(executor);
    expect(processes().filter((one) => one !== pid)).toHaveLength(1);
    second.answer(2);
    third.answer(3);
    expect(await second.result).toMatchObject({ ok: true, result: 2 });
    expect(await third.result).toMatchObject({ ok: true, result: 3 });
    await until(() => processes().length === 0);
  });

  test('one that dies costs its own execution', async () => {
    const executor = open({ mode: 'ephemeral' });
    await until(() => processes().length === 1);
    const [victim] = processes();
    const first = await startWaiting(executor);
    const second = await startWaiting(executor);
    process.kill(victim, 'SIGKILL');
    expect(await first.result).toMatchObject({ ok: false, error: { code: 'internal_error' } });
    second.answer('survived');
    expect(await second.result).toMatchObject({ ok: true, result: 'survived' });
  });

  test('minSize are kept ready, and replaced when they were used', async () => {
    const executor = open({ mode: 'ephemeral', pool: { minSize: 2, maxSize: 2 } });
    await executor.prewarm(5);
    const first = processes();
    expect(first).toHaveLength(2);
    expect(await executor.execute('1', [])).toMatchObject({ ok: true });
    await until(() => {
      const now = processes();
      return now.length === 2 && now.filter((pid) => first.includes(pid)).length === 1;
    });
  });

  test('maxSize is the number of processes, so processes is refused', () => {
    expect(() => open({ mode: 'ephemeral', processes: 2 })).toThrow(/options\.pool\.maxSize/);
  });
});

describe.each(['thread', 'process'])('host %s', (host) => {
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
