'use strict';
// Lines of the specification, and of what it leaves to its runtimes, that cut across the other suites.

const { LmdbEngine } = require('../../lib/threads/store/lmdb-engine.js');
const { sleep } = require('../support/time.js');
const {
  brief,
  call,
  defineAgent,
  defineEffect,
  definePrompt,
  defineTool,
  expectPaired,
  open,
  openAgent,
  rowsOf,
  say,
  scripted,
} = require('./support.js');

const finish = defineTool({
  description: 'finishes',
  args: { type: 'object' },
  execute: () => 'finished',
});
const work = defineTool({ description: 'works', execute: () => 'worked' });
const silentRows = (thread) => rowsOf(thread, { includeSilent: true });

describe('6: the order of stop conditions', () => {
  const stopTool = { stopTool: 'finish', stopToolResponseProperty: 'text' };
  test.each([
    ['session tools before limits', { sessionStop: 'finish', maxSteps: 1 }, 'session_stop'],
    ['stopTool before limits', { ...stopTool, maxSteps: 1 }, 'stop_tool'],
    [
      'session tools before stopTool and limits',
      { sessionFail: 'finish', ...stopTool, maxSteps: 1 },
      'session_fail',
    ],
  ])('%s', async (_name, side, code) => {
    const { send } = await openAgent([call('finish', { text: 'x' })], {
      side,
      options: { tools: { finish } },
    });
    expect((await send('go')).at(-1).metadata.stopReasonCode).toBe(code);
  });

  test('stopOnResponse before limits', async () => {
    const { send } = await openAgent([say('done')], { side: { maxSteps: 1 } });
    expect((await send('go')).at(-1).metadata.stopReasonCode).toBe('stop_on_response');
  });
});

test('3 and 9: a thread takes up its queue in the transaction that takes its lease', async () => {
  const { thread, runtime } = await openAgent([say('ok')]);
  const transact = jest.spyOn(LmdbEngine.prototype, 'transact');
  await runtime.send(thread.threadId, { content: 'go' });
  await runtime.idle(thread.threadId);
  const count = transact.mock.calls.length;
  transact.mockRestore();
  // The message; the lease with the history; the request; the answer; the end, with the lease given back.
  expect(count).toBe(5);
});

test('9: of queued messages with mixed roles the first decides who plays; all are in their order', async () => {
  const a = scripted('a', [say('A')]);
  const b = scripted('b', [say('B')]);
  const prompt = (name) =>
    definePrompt({ name, toolDescription: 'd', prompt: name, model: name, includeChat: true });
  const runtime = await open({
    models: [a.model, b.model],
    prompts: [prompt('a'), prompt('b')],
    agents: [
      defineAgent({
        name: 'two',
        type: 'dual_ai',
        sideA: { prompt: 'a' },
        sideB: { prompt: 'b' },
        maxSessionTurns: 1,
      }),
    ],
  });
  const thread = await runtime.createThread({ agent: 'two' });
  await runtime.stop(thread.threadId);
  await thread.queueMessage({ role: 'assistant', content: 'for B' });
  await thread.queueMessage({ role: 'user', content: 'for A' });
  await thread.queueMessage({ role: 'assistant', content: 'for B again' });
  await sleep(50);
  expect([a.requests.length, b.requests.length]).toEqual([0, 0]);
  await runtime.send(thread.threadId, { content: 'go on', role: 'user' });
  await runtime.idle(thread.threadId);
  expect(brief(await rowsOf(thread))).toEqual([
    'assistant: for B',
    'user: for A',
    'assistant: for B again',
    'user: go on',
    'user: B',
  ]);
  expect([a.requests.length, b.requests.length]).toEqual([0, 1]);
});

test('11: idle threads cost no timers', async () => {
  const { runtime } = await openAgent([say('ok')]);
  const later = jest.spyOn(globalThis, 'setTimeout');
  const often = jest.spyOn(globalThis, 'setInterval');
  const make = () => runtime.createThread({ agent: 'helper' });
  for (let made = 0; made < 10_000; made += 1000) {
    await Promise.all(Array.from({ length: 1000 }, make));
  }
  const timers = later.mock.calls.length + often.mock.calls.length;
  later.mockRestore();
  often.mockRestore();
  // The engine has some of its own, for each flush.
  expect(timers).toBeLessThan(100);
}, 60_000);

test('10: effects of a terminated thread do not fire, and none can be added', async () => {
  const note = defineEffect('Notes.', (state) => state.setValue('fired', true));
  const { thread } = await openAgent([say('ok')], { options: { effects: { note } } });
  await thread.scheduleEffect('note', {}, 1000);
  await thread.terminate();
  await sleep(1200);
  expect(await thread.getValue('fired')).toBe(null);
  expect(await thread.getScheduledEffects()).toEqual([]);
  await expect(thread.scheduleEffect('note')).rejects.toMatchObject({
    code: 'ERR_ISOBOX_THREAD_TERMINATED',
  });
});

describe('12: durable markers', () => {
  const waiting = {
    wait: defineTool({ description: 'waits', execute: () => new Promise(() => {}) }),
  };
  test.each([
    ['a stop', (runtime, id) => runtime.stop(id), 'execution_stopped', 'aborted_by_user'],
    [
      'a termination',
      async (runtime, id) => (await runtime.thread(id)).terminate(),
      'thread_terminated',
      'aborted',
    ],
  ])('%s of an execution is a row and a log', async (_name, end, kind, code) => {
    const { thread, runtime } = await openAgent([call('wait')], { options: { tools: waiting } });
    await runtime.send(thread.threadId, { content: 'go' });
    while (!thread.execution?.toolCallId) await sleep(5);
    await end(runtime, thread.threadId);
    await runtime.idle(thread.threadId);
    const rows = await silentRows(thread);
    expect(rows.map(({ metadata }) => metadata?.status_kind)).toContain(kind);
    expectPaired(rows);
    expect((await thread.getLogs()).at(-1)).toMatchObject({
      stopReasonCode: code,
      is_complete: true,
    });
  });

  /** What happened between a parent and its child, as both threads tell it. */
  async function events(script, { blocking, childScript }) {
    const inner = scripted('inner', childScript);
    const { send, thread, runtime } = await openAgent(
      (request, count) => script[count - 1]?.(thread, request) ?? say('ok'),
      {
        prompt: {
          tools: [{ name: 'child', blocking, resumable: { receives_messages: 'side_a' } }],
        },
        options: {
          models: [inner.model],
          tools: { finish, giveUp: finish, tell: finish },
          prompts: [
            definePrompt({
              name: 'inner',
              toolDescription: 'd',
              prompt: 'x',
              model: 'inner',
              tools: ['finish', 'giveUp', 'tell'],
            }),
          ],
          agents: [
            defineAgent({
              name: 'child',
              type: 'dual_ai',
              exposeAsTool: true,
              sideA: {
                prompt: 'inner',
                sessionStop: 'finish',
                sessionFail: 'giveUp',
                sessionStatus: 'tell',
              },
              sideB: { prompt: 'inner' },
            }),
          ],
        },
      },
    );
    await send('go');
    await runtime.idle();
    const told = (rows) =>
      rows.map(({ metadata }) => metadata?.subagent_event).filter((event) => event !== undefined);
    const child = await thread.getChildThread(thread.children[0].reference);
    return { parent: told(await silentRows(thread)), child: told(await silentRows(child)) };
  }
  const create = () =>
    call('subagent_create', { agent: 'child', message: 'm', attachments: [], name: 'n' });
  const message = (thread) =>
    call('subagent_message', {
      referenceId: thread.children[0].reference,
      message: 'more',
      attachments: [],
    });

  test('of subagents that are waited for: creation, status, result, message, failure', async () => {
    const found = await events([create, message], {
      blocking: true,
      childScript: [call('tell'), call('finish'), call('giveUp')],
    });
    expect(found).toEqual({
      parent: ['result', 'failure'],
      child: ['created', 'status', 'parent_handoff', 'parent_message', 'parent_handoff'],
    });
  });

  test('of subagents that are not waited for: start and result', async () => {
    const found = await events([create], { blocking: false, childScript: [call('finish')] });
    expect(found).toEqual({ parent: ['running', 'result'], child: ['created', 'parent_handoff'] });
  });
});

test('7.3: immediate subagents of immediate subagents start too', async () => {
  const inner = scripted('inner', [call('finish')]);
  const prompt = (name, tools) =>
    definePrompt({
      name: `${name}_prompt`,
      toolDescription: 'd',
      prompt: name,
      model: 'inner',
      tools,
    });
  const agent = (name) =>
    defineAgent({
      name,
      type: 'dual_ai',
      exposeAsTool: true,
      sideA: { prompt: `${name}_prompt`, sessionStop: 'finish' },
      sideB: { prompt: `${name}_prompt` },
    });
  const immediate = (name) => ({
    name,
    immediate: true,
    resumable: { receives_messages: 'side_a' },
  });
  const { send, thread } = await openAgent([say('Ready.')], {
    prompt: { tools: [immediate('middle')] },
    options: {
      models: [inner.model],
      tools: { finish, work },
      prompts: [prompt('middle', ['finish', immediate('deep')]), prompt('deep', ['finish'])],
      agents: [agent('middle'), agent('deep')],
    },
  });
  await send('go');
  const middle = await thread.getChildThread(thread.children[0].reference);
  expect(middle.children).toMatchObject([{ name: 'deep', status: 'idle' }]);
  const deep = await middle.getChildThread(middle.children[0].reference);
  expect((await deep.getParentThread()).threadId).toBe(middle.threadId);
  // The deepest one came first: its result is there when the one above asks its model.
  expect(inner.requests.map(({ messages }) => messages[0].content)).toEqual(['deep', 'middle']);
});

describe('7.2: subagents that a side lists', () => {
  async function openSide(script, relationship, childScript = [call('finish')]) {
    const inner = scripted('inner', childScript);
    return openAgent(script, {
      side: { subagents: [{ agent: 'child', ...relationship }] },
      options: {
        models: [inner.model],
        tools: { finish },
        prompts: [
          definePrompt({
            name: 'inner',
            toolDescription: 'd',
            prompt: 'x',
            model: 'inner',
            tools: ['finish'],
          }),
        ],
        agents: [
          defineAgent({
            name: 'child',
            type: 'dual_ai',
            exposeAsTool: true,
            sideA: { prompt: 'inner', sessionStop: 'finish' },
            sideB: { prompt: 'inner' },
          }),
        ],
      },
      prompt: { tools: [] },
    });
  }
  const create = (agent) =>
    call('subagent_create', { agent, message: 'm', attachments: [], name: 'n' });

  test('are created under the name the side gives them, and do not block unless told to', async () => {
    const { send, thread, runtime, requests } = await openSide(
      [create('helper_of_mine'), say('Started.'), say('Thanks.')],
      { as: 'helper_of_mine', maxInstances: 1 },
    );
    await send('go');
    await runtime.idle();
    expect(requests[0].tools[0].parameters.properties.agent.enum).toEqual(['helper_of_mine']);
    expect(thread.children).toMatchObject([
      { name: 'child', blocking: false, resumable: true, status: 'idle' },
    ]);
    const rows = await silentRows(thread);
    expect(rows[2].content).toContain('The subagent works on it');
    expect(brief(rows).at(-1)).toBe('assistant: Thanks.');
  });

  test('that are hidden are not offered, and start when they are immediate', async () => {
    const { send, thread, requests } = await openSide([create('child'), say('ok')], {
      hidden: true,
      immediate: true,
      blocking: true,
    });
    const rows = await send('go');
    expect(requests[0].tools).toBe(undefined);
    expect(thread.children).toHaveLength(1);
    expect(rows.filter(({ role }) => role === 'tool').map((row) => row.tool_status)).toEqual([
      'success',
      'error',
    ]);
    expectPaired(rows);
  });

  test.each([
    [{ agent: 'nobody' }, "sideA.subagents[0] names 'nobody', and there is no such agent"],
    [{ agent: 'helper' }, "sideA.subagents[0] names 'helper', which has no exposeAsTool: true"],
    [{ blocking: 1 }, 'sideA.subagents[0].blocking must be true or false'],
    [{ immediate: { env: 'x' } }, 'sideA.subagents[0].immediate.env is not known here'],
  ])('%j is refused', async (relationship, text) => {
    await expect(openSide([say('x')], relationship)).rejects.toThrow(text);
  });
});
