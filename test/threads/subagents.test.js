'use strict';
// Sections 7 and 8: subagents, their lifecycle, variables, and what crosses between threads.

const { z } = require('zod');

const {
  brief,
  call,
  defineAgent,
  definePrompt,
  defineTool,
  expectPaired,
  openAgent,
  rowsOf,
  say,
  scripted,
} = require('./support.js');

const report = defineTool({
  description: 'Reports.',
  args: z.object({ summary: z.string(), files: z.array(z.string()).optional() }),
  execute: () => ({ status: 'success', result: 'reported' }),
});
const write = defineTool({
  description: 'Writes a file.',
  execute: async (state) => {
    await state.writeFile('/out/report.txt', 'the report', 'text/plain');
    return 'written';
  },
});
const status = defineTool({
  description: 'Tells.',
  args: z.object({ now: z.string() }),
  execute: () => 'told',
});

/**
 * A parent with a child agent `researcher` whose side A follows a script.
 *
 * @param {any} parentScript
 * @param {any} childScript
 * @param {{ entry?: object, child?: object, side?: object, childPrompt?: object, tools?: object, options?: object }} [more]
 */
async function openFamily(
  parentScript,
  childScript,
  { entry = {}, child = {}, side = {}, childPrompt = {}, tools = {}, ...more } = {},
) {
  const inner = scripted('inner', childScript);
  const peer = scripted('peer', [say('Go on.')]);
  const made = await openAgent(parentScript, {
    prompt: {
      tools: [
        {
          name: 'researcher',
          initUserMessageProperty: 'task',
          initAttachmentsProperty: 'files',
          initAgentNameProperty: 'title',
          ...entry,
        },
        ...Object.keys(tools),
      ],
    },
    ...more,
    options: {
      tools: { report, write, status, giveUp: report, ...tools },
      models: [inner.model, peer.model],
      prompts: [
        definePrompt({
          name: 'research',
          toolDescription: 'd',
          prompt: 'You research.',
          model: 'inner',
          includeChat: true,
          includePastTools: true,
          tools: ['report', 'write', 'status', 'giveUp'],
          ...childPrompt,
        }),
        definePrompt({
          name: 'peer',
          toolDescription: 'd',
          prompt: 'You check.',
          model: 'peer',
          includeChat: true,
        }),
      ],
      agents: [
        defineAgent({
          name: 'researcher',
          type: 'dual_ai',
          exposeAsTool: true,
          toolDescription: 'Finds things out.',
          sideA: {
            prompt: 'research',
            sessionStop: {
              name: 'report',
              messageProperty: 'summary',
              attachmentsProperty: 'files',
            },
            sessionFail: { name: 'giveUp', messageProperty: 'summary' },
            sessionStatus: { name: 'status', messageProperty: 'now' },
            ...side,
          },
          sideB: { prompt: 'peer' },
          maxSessionTurns: 6,
          ...child,
        }),
      ],
      ...more.options,
    },
  });
  return { ...made, inner: inner.requests };
}

const child = async ({ thread }, index = 0) =>
  thread.getChildThread(thread.children[index].reference);
const silentRows = (thread) => rowsOf(thread, { includeSilent: true });
const resumable = { resumable: { receives_messages: 'side_a' } };
const create = (more = {}) =>
  call('subagent_create', {
    agent: 'researcher',
    message: 'find plums',
    attachments: [],
    name: 'Plum finder',
    ...more,
  });

test('7.1: a blocking subagent is a thread of its own; its result is the result of the call', async () => {
  const family = await openFamily(
    [call('researcher', { task: 'find plums', title: 'Finder' }), say('Found.')],
    [say('Looking.'), call('report', { summary: '3 plums' })],
  );
  const rows = await family.send('go');
  const [entry] = family.thread.children;
  expect(entry).toMatchObject({
    name: 'researcher',
    threadName: 'Finder',
    blocking: true,
    resumable: false,
    status: 'terminated',
    owner: 'a',
  });
  expect(rows[2]).toMatchObject({
    role: 'tool',
    tool_status: 'success',
    content: `3 plums\n\nReference: ${entry.reference}`,
  });
  expect(rows[3].content).toBe('Found.');
  expectPaired(rows);
  const inside = await child(family);
  expect(brief(await rowsOf(inside))).toEqual([
    'user: find plums',
    'assistant: Looking.',
    'user: Go on.',
    'assistant: null',
    'tool: reported',
  ]);
  expect((await inside.getParentThread()).threadId).toBe(family.thread.threadId);
  expect(inside.terminated).not.toBe(null);
  expect(await family.thread.getChildThread('nope')).toBe(null);
  expect(await family.thread.getParentThread()).toBe(null);
  expect(inside.arguments).toEqual({ task: 'find plums', title: 'Finder' });
});

test('8.2: a session that fails, or ends without a session tool, is a failed call', async () => {
  const failed = await openFamily(
    [call('researcher', { task: 'x' }), say('I see.')],
    [call('giveUp', { summary: 'no plums' })],
  );
  expect((await failed.send('go'))[2]).toMatchObject({
    tool_status: 'error',
    content: expect.stringContaining('no plums'),
  });
  const endless = await openFamily(
    [call('researcher', { task: 'x' }), say('I see.')],
    [say('Hm.')],
  );
  expect((await endless.send('go'))[2]).toMatchObject({
    tool_status: 'error',
    content: expect.stringContaining('max_session_turns'),
  });
});

test('8.2: without session tools the last message is the result', async () => {
  const none = { sessionStop: undefined, sessionFail: undefined, sessionStatus: undefined };
  const family = await openFamily(
    [call('researcher', { task: 'x' }), say('I see.')],
    [say('Plums are blue.')],
    { side: none, child: { maxSessionTurns: 1 } },
  );
  expect((await family.send('go'))[2]).toMatchObject({
    tool_status: 'success',
    content: expect.stringContaining('Plums are blue.'),
  });
});

test('7.2: resumable subagents are created and messaged with lifecycle tools', async () => {
  const family = await openFamily(
    [
      create(),
      () =>
        call('subagent_message', {
          referenceId: family.thread.children[0].reference,
          message: 'and pears?',
          attachments: [],
        }),
      say('Both.'),
    ],
    [call('report', { summary: '3 plums' }), call('report', { summary: '2 pears' })],
    { entry: resumable },
  );
  const rows = await family.send('go');
  expect(family.requests[0].tools.map(({ name }) => name)).toEqual(['subagent_create']);
  expect(family.requests[1].tools.map(({ name }) => name)).toEqual([
    'subagent_create',
    'subagent_message',
  ]);
  expect(
    rows.filter(({ role }) => role === 'tool').map(({ content }) => content.split('\n')[0]),
  ).toEqual(['3 plums', '2 pears']);
  expect(family.thread.children).toMatchObject([
    { status: 'idle', resumable: true, threadName: 'Plum finder' },
  ]);
  const inside = await child(family);
  expect(brief(await rowsOf(inside))).toEqual([
    'user: find plums',
    'assistant: null',
    'tool: reported',
    'user: and pears?',
    'assistant: null',
    'tool: reported',
  ]);
});

test.each([
  ['a blank name', create({ name: ' ' }), 'name must be a text that is not blank'],
  ['an unknown agent', create({ agent: 'cook' }), 'agent must be one of researcher'],
  [
    'an unknown reference',
    call('subagent_message', { referenceId: 'x', message: 'm', attachments: [] }),
    'There is no subagent x',
  ],
  [
    'a file that is not there',
    create({ attachments: ['/nope.txt'] }),
    'There is no file /nope.txt',
  ],
])('7.2: %s is an error that helps', async (_name, answer, text) => {
  const family = await openFamily([answer, say('ok')], [call('report', { summary: 'x' })], {
    entry: resumable,
  });
  const rows = await family.send('go');
  expect(rows[2]).toMatchObject({ tool_status: 'error', content: expect.stringContaining(text) });
  expect(family.thread.children).toEqual([]);
});

test('7.2: more than maxInstances is an error that names the limit and what to do', async () => {
  const entry = { resumable: { receives_messages: 'side_a', maxInstances: 1 } };
  const family = await openFamily(
    [create(), create(), say('ok')],
    [call('report', { summary: 'x' })],
    { entry },
  );
  const rows = await family.send('go');
  const [{ reference }] = family.thread.children;
  expect(family.thread.children).toHaveLength(1);
  expect(rows[4]).toMatchObject({
    tool_status: 'error',
    metadata: { error_code: 'subagent_max_instances' },
  });
  for (const text of ['1 instances', 'subagent_message', reference]) {
    expect(rows[4].content).toContain(text);
  }
});

test('7.2: a subagent that does not block reports by a queued message', async () => {
  const family = await openFamily(
    [create(), say('Started.'), say('It has them.')],
    [call('report', { summary: '3 plums' })],
    { entry: { ...resumable, blocking: false } },
  );
  await family.send('go');
  await family.runtime.idle(family.thread.threadId);
  const rows = await silentRows(family.thread);
  const [{ reference }] = family.thread.children;
  const message = rows.find(({ metadata }) => metadata?.subagent_event === 'result');
  expect(message).toMatchObject({
    role: 'user',
    silent: true,
    metadata: { status_kind: 'subagent_event', subagent_id: reference },
  });
  expect(message.content).toContain(reference);
  expect(message.content).toContain('3 plums');
  expect(rows[2].content).toContain(`Reference: ${reference}`);
  expect(family.requests.at(-1).messages.at(-1).content).toContain('3 plums');
  expectPaired(rows);
});

test('7.2 and 8.2: explicit communication queues nothing; code may still tell the parent', async () => {
  const tell = defineTool({
    description: 'tells',
    execute: async (state) => {
      await state.setStatus('half way');
      await state.notifyParent('by the way');
      return 'told';
    },
  });
  const entry = {
    blocking: false,
    resumable: { receives_messages: 'side_a', parentCommunication: 'explicit' },
  };
  const family = await openFamily(
    [create(), say('Started.'), say('Thanks.')],
    [call('tell'), call('report', { summary: 'secret result' })],
    {
      entry,
      tools: { tell },
      childPrompt: { tools: ['report', 'tell'] },
      side: { sessionFail: undefined, sessionStatus: undefined },
    },
  );
  await family.send('go');
  await family.runtime.idle(family.thread.threadId);
  const text = JSON.stringify(await silentRows(family.thread));
  expect(text).toContain('by the way');
  expect(text).not.toContain('secret result');
  expect(family.thread.children[0].status).toBe('idle');
  await expect(family.thread.notifyParent(' ')).rejects.toThrow('not blank');
  await family.thread.setStatus('nobody above');
});

test('8.3: sessionStatus changes the status in the registry, and the child goes on', async () => {
  const seen = [];
  const family = await openFamily(
    [create(), say('ok')],
    [
      call('status', { now: 'digging' }),
      async () => {
        seen.push(family.thread.children[0].status);
        return call('report', { summary: 'x' });
      },
    ],
    {
      entry: resumable,
    },
  );
  await family.send('go');
  expect(seen).toEqual(['digging']);
  const inside = await child(family);
  const events = (await silentRows(inside))
    .map(({ metadata }) => metadata?.subagent_event)
    .filter(Boolean);
  expect(events).toEqual(['created', 'status', 'parent_handoff']);
});

test('8.1 and 8.2: attachments are copied both ways, and outlive their source', async () => {
  const family = await openFamily(
    [
      async () => {
        await family.thread.writeFile('/in.txt', 'input', 'text/plain');
        return create({ attachments: ['/in.txt'] });
      },
      say('ok'),
    ],
    [call('write'), call('report', { summary: 'see file', files: ['/out/report.txt'] })],
    { entry: resumable },
  );
  const rows = await family.send('go');
  const inside = await child(family);
  const [first] = await rowsOf(inside);
  const { path } = first.attachments[0];
  expect(path).toMatch(/^\/attachments\/in-/);
  await family.thread.unlinkFile('/in.txt');
  expect(Buffer.from(await inside.readFile(path)).toString()).toBe('input');
  const [back] = rows[2].attachments;
  await inside.unlinkFile('/out/report.txt');
  expect(Buffer.from(await family.thread.readFile(back.path)).toString()).toBe('the report');
  expect(rows[2].content).toContain(back.path);
  expect(await inside.readFile('/in.txt')).toBe(null);
});

test('8.2: a session tool that names a missing file fails, and the session goes on', async () => {
  const family = await openFamily(
    [create(), say('ok')],
    [call('report', { summary: 'a', files: ['/nope'] }), call('report', { summary: 'b' })],
    { entry: resumable },
  );
  const rows = await family.send('go');
  expect(rows[2].content).toMatch(/^b\n/);
  const inside = await rowsOf(await child(family));
  expect(inside[2]).toMatchObject({
    tool_status: 'error',
    content: 'Error: There is no file /nope to attach. Write it first, or leave it out',
  });
});

test('7.3: optional entries are there only when their flag is on', async () => {
  for (const [value, isThere] of /** @type {[string | undefined, boolean][]} */ ([
    ['true', true],
    ['YES', true],
    ['1', true],
    ['no', false],
    ['', false],
    [undefined, false],
  ])) {
    const family = await openFamily([say('ok')], [], {
      entry: { ...resumable, optional: 'WITH_RESEARCH' },
    });
    if (value !== undefined) await family.thread.setEnv('WITH_RESEARCH', value, { type: 'text' });
    await family.send('go');
    expect((family.requests[0].tools ?? []).length > 0).toBe(isThere);
  }
});

test('7.3: immediate subagents run before the first request, once', async () => {
  const family = await openFamily([say('Ready.')], [call('report', { summary: 'prepared' })], {
    entry: { ...resumable, immediate: true },
  });
  const rows = await family.send('go');
  expect(family.requests).toHaveLength(1);
  expect(family.requests[0].messages.at(-1).content).toContain('prepared');
  expectPaired(rows);
  await family.send('again');
  expect(family.thread.children).toHaveLength(1);
});

test('7.3 and 7.4: instances of an immediate subagent come from variables; scoped values go to the child alone', async () => {
  const childPrompt = {
    variables: [{ name: 'TOKEN', type: 'secret', scoped: true, required: true }],
  };
  const seen = [];
  const tools = {
    peek: defineTool({
      description: 'd',
      execute: async (state) => void seen.push(await state.env('TOKEN')),
    }),
  };
  const family = await openFamily(
    [say('Ready.')],
    ({ messages }) =>
      messages.at(-1).role === 'tool' ? call('report', { summary: 'x' }) : call('peek'),
    {
      entry: {
        ...resumable,
        immediate: { nameEnv: 'NAME', descriptionEnv: 'TASK', scopedEnv: ['TOKEN'] },
      },
      childPrompt: { ...childPrompt, tools: ['report', 'peek'] },
      side: { sessionFail: undefined, sessionStatus: undefined },
      tools,
    },
  );
  for (const [name, value] of Object.entries({
    NAME: 'First',
    TASK: 'one',
    TOKEN: 'sesame-1',
    NAME__2: 'Second',
    TOKEN__2: 'sesame-2',
    OTHER: 'stays',
  })) {
    await family.thread.setEnv(name, value);
  }
  await family.send('go');
  expect(family.thread.children.map(({ threadName }) => threadName)).toEqual(['First', 'Second']);
  expect(seen).toEqual(['sesame-1', 'sesame-2']);
  await expect(family.thread.env('TOKEN')).rejects.toMatchObject({ code: 'ERR_ISOBOX_THREAD_ENV' });
  await expect(family.thread.env('NAME__2')).rejects.toThrow('NAME__2');
  expect(await family.thread.env('OTHER')).toBe('stays');
  expect(await (await child(family)).env('OTHER')).toBe('stays');
  const everything = [
    family.requests,
    family.inner,
    await silentRows(family.thread),
    await family.thread.getLogs(),
    await silentRows(await child(family)),
    await (await child(family)).getLogs(),
  ];
  expect(JSON.stringify(everything)).not.toContain('sesame');
});

test('7.5: a subagent that lacks scoped variables waits for them, and starts when they are given', async () => {
  const childPrompt = {
    variables: [
      { name: 'TOKEN', type: 'secret', scoped: true, required: true, description: 'the key' },
    ],
  };
  const family = await openFamily(
    [create(), say('It waits.'), say('It is done.')],
    [call('report', { summary: 'x' })],
    { entry: resumable, childPrompt },
  );
  await family.thread.setEnv('TOKEN', 'parents-own');
  const rows = await family.send('go');
  expect(rows[2]).toMatchObject({
    tool_status: 'error',
    metadata: { error_code: 'subagent_env_required' },
  });
  const { request_id, endpoint, missing, agent } = rows[2].metadata.error_data;
  expect({ missing, agent }).toEqual({ missing: ['TOKEN'], agent: 'researcher' });
  expect(endpoint).toBe(`/threads/${family.thread.threadId}/variables/${request_id}`);
  expect(family.thread.children).toEqual([]);
  const requests = family.runtime.variableRequests(family.thread.threadId);
  expect(await requests.get(request_id)).toMatchObject({ status: 'pending', missing: ['TOKEN'] });
  expect(await requests.get('nope')).toBe(null);
  await expect(requests.complete(request_id, {})).rejects.toThrow('Variables are missing: TOKEN');
  const done = await requests.complete(request_id, { TOKEN: 'sesame' });
  expect(done).toMatchObject({ request_id, status: 'success' });
  await family.runtime.idle(family.thread.threadId);
  expect(family.thread.children).toMatchObject([
    { reference: done.child_thread_id, status: 'idle' },
  ]);
  expect(await (await child(family)).env('TOKEN')).toBe('sesame');
  expect((await rowsOf(family.thread)).at(-1).content).toBe('It is done.');
  expect(await requests.get(request_id)).toBe(null);
});

test('10: a terminated child is shown so to its parent, and cannot be messaged', async () => {
  const family = await openFamily(
    [
      create(),
      say('ok'),
      () =>
        call('subagent_message', {
          referenceId: family.thread.children[0].reference,
          message: 'm',
          attachments: [],
        }),
      say('gone'),
    ],
    [call('report', { summary: 'x' })],
    { entry: resumable },
  );
  await family.send('go');
  await (await child(family)).terminate();
  expect(family.thread.children[0].status).toBe('terminated');
  const rows = await family.send('again');
  expect(rows.at(-2)).toMatchObject({
    tool_status: 'error',
    content: expect.stringContaining('is terminated'),
  });
});

test('10: terminating a child that its parent waits for ends the wait', async () => {
  const hang = ({ signal }) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
  const family = await openFamily([create(), say('I see.')], hang, { entry: resumable });
  await family.runtime.send(family.thread.threadId, { content: 'go' });
  while (family.inner.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await (await child(family)).terminate();
  await family.runtime.idle(family.thread.threadId);
  const rows = await rowsOf(family.thread);
  expect(rows[2]).toMatchObject({ tool_status: 'error' });
  expect(rows[3].content).toBe('I see.');
});

test('7.4: variables are encrypted at rest, and inherited unless they are scoped', async () => {
  const fs = require('node:fs');
  const { newDirectory } = require('./support.js');
  const store = newDirectory();
  const family = await openFamily([create(), say('ok')], [call('report', { summary: 'x' })], {
    entry: resumable,
    options: { store },
  });
  await family.thread.setEnv('API_KEY', 'sesame-open', { type: 'secret' });
  expect(await family.thread.envType('API_KEY')).toBe('secret');
  await family.send('go');
  const inside = await child(family);
  expect(await inside.env('API_KEY')).toBe('sesame-open');
  await family.thread.setEnv('API_KEY', 'sesame-new');
  expect(await inside.env('API_KEY')).toBe('sesame-new');
  expect(await inside.getValue('x')).toBe(null);
  for (const name of fs.readdirSync(store)) {
    expect(fs.readFileSync(`${store}/${name}`).includes('sesame')).toBe(false);
  }
  expect(fs.statSync(`${store}/env.key`).mode & 0o777).toBe(0o600);
});
