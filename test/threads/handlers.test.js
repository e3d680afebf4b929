'use strict';
// Sides that code plays.

const { until } = require('../support/time.js');
const {
  brief,
  call,
  defineAgent,
  defineHandler,
  definePrompt,
  defineTool,
  newDirectory,
  open,
  rowsOf,
  say,
  scripted,
} = require('./support.js');

/**
 * An agent whose side B is a handler.
 *
 * @param {any} script of side A
 * @param {any} execute
 * @param {any} [more]
 */
async function openHandled(script, execute, { agent, tools = {}, ...options } = {}) {
  const { model, requests } = scripted('script', script);
  const runtime = await open({
    models: [model],
    prompts: [
      definePrompt({
        ...{ name: 'main', toolDescription: 'd', prompt: 'You help.', model: 'script' },
        ...{ includeChat: true, includePastTools: true, tools: Object.keys(tools) },
      }),
    ],
    agents: [
      defineAgent({
        ...{ name: 'helper', sideA: { prompt: 'main' }, sideB: { handler: 'desk' } },
        ...agent,
      }),
    ],
    handlers: { desk: defineHandler({ execute }) },
    tools,
    ...options,
  });
  const thread = await runtime.createThread({ agent: 'helper' });
  return { runtime, thread, requests };
}

const ending = async (thread) => (await rowsOf(thread)).at(-1).metadata.stopReasonCode;

test('a handler gets what side A says, and its answers are messages of side B', async () => {
  const seen = [];
  const { runtime, thread, requests } = await openHandled(
    (_request, count) => say(`question ${count}`),
    async (state, message) => {
      seen.push([message.content, state.execution.currentSide]);
      if (seen.length === 1) return 'answer 1';
      return seen.length === 2 ? { content: 'answer 2' } : undefined;
    },
  );
  await runtime.send(thread.threadId, { content: 'go' });
  await runtime.idle(thread.threadId);
  expect(brief(await rowsOf(thread))).toEqual([
    'user: go',
    'assistant: question 1',
    'user: answer 1',
    'assistant: question 2',
    'user: answer 2',
    'assistant: question 3',
  ]);
  expect(seen).toEqual([
    ['question 1', 'b'],
    ['question 2', 'b'],
    ['question 3', 'b'],
  ]);
  expect(await ending(thread)).toBe('handler_idle');
  expect(requests.at(-1).messages.map(({ role }) => role)).toEqual([
    ...['system', 'user', 'assistant', 'user', 'assistant', 'user'],
  ]);
  const logs = await thread.getLogs();
  const handled = logs.filter(({ kind }) => kind === 'handler_execution');
  expect(handled).toHaveLength(3);
  expect(handled.every((log) => log.is_complete)).toBe(true);
});

test.each([
  ['throws', () => Promise.reject(new Error('the desk is closed')), 'the desk is closed'],
  ['gives something else', () => 5, 'A handler gives a text'],
])('a handler that %s ends the execution, and the thread stays usable', async (...row) => {
  const [, execute, text] = row;
  const { runtime, thread } = await openHandled([say('hello')], execute);
  for (const content of ['one', 'two']) {
    await runtime.send(thread.threadId, { content });
    await runtime.idle(thread.threadId);
    const last = (await rowsOf(thread)).at(-1);
    expect(last).toMatchObject({ status: 'failed', metadata: { stopReasonCode: 'step_error' } });
    expect(last.content).toContain(text);
  }
  const logs = await thread.getLogs();
  expect(logs.some((log) => log.error_type === 'handler_execution_error')).toBe(true);
});

test('turns of handlers count, and a handler may end the session', async () => {
  const capped = await openHandled([say('hello')], () => 'more', { agent: { maxSessionTurns: 4 } });
  await capped.runtime.send(capped.thread.threadId, { content: 'go' });
  await capped.runtime.idle(capped.thread.threadId);
  expect(await ending(capped.thread)).toBe('max_session_turns');
  expect(await rowsOf(capped.thread)).toHaveLength(5);
  const ended = await openHandled([say('hello')], (state) => {
    state.stopSession({ result: 'enough' });
    return 'good bye';
  });
  await ended.runtime.send(ended.thread.threadId, { content: 'go' });
  await ended.runtime.idle(ended.thread.threadId);
  expect(await ending(ended.thread)).toBe('state_stop_session');
  expect(brief(await rowsOf(ended.thread)).at(-1)).toBe('user: good bye');
});

test('tools that are queued while a handler plays run before it goes on', async () => {
  const tools = { note: defineTool({ description: 'Notes.', execute: () => 'noted' }) };
  let count = 0;
  const execute = async (state) => {
    count += 1;
    if (count > 1) return undefined;
    await state.queueTool('note', {});
    return 'written';
  };
  const { runtime, thread } = await openHandled([say('hello')], execute, { tools });
  await runtime.send(thread.threadId, { content: 'go' });
  await runtime.idle(thread.threadId);
  const rows = await rowsOf(thread);
  expect(rows.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
    'noted',
  ]);
  expect(await ending(thread)).toBe('handler_idle');
});

test('terminating ends a handler, and stopping too', async () => {
  for (const end of ['terminate', 'stop']) {
    let signal;
    const { runtime, thread } = await openHandled([say('hello')], (state) => {
      signal = state.execution.abortSignal;
      return new Promise(() => {});
    });
    await runtime.send(thread.threadId, { content: 'go' });
    await until(() => signal !== undefined);
    await (end === 'stop' ? runtime.stop(thread.threadId) : thread.terminate());
    await runtime.idle(thread.threadId);
    expect(signal.aborted).toBe(true);
    expect(await ending(thread)).toMatch(/^aborted/);
  }
});

test('a handler that its process left in the middle is not run again', async () => {
  const store = newDirectory();
  let runs = 0;
  const execute = (state) => {
    runs += 1;
    if (runs > 1) return undefined;
    return new Promise((_resolve, reject) => {
      state.execution.abortSignal.addEventListener('abort', () => reject(new Error('closing')));
    });
  };
  const first = await openHandled([say('hello')], execute, { store });
  const { threadId } = first.thread;
  // As a crash would: nothing is written any more.
  const { Store } = require('../../lib/threads/store/store.js');
  await first.runtime.send(threadId, { content: 'go' });
  await until(() => runs === 1);
  const lost = jest.spyOn(Store.prototype, 'change').mockRejectedValue(new Error('gone'));
  const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
  await first.runtime.close();
  lost.mockRestore();
  warned.mockRestore();
  const second = await openHandled([say('hello')], execute, { store });
  await second.runtime.idle(threadId);
  const thread = await second.runtime.thread(threadId);
  const last = (await rowsOf(thread)).at(-1);
  expect(last.content).toContain('outcome is unknown');
  expect(last.metadata.stopReasonCode).toBe('step_error');
  expect(runs).toBe(1);
  await second.runtime.send(threadId, { content: 'again' });
  await second.runtime.idle(threadId);
  expect(await ending(thread)).toBe('handler_idle');
});

test('a handler that is missing or in the wrong place is told at the start', async () => {
  const side = { prompt: 'main' };
  const agent = (more) => () => defineAgent({ name: 'a', sideA: side, ...more });
  expect(agent({ sideA: { ...side, handler: 'h' } })).toThrow('sideA.handler must not be there');
  expect(agent({ sideB: { handler: 'h', maxSteps: 1 } })).toThrow('sideB.maxSteps');
  expect(() => defineHandler(/** @type {any} */ ({}))).toThrow('execute is missing');
  const { model } = scripted('script', [call('x')]);
  const prompt = { name: 'main', toolDescription: 'd', prompt: 'x', model: 'script' };
  const options = { models: [model], prompts: [definePrompt(prompt)] };
  const agents = [agent({ sideB: { handler: 'h' } })()];
  await expect(open({ ...options, agents })).rejects.toThrow(
    "sideB.handler names 'h', and there is no such handler",
  );
});
