'use strict';

const { threadState } = require('../../lib/run-code/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { sleep } = require('../support/time.js');
const { useRunCode } = require('./use-run-code.js');

const used = useRunCode();

const stateWith = (parts) => threadState(parts, { pool: used.pool });

test('gives a state its runCode, and is the same state otherwise', async () => {
  const given = { threadId: 't1', values: new Map() };
  const state = stateWith(given);
  expect(state).toBe(given);
  expect(
    await state.runCode('export default (n: number) => n + 1', { execute: { args: [41] } }),
  ).toMatchObject({
    status: 'success',
    result: 42,
  });
});

test('SHOULD: a run is terminated when state.execution.abortSignal fires', async () => {
  const controller = new AbortController();
  const state = stateWith({ execution: { abortSignal: controller.signal } });
  const handle = state.runCode('for (;;);');
  await sleep(20);
  const elapsedMs = startStopwatch();
  controller.abort('thread was stopped');
  expect(await handle).toMatchObject({
    status: 'terminated',
    error: { name: 'Terminated', message: 'thread was stopped' },
  });
  expect(elapsedMs()).toBeLessThan(150);
});

test('the execution is looked up at each call', async () => {
  const state = stateWith({ execution: null });
  expect(await state.runCode('export default 1')).toMatchObject({ result: 1 });
  const controller = new AbortController();
  state.execution = { abortSignal: controller.signal };
  controller.abort();
  expect(await state.runCode('export default 1')).toMatchObject({ status: 'terminated' });
  state.execution = { abortSignal: new AbortController().signal };
  expect(await state.runCode('export default 2')).toMatchObject({ result: 2 });
  delete state.execution;
  expect(await state.runCode('export default 3')).toMatchObject({ result: 3 });
});

test('an abort without a reason has a message all the same', async () => {
  const controller = new AbortController();
  const state = stateWith({ execution: { abortSignal: controller.signal } });
  const handle = state.runCode('await new Promise(() => {})');
  controller.abort();
  const { error } = await handle;
  expect(error.message.length).toBeGreaterThan(5);
});

test('works on class instances with private state, and with a getter for the execution', async () => {
  class Thread {
    #signal = new AbortController().signal;
    get execution() {
      return { abortSignal: this.#signal };
    }
  }
  expect(await stateWith(new Thread()).runCode('export default 1')).toMatchObject({ result: 1 });
});

test.each([
  [
    'an execution that throws',
    {
      get execution() {
        throw new Error('x');
      },
    },
  ],
  ['a signal that is none', { execution: { abortSignal: 'stop' } }],
])('%s does not keep code from running', async (_what, parts) => {
  expect(await stateWith(parts).runCode('export default 1')).toMatchObject({ result: 1 });
});

test.each([undefined, null, 5])('threadState(%p) throws', (/** @type {any} */ state) => {
  expect(() => threadState(state)).toThrow(TypeError);
});

test('runCode of a state can be called detached from it', async () => {
  const { runCode } = stateWith({});
  expect(await runCode('export default 1')).toMatchObject({ result: 1 });
});

test('the settings of createRunCode apply', async () => {
  const controller = new AbortController();
  const state = threadState({}, { pool: used.pool, signal: controller.signal });
  controller.abort('all of it');
  expect(await state.runCode('export default 1')).toMatchObject({
    error: { message: 'all of it' },
  });
  expect(() => threadState({}, /** @type {any} */ ({ nope: 1 }))).toThrow(TypeError);
});
