'use strict';
// Processes of guests that are gone from one moment to the next, at every state an execution can be in.

const fs = require('node:fs');

const { IsolateExecutor } = require('../../lib/execbox/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { watchChildren } = require('../execbox/child-processes.js');
const { toolsOf } = require('../execbox/contract.js');
const { GUESTS } = require('../support/guests.js');
const { sleep, until } = require('../support/time.js');

const STUCK = GUESTS.stuck;

const mine = watchChildren();

/** Until the host knows: an execution that comes earlier may still be given to one of them. */
const untilNoticed = (pids) => until(() => !pids.some((pid) => fs.existsSync(`/proc/${pid}`)));

/**
 * Each says what a guest does and how long to wait until it is in the state of that name. Counts of calls and the caller's
 * abort are at hand.
 */
const STATES = {
  'before it has started': async () => ({ code: '1', wait: async () => {}, mayFinish: true }),
  'while it computes': async () => ({ code: 'for (;;) {}', wait: () => sleep(80) }),
  'inside a builtin': async () => ({ code: STUCK, wait: () => sleep(80) }),
  'while it waits for nothing': async () => ({
    code: 'await new Promise(() => {})',
    wait: () => sleep(80),
  }),
  'while it waits for a tool': async (calls) => ({
    code: 'await tools.never()',
    wait: () => until(() => calls.never === 1),
  }),
  'while a tool answers': async (calls) => ({
    code: 'for (;;) await tools.ping()',
    wait: () => until(() => calls.ping > 20),
  }),
  'while it logs': async () => ({
    code: 'for (;;) { console.log("x".repeat(1000)); await null }',
    wait: () => sleep(60),
  }),
  'while it sends its result': async (calls) => ({
    code: 'await tools.ping(); "x".repeat(8e6)',
    wait: async () => {
      await until(() => calls.ping === 1);
      await sleep(3);
    },
    mayFinish: true,
  }),
  'while it is being cancelled': async (_calls, abort) => ({
    code: STUCK,
    wait: async () => {
      await sleep(60);
      abort.abort();
      await sleep(5);
    },
    codes: ['timeout', 'internal_error'],
  }),
};

describe('a process that is killed', () => {
  test.each(Object.entries(STATES))('%s answers, once and soon', async (_state, prepare) => {
    const calls = { never: 0, ping: 0 };
    const abort = new AbortController();
    let signal;
    const tools = toolsOf({
      never: (_input, context) => {
        calls.never++;
        signal = context.signal;
        return new Promise(() => {});
      },
      ping: () => ++calls.ping,
    });
    const {
      code,
      wait,
      mayFinish = false,
      codes = ['internal_error'],
    } = await prepare(calls, abort);
    const executor = new IsolateExecutor({ host: 'process', timeoutMs: 20_000 });
    await executor.prewarm(1);
    const [victim] = mine();
    let answers = 0;
    const result = executor
      .execute(code, [tools], { signal: abort.signal })
      .then((one) => (answers++, one));
    await wait();
    const elapsedMs = startStopwatch();
    process.kill(victim, 'SIGKILL');
    const answer = await result;
    expect(elapsedMs()).toBeLessThan(3000);
    if (!(mayFinish && answer.ok)) {
      expect(answer.ok).toBe(false);
      expect(codes).toContain(answer.error?.code);
    }
    if (signal !== undefined) expect(signal.aborted).toBe(true);
    await untilNoticed([victim]);
    expect(await executor.execute('1 + 1', [])).toMatchObject({ ok: true, result: 2 });
    expect(answers).toBe(1);
    await executor.dispose();
    expect(mine()).toEqual([]);
  });

  test('while it starts costs nothing: who waits for it gets another', async () => {
    const executor = new IsolateExecutor({ host: 'process', timeoutMs: 20_000 });
    const [victim] = mine();
    const result = executor.execute('1', []);
    process.kill(victim, 'SIGKILL');
    expect(await result).toMatchObject({ ok: true, result: 1 });
    expect(await executor.execute('2', [])).toMatchObject({ ok: true, result: 2 });
    await executor.dispose();
    expect(mine()).toEqual([]);
  });
});

test('kill -9 of every process again and again: each execution has one answer, and none is left', async () => {
  const executor = new IsolateExecutor({ host: 'process', processes: 3, timeoutMs: 5000 });
  const end = new AbortController();
  const killed = [];
  const killing = (async () => {
    while (!end.signal.aborted) {
      for (const pid of mine()) {
        process.kill(pid, 'SIGKILL');
        killed.push(pid);
      }
      await sleep(60);
    }
  })();
  const tools = toolsOf({ ping: () => sleep(1).then(() => 1) });
  const results = await Promise.all(
    Array.from({ length: 20 }, () =>
      executor.execute('let n = 0; for (let i = 0; i < 20; i++) n += await tools.ping(); n', [
        tools,
      ]),
    ),
  );
  end.abort();
  await killing;
  expect(killed.length).toBeGreaterThan(0);
  for (const result of results) {
    if (result.ok) expect(result.result).toBe(20);
    else expect(result.error.code).toBe('internal_error');
  }
  await untilNoticed(killed);
  expect(await executor.execute('1 + 1', [])).toMatchObject({ ok: true, result: 2 });
  await executor.dispose();
  expect(mine()).toEqual([]);
}, 60_000);
