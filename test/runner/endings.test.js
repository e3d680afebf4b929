'use strict';
// Signals and the end of input, whatever is going on: executions are cancelled, and the process leaves at once.

const { startStopwatch } = require('../../scripts/stolen-time.js');
const { GUESTS } = require('../support/guests.js');
const { sleep } = require('../support/time.js');
const { RunnerProcess, endAfterEach } = require('./runner-process.js');

endAfterEach();

/** @typedef {InstanceType<typeof RunnerProcess>} Runner */

/** @type {[string, (runner: Runner) => Promise<unknown>, number][]} */
const WAYS = [
  ['the end of input', (runner) => runner.end(), 0],
  ['SIGTERM', (runner) => runner.kill('SIGTERM'), 143],
  ['SIGINT', (runner) => runner.kill('SIGINT'), 130],
];

/** @type {Record<string, (runner: Runner) => Promise<string | null>>} */
const STATES = {
  'an idle runner': async (runner) => {
    await runner.expectToServe();
    return null;
  },
  'a guest that loops': async (runner) => {
    runner.execute('e', GUESTS.loop);
    await runner.first('started');
    return 'e';
  },
  'a guest that waits for a call': async (runner) => {
    runner.execute('e', 'await tools.ask()', { tools: ['ask'] });
    await runner.first('tool_call');
    return 'e';
  },
  'a guest inside a builtin that V8 cannot interrupt': async (runner) => {
    runner.execute('e', GUESTS.stuck);
    await runner.first('started');
    return 'e';
  },
};

describe.each(WAYS)('%s', (_name, leave, code) => {
  test.each(Object.entries(STATES))('ends %s', async (_state, enter) => {
    const runner = new RunnerProcess();
    const active = await enter(runner);
    const elapsedMs = startStopwatch();
    expect(await leave(runner)).toMatchObject({ code, signal: null });
    expect(elapsedMs()).toBeLessThan(3000);
    if (active === null) return;
    const done = runner.messages.at(-1);
    expect(done).toMatchObject({ type: 'done', id: active, ok: false, error: { code: 'timeout' } });
    expect(runner.stderr).toBe('');
  });
});

test.each(
  /** @type {const} */ ([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ]),
)('%s also ends a runner whose host does not read', async (signal, code) => {
  const runner = new RunnerProcess();
  await runner.expectToServe();
  runner.child.stdout.pause();
  runner.execute('e', '"x".repeat(10_000_000)');
  await sleep(500);
  const exited = new Promise((resolve) => {
    runner.child.on('exit', (exitCode, exitSignal) => resolve({ exitCode, exitSignal }));
  });
  runner.child.kill(signal);
  expect(await exited).toEqual({ exitCode: code, exitSignal: null });
  runner.child.stdout.destroy();
});
