'use strict';
// Sections 9 to 11: queues, stopping, terminating, and one flow per thread. And effects.

const { z } = require('zod');

const { until } = require('../support/time.js');
const {
  brief,
  call,
  defineEffect,
  defineTool,
  expectPaired,
  newDirectory,
  open,
  openAgent,
  rowsOf,
  say,
} = require('./support.js');

const tick = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A promise and its end. */
function gate() {
  let release;
  const promise = new Promise((resolve) => (release = resolve));
  return { promise, release };
}

test('9: messages that arrive while a thread executes go in before the next request, in order', async () => {
  const { promise, release } = gate();
  const wait = defineTool({ description: 'waits', execute: () => promise });
  const { thread, runtime, requests } = await openAgent([call('wait'), say('ok')], {
    options: { tools: { wait } },
  });
  await runtime.send(thread.threadId, { content: 'one' });
  while (!thread.execution?.toolCallId) await tick(5);
  await runtime.send(thread.threadId, { content: 'two' });
  await thread.queueMessage({ role: 'user', content: 'three', silent: true });
  const queued = (await rowsOf(thread, { includeSilent: true })).slice(-2);
  expect(queued).toMatchObject([
    {
      content: 'two',
      status: 'pending',
      metadata: { queued: true, queue_status: 'queued', queue_source: 'send' },
    },
    { content: 'three', status: 'pending' },
  ]);
  release('waited');
  await runtime.idle(thread.threadId);
  expect(brief(await rowsOf(thread, { includeSilent: true }))).toEqual([
    'user: one',
    'assistant: null',
    'tool: waited',
    'user: two',
    'user: three',
    'assistant: ok',
  ]);
  expect(requests[1].messages.slice(-2).map(({ content }) => content)).toEqual(['two', 'three']);
});

test('9: a queued message starts a thread at rest; many start it once, in order', async () => {
  const { thread, runtime, requests } = await openAgent([say('ok')]);
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => thread.queueMessage({ role: 'user', content: `${n}` })),
  );
  await runtime.idle(thread.threadId);
  const rows = (await rowsOf(thread)).filter(({ role }) => role === 'user');
  expect(rows.map(({ content }) => Number(content))).toEqual(
    Array.from({ length: 20 }, (_, n) => n),
  );
  expect(requests.length).toBeLessThan(20);
});

test('9: injectMessage adds a row and starts nothing', async () => {
  const { thread, runtime, requests } = await openAgent([say('ok')]);
  const row = await thread.injectMessage({
    role: 'user',
    content: 'note',
    metadata: { from: 'test' },
  });
  await runtime.idle();
  expect(requests).toHaveLength(0);
  expect(await thread.getMessage(row.id)).toMatchObject({
    content: 'note',
    metadata: { from: 'test' },
  });
});

test('messages can be updated, listed in pages and deleted with what belongs to them', async () => {
  const add = defineTool({
    description: 'd',
    execute: () => ({
      status: 'success',
      result: '1',
      attachments: [{ name: 'f', mimeType: 'text/plain', data: 'aGk=' }],
    }),
  });
  const { thread, send } = await openAgent([call('add'), say('ok')], {
    options: { tools: { add } },
  });
  const rows = await send('go');
  const updated = await thread.updateMessage(rows[3].id, { metadata: { seen: true } });
  expect(updated.metadata).toEqual({ stopReasonCode: 'stop_on_response', seen: true });
  expect(brief((await thread.getMessages({ limit: 2 })).messages)).toEqual(brief(rows.slice(2)));
  const page = await thread.getMessages({ limit: 2, offset: 1, order: 'desc' });
  expect(page).toMatchObject({ total: 4, hasMore: true });
  expect(brief(page.messages)).toEqual(brief([rows[2], rows[1]]));
  expect((await thread.getFileStats()).fileCount).toBe(1);
  expect(await thread.deleteMessage(rows[1].id)).toBe(true);
  expect(brief(await rowsOf(thread))).toEqual(['user: go', 'assistant: ok']);
  expect((await thread.getFileStats()).fileCount).toBe(0);
  expect(await thread.deleteMessage(rows[1].id)).toBe(false);
  expect(await thread.getMessage('nope')).toBe(null);
});

test('a stop ends the execution, parks the queue, and a user message ends the stop', async () => {
  const { promise, release } = gate();
  const wait = defineTool({ description: 'waits', execute: () => promise });
  const script = [
    call([
      ['wait', {}],
      ['wait', {}],
    ]),
    say('back'),
  ];
  const { thread, runtime, requests } = await openAgent(script, { options: { tools: { wait } } });
  await runtime.send(thread.threadId, { content: 'go' });
  while (!thread.execution?.toolCallId) await tick(5);
  await runtime.stop(thread.threadId);
  await runtime.idle(thread.threadId);
  const stopped = await rowsOf(thread);
  expectPaired(stopped);
  expect((await thread.getLogs()).at(-1).stopReasonCode).toBe('aborted_by_user');
  await thread.queueMessage({ role: 'user', content: 'parked' });
  await tick(50);
  await runtime.idle(thread.threadId);
  expect(requests).toHaveLength(1);
  release('late');
  await runtime.send(thread.threadId, { content: 'go on' });
  await runtime.idle(thread.threadId);
  const rows = await rowsOf(thread);
  expect(brief(rows).slice(-3)).toEqual(['user: parked', 'user: go on', 'assistant: back']);
  expect(brief(rows)).not.toContain('tool: late');
});

test('continue goes on after a stop', async () => {
  const { thread, runtime, send } = await openAgent([say('one'), say('two')]);
  await send('hello');
  await runtime.stop(thread.threadId);
  await thread.queueMessage({ role: 'user', content: 'parked' });
  await runtime.continue(thread.threadId);
  await runtime.idle(thread.threadId);
  expect(brief(await rowsOf(thread)).slice(-2)).toEqual(['user: parked', 'assistant: two']);
});

test('10: terminate during a model call aborts it; reads work, the rest is refused', async () => {
  let aborted = false;
  let isAsked = false;
  const { thread, runtime } = await openAgent(
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        isAsked = true;
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(signal.reason);
        });
      }),
    { options: { effects: { later: defineEffect('d', () => {}) } } },
  );
  await thread.scheduleEffect('later', {}, 60_000);
  await runtime.send(thread.threadId, { content: 'go' });
  await until(() => isAsked);
  await thread.terminate();
  await thread.terminate();
  await runtime.idle(thread.threadId);
  expect(aborted).toBe(true);
  expect(thread.terminated).toBeGreaterThan(thread.createdAt);
  expect(thread.execution).toBe(null);
  const rows = await rowsOf(thread);
  expect(brief(rows)).toEqual(['user: go']);
  expect(rows.filter(({ status }) => status === 'pending')).toEqual([]);
  expect(await thread.getScheduledEffects()).toEqual([]);
  const refused = { code: 'ERR_ISOBOX_THREAD_TERMINATED' };
  await expect(runtime.send(thread.threadId, { content: 'x' })).rejects.toMatchObject(refused);
  await expect(thread.queueMessage({ role: 'user', content: 'x' })).rejects.toMatchObject(refused);
  await expect(thread.injectMessage({ role: 'user', content: 'x' })).rejects.toMatchObject(refused);
  await expect(thread.runAgent('helper')).rejects.toMatchObject(refused);
  await expect(thread.scheduleEffect('later')).rejects.toMatchObject(refused);
});

test('10: terminate during a tool leaves a result for every call, and ends runCode', async () => {
  const statuses = [];
  let isStarted = false;
  const loop = defineTool({
    description: 'loops',
    execute: async (state) => {
      const running = state.runCode('for (;;);');
      isStarted = true;
      statuses.push((await running).status);
      return 'ended';
    },
  });
  const { thread, runtime } = await openAgent(
    [
      call([
        ['loop', {}],
        ['loop', {}],
      ]),
    ],
    { options: { tools: { loop } } },
  );
  await runtime.send(thread.threadId, { content: 'go' });
  await until(() => isStarted);
  await thread.terminate();
  await runtime.idle(thread.threadId);
  const rows = await rowsOf(thread);
  expectPaired(rows);
  expect(rows.filter(({ role }) => role === 'tool').map(({ tool_status }) => tool_status)).toEqual([
    'error',
    'error',
  ]);
  await until(() => statuses.length > 0);
  expect(statuses).toEqual(['terminated']);
});

test('11: two runtimes on one store run one flow of a thread at a time', async () => {
  const store = newDirectory();
  let running = 0;
  let most = 0;
  const slow = defineTool({
    description: 'slow',
    execute: async () => {
      running += 1;
      most = Math.max(most, running);
      await tick(30);
      running -= 1;
      return 'ok';
    },
  });
  const script = ({ messages }) => (messages.at(-1).role === 'tool' ? say('done') : call('slow'));
  const first = await openAgent(script, {
    options: { store, tools: { slow }, limits: { pollMs: 50 } },
  });
  const second = await openAgent(script, {
    options: { store, tools: { slow }, limits: { pollMs: 50 } },
  });
  const { threadId } = first.thread;
  for (let index = 0; index < 6; index += 1) {
    await (index % 2 ? first : second).runtime.send(threadId, { content: `m${index}` });
    await tick(10);
  }
  await first.runtime.idle(threadId);
  await second.runtime.idle(threadId);
  const rows = await rowsOf(first.thread);
  expect(most).toBe(1);
  expectPaired(rows);
  expect(rows.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    'm0',
    'm1',
    'm2',
    'm3',
    'm4',
    'm5',
  ]);
  expect(rows.filter(({ status }) => status !== 'completed')).toEqual([]);
});

test('more threads than may run at once wait for their turn', async () => {
  let running = 0;
  let most = 0;
  const { runtime } = await openAgent(
    async () => {
      running += 1;
      most = Math.max(most, running);
      await tick(5);
      running -= 1;
      return say('ok');
    },
    { options: { limits: { activeThreads: 3, pollMs: 60_000 } } },
  );
  const threads = await Promise.all(
    Array.from({ length: 12 }, () => runtime.createThread({ agent: 'helper' })),
  );
  await Promise.all(threads.map(({ threadId }) => runtime.send(threadId, { content: 'go' })));
  await runtime.idle();
  for (const thread of threads) expect(await rowsOf(thread)).toHaveLength(2);
  expect(most).toBeLessThanOrEqual(3);
});

test('a thread whose agent is defined no more says so, and is at rest', async () => {
  const store = newDirectory();
  const first = await openAgent([say('ok')], { options: { store } });
  const { threadId } = first.thread;
  await first.runtime.close();
  const second = await open({ store });
  await second.send(threadId, { content: 'anybody there?' });
  await second.idle(threadId);
  expect((await rowsOf(await second.thread(threadId))).at(-1)).toMatchObject({
    status: 'failed',
    content: expect.stringContaining("There is no agent 'helper'"),
    metadata: { stopReasonCode: 'step_error' },
  });
});

test('11: threads run beside each other', async () => {
  let running = 0;
  const { runtime } = await openAgent(async () => {
    running += 1;
    // None is answered before all have asked.
    await until(() => running === 20);
    return say('ok');
  });
  const threads = await Promise.all(
    Array.from({ length: 20 }, () => runtime.createThread({ agent: 'helper' })),
  );
  await Promise.all(threads.map(({ threadId }) => runtime.send(threadId, { content: 'go' })));
  await runtime.idle();
  for (const thread of threads) expect(await rowsOf(thread)).toHaveLength(2);
});

describe('effects', () => {
  const note = defineEffect('Notes.', z.object({ text: z.string() }), async (state, { text }) => {
    await state.setValue('notes', [...((await state.getValue('notes')) ?? []), text]);
    expect(state.execution).toBe(null);
  });
  const bad = defineEffect('Breaks.', () => {
    throw new Error('broke');
  });

  test('2: an effect runs when its time has come, at rest, and can start an execution', async () => {
    const ask = defineEffect('Asks.', (state) =>
      state.queueMessage({ role: 'user', content: 'time is up' }),
    );
    const { thread, runtime } = await openAgent([say('ok')], {
      options: { effects: { note, ask } },
    });
    await thread.scheduleEffect('note', { text: 'b' }, 800);
    await thread.scheduleEffect('note', { text: 'a' });
    await thread.scheduleEffect('ask', {}, 1000);
    expect(await thread.getScheduledEffects('ask')).toMatchObject([{ name: 'ask', args: {} }]);
    while ((await rowsOf(thread)).length < 2) await tick(10);
    await runtime.idle();
    expect(await thread.getValue('notes')).toEqual(['a', 'b']);
    expect(brief(await rowsOf(thread))).toEqual(['user: time is up', 'assistant: ok']);
    expect(await thread.getScheduledEffects()).toEqual([]);
  });

  test('2: messages that an effect writes say so in metadata.scheduledEffect', async () => {
    const tell = defineEffect('Tells.', async (state) => {
      await state.injectMessage({ role: 'system', content: 'injected', metadata: { own: 1 } });
      await state.queueMessage({ role: 'user', content: 'queued' });
    });
    const { thread, runtime } = await openAgent([say('ok')], { options: { effects: { tell } } });
    const id = await thread.scheduleEffect('tell');
    await runtime.idle();
    const scheduledEffect = { id, name: 'tell' };
    expect((await rowsOf(thread)).map(({ content, metadata }) => [content, metadata])).toEqual([
      ['injected', { own: 1, scheduledEffect }],
      ['queued', { scheduledEffect }],
      ['ok', { stopReasonCode: 'stop_on_response' }],
    ]);
  });

  test('removed effects do not run; those that throw or get bad arguments fail once', async () => {
    const { thread, runtime } = await openAgent([say('ok')], {
      options: { effects: { note, bad } },
    });
    const id = await thread.scheduleEffect('note', { text: 'x' }, 1000);
    expect(await thread.removeScheduledEffect(id)).toBe(true);
    expect(await thread.removeScheduledEffect(id)).toBe(false);
    await thread.scheduleEffect('note', { text: 7 });
    await thread.scheduleEffect('bad');
    await tick(1100);
    await runtime.idle();
    expect(await thread.getValue('notes')).toBe(null);
    await expect(thread.scheduleEffect('nope')).rejects.toMatchObject({
      code: 'ERR_ISOBOX_THREAD_UNKNOWN',
    });
  });

  test('effects that were due while no process ran fire once, after the start', async () => {
    const store = newDirectory();
    const first = await openAgent([say('ok')], { options: { store, effects: { note } } });
    await first.thread.scheduleEffect('note', { text: 'late' }, 30);
    const { threadId } = first.thread;
    await first.runtime.close();
    await tick(60);
    const second = await openAgent([say('ok')], { options: { store, effects: { note } } });
    await second.runtime.idle();
    const thread = await second.runtime.thread(threadId);
    expect(await thread.getValue('notes')).toEqual(['late']);
    await second.runtime.close();
    const third = await openAgent([say('ok')], { options: { store, effects: { note } } });
    await third.runtime.idle();
    expect(await (await third.runtime.thread(threadId)).getValue('notes')).toEqual(['late']);
  });
});

test('a closed runtime says so', async () => {
  const { runtime, thread } = await openAgent([say('ok')]);
  await runtime.close();
  await runtime.close();
  await expect(runtime.thread(thread.threadId)).rejects.toThrow('The runtime is closed');
  await expect(runtime.createThread({ agent: 'helper' })).rejects.toMatchObject({
    code: 'ERR_ISOBOX_THREAD_CLOSED',
  });
});

test('9: what was queued before a crash is not forgotten when the execution ends without another step', async () => {
  const store = newDirectory();
  const hang = defineTool({ description: 'hangs', execute: () => new Promise(() => {}) });
  const done = defineTool({ description: 'ends', execute: () => 'ended' });
  const script = ({ messages }) => {
    if (messages.at(-1).content === 'second') return say('second answered');
    return call([
      ['hang', {}],
      ['done', {}],
    ]);
  };
  const more = { side: { sessionStop: 'done' }, options: { store, tools: { hang, done } } };
  const first = await openAgent(script, more);
  const { threadId } = first.thread;
  await first.runtime.send(threadId, { content: 'first' });
  while (!first.thread.execution?.toolCallId) await tick(5);
  await first.runtime.send(threadId, { content: 'second' });
  await first.runtime.close();
  const second = await openAgent(script, more);
  await second.runtime.idle(threadId);
  const rows = await rowsOf(await second.runtime.thread(threadId));
  expectPaired(rows);
  expect(rows[2].content).toContain('outcome is unknown');
  expect(brief(rows).slice(-3)).toEqual([
    'tool: ended',
    'user: second',
    'assistant: second answered',
  ]);
});

test('close in the middle of a request: the next runtime makes it again', async () => {
  const store = newDirectory();
  const first = await openAgent(
    ({ signal }) =>
      new Promise((_r, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    { options: { store } },
  );
  await first.runtime.send(first.thread.threadId, { content: 'go' });
  while (first.requests.length === 0) await tick(5);
  await first.runtime.close();
  const second = await openAgent([say('here')], { options: { store } });
  await second.runtime.idle();
  const rows = await rowsOf(await second.runtime.thread(first.thread.threadId));
  expect(brief(rows)).toEqual(['user: go', 'assistant: here']);
});
