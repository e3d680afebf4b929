'use strict';
// Sections 1 to 6: triggers, the step cycle, context, tools and stop conditions, with a model that follows a script.

const { z } = require('zod');

const {
  brief,
  call,
  defineAgent,
  defineHook,
  definePrompt,
  defineTool,
  expectPaired,
  openAgent,
  rowsOf,
  say,
  scripted,
} = require('./support.js');

const add = defineTool({
  description: 'Adds two numbers.',
  args: z.object({ a: z.number(), b: z.number() }),
  execute: async (_state, { a, b }) => ({ status: 'success', result: String(a + b) }),
});

test('2 and 3: a message starts an execution: model, tool, model, rest', async () => {
  const { send, thread, requests } = await openAgent(
    [call('add', { a: 2, b: 3 }), say('It is 5.')],
    {
      options: { tools: { add } },
    },
  );
  const rows = await send('What is 2 + 3?');
  expect(brief(rows)).toEqual([
    'user: What is 2 + 3?',
    'assistant: null',
    'tool: 5',
    'assistant: It is 5.',
  ]);
  expect(rows.at(-1).metadata).toEqual({ stopReasonCode: 'stop_on_response' });
  expectPaired(rows);
  expect(requests[0].messages).toEqual([
    { role: 'system', content: 'You help.' },
    { role: 'user', content: 'What is 2 + 3?' },
  ]);
  expect(requests[0].tools).toMatchObject([{ name: 'add', description: 'Adds two numbers.' }]);
  expect(requests[0].tools[0].parameters.required).toEqual(['a', 'b']);
  expect(requests[1].messages.slice(-2)).toMatchObject([
    { role: 'assistant', tool_calls: [{ function: { name: 'add' } }] },
    { role: 'tool', content: '5' },
  ]);
  expect(thread.execution).toBe(null);
});

test('3: rows are in the order in which they were written, and no two have the same time', async () => {
  const { send } = await openAgent([say('one')]);
  for (let index = 0; index < 5; index += 1) await send(`message ${index}`);
  const rows = await send('last');
  const times = rows.map(({ created_at }) => created_at);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  expect(rows).toHaveLength(12);
});

test('3: the pending row is there before the request, and the answer before the tools', async () => {
  const seen = [];
  const look = defineTool({
    description: 'looks',
    execute: async (state) => {
      seen.push(brief(await rowsOf(state)));
      return 'looked';
    },
  });
  const made = await openAgent(
    async (_request, count) => {
      if (count > 1) return say('done');
      const rows = await rowsOf(made.thread);
      seen.push(rows.map(({ role, status }) => `${role} ${status}`));
      return call('look');
    },
    { options: { tools: { look } } },
  );
  await made.send('go');
  expect(seen).toEqual([
    ['user completed', 'assistant pending'],
    ['user: go', 'assistant: null'],
  ]);
});

test('4: the prompt is put together from parts, includes, variables and arguments', async () => {
  const { model, requests } = scripted('script', [say('ok')]);
  const { open } = require('./support.js');
  const runtime = await open({
    models: [model],
    prompts: [
      definePrompt({
        name: 'main',
        toolDescription: 'd',
        model: 'script',
        prompt: [
          { type: 'text', content: 'You are {{ role }} in ' },
          { type: 'env', property: 'CITY' },
          { type: 'env', property: 'KEY' },
          { type: 'env', property: 'UNSET' },
          { type: 'include', prompt: 'rules' },
          { type: 'text', content: ' {{missing}}' },
        ],
        variables: [{ name: 'KEY', type: 'secret' }],
      }),
      definePrompt({ name: 'rules', toolDescription: 'd', model: 'script', prompt: '. Be kind.' }),
    ],
    agents: [defineAgent({ name: 'helper', sideA: { prompt: 'main' }, env: { CITY: 'nowhere' } })],
  });
  const thread = await runtime.createThread({
    agent: 'helper',
    env: { CITY: 'Bern', KEY: 'sesame' },
    envTypes: { CITY: 'text' },
    arguments: { role: 'a guide' },
  });
  await runtime.send(thread.threadId, { content: 'hi' });
  await runtime.idle();
  expect(requests[0].messages[0].content).toBe('You are a guide in Bern. Be kind. {{missing}}');
  expect(JSON.stringify([requests, await thread.getLogs()])).not.toContain('sesame');
});

test('4: without includeChat a prompt sees the current turn alone', async () => {
  const { send, requests } = await openAgent([say('one'), say('two')], {
    prompt: { includeChat: false },
  });
  await send('first');
  await send('second');
  expect(requests[1].messages).toEqual([
    { role: 'system', content: 'You help.' },
    { role: 'user', content: 'second' },
  ]);
});

test('4: without includePastTools earlier calls are left out, those of the turn are not', async () => {
  const script = [
    call('add', { a: 1, b: 1 }),
    say('two'),
    call('add', { a: 2, b: 2 }),
    say('four'),
  ];
  const { send, requests } = await openAgent(script, {
    prompt: { includePastTools: false },
    options: { tools: { add } },
  });
  await send('1 + 1');
  await send('2 + 2');
  expect(requests[3].messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
    'system: You help.',
    'user: 1 + 1',
    'assistant: two',
    'user: 2 + 2',
    'assistant: ',
    'tool: 4',
  ]);
});

test('4: attachments stay with the message; images are shown to models that can see them', async () => {
  const image = {
    name: 'dot.png',
    mimeType: 'image/png',
    data: Buffer.from('dot').toString('base64'),
  };
  for (const supportsImages of [true, false]) {
    const { send, requests, thread } = await openAgent([say('nice')], {
      model: { capabilities: { supportsImages } },
    });
    const [row] = await send('look', { attachments: [image] });
    expect(row.attachments).toMatchObject([{ type: 'file', name: 'dot.png', size: 3 }]);
    const { path } = row.attachments[0];
    expect(path).toMatch(/^\/attachments\/dot-[0-9a-f]{8}\.png$/);
    expect(Buffer.from(await thread.readFile(path)).toString()).toBe('dot');
    const { content } = requests[0].messages.at(-1);
    if (supportsImages) {
      expect(content[0].text).toContain(path);
      expect(content[1]).toEqual({ type: 'image', mimeType: 'image/png', data: image.data });
    } else expect(content).toContain(path);
  }
});

test('5.1: calls run one after the other, in their order', async () => {
  const order = [];
  const slow = defineTool({
    description: 'slow',
    args: z.object({ n: z.number() }),
    execute: async (_state, { n }) => {
      order.push(`start ${n}`);
      await new Promise((resolve) => setTimeout(resolve, 30 - n * 10));
      order.push(`end ${n}`);
      return n;
    },
  });
  const calls = [0, 1, 2].map((n) => ['slow', { n }]);
  const { send } = await openAgent([call(calls), say('ok')], { options: { tools: { slow } } });
  const rows = await send('go');
  expect(order).toEqual(['start 0', 'end 0', 'start 1', 'end 1', 'start 2', 'end 2']);
  expect(brief(rows).slice(2, 5)).toEqual(['tool: 0', 'tool: 1', 'tool: 2']);
});

test.each([
  ['throws', 'bad', {}, 'broken inside'],
  ['gives an error', 'no', {}, 'not today'],
  ['is not offered', 'nope', {}, "The tool 'nope' is not offered here. There are: add, bad, no"],
  ['gets wrong arguments', 'add', { a: 'one', b: 2 }, 'The arguments are not valid: a: '],
  ['gets no JSON', 'add', '{"a": 1', 'The arguments are not JSON'],
  ['gets no object', 'add', '[1]', 'must be a JSON object'],
])(
  '5.2: a tool that %s is an error result, and the loop goes on',
  async (_name, tool, args, text) => {
    const bad = defineTool({
      description: 'throws',
      execute: () => {
        throw new RangeError('broken inside');
      },
    });
    const no = defineTool({
      description: 'refuses',
      execute: () => ({ status: 'error', error: 'not today' }),
    });
    const { send } = await openAgent([call(tool, args), say('I see.')], {
      options: { tools: { add, bad, no } },
    });
    const rows = await send('go');
    expect(rows[2]).toMatchObject({ role: 'tool', tool_status: 'error' });
    expect(rows[2].content).toContain(text);
    expect(rows[3].content).toBe('I see.');
    expectPaired(rows);
  },
);

test('5.2: an answer without text and calls is given back to the model as an error', async () => {
  const { send, requests } = await openAgent([say('  '), say('Sorry: here I am.')]);
  const rows = await send('hello?');
  expect(rows.at(-1).content).toBe('Sorry: here I am.');
  expect(requests[1].messages.at(-1).content).toContain('neither text nor tool calls');
  expectPaired(rows);
});

test('5.3: results are text, parts or values; attached data becomes files', async () => {
  const make = (result) => defineTool({ description: 'd', execute: () => result });
  const tools = {
    text: make({ status: 'success', result: 'plain' }),
    parts: make({
      status: 'success',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    }),
    value: make({ status: 'success', result: { n: 1 } }),
    bare: make([1, 2]),
    file: make({
      status: 'success',
      result: 'see',
      attachments: [{ name: 'r.txt', mimeType: 'text/plain', data: Buffer.from('hi') }],
    }),
  };
  const calls = Object.keys(tools).map((name) => [name, {}]);
  const { send, thread } = await openAgent([call(calls), say('ok')], { options: { tools } });
  const rows = (await send('go')).slice(2, 7);
  expect(rows.slice(0, 4).map(({ content }) => content)).toEqual([
    'plain',
    'a\nb',
    '{\n  "n": 1\n}',
    '[\n  1,\n  2\n]',
  ]);
  const [{ path }] = rows[4].attachments;
  expect(rows[4].content).toBe(`see\n\nAttached files:\n${path}`);
  expect(Buffer.from(await thread.readFile(path)).toString()).toBe('hi');
});

test('5.3: a prompt tool is one request of its own in the thread, out of sight of the first', async () => {
  const inner = scripted('inner', (_request, count) =>
    count === 1 ? { ...call('add', { a: 4, b: 4 }), content: 'adding' } : say('?'),
  );
  const { send, thread, requests } = await openAgent(
    [call('calculate', { task: '4 + 4' }), say('8')],
    {
      prompt: { tools: [{ name: 'calculate', initUserMessageProperty: 'task' }] },
      options: {
        tools: { add },
        models: [inner.model],
        prompts: [
          definePrompt({
            name: 'calculate',
            toolDescription: 'Calculates.',
            prompt: 'You calculate.',
            model: 'inner',
            requiredSchema: z.object({ task: z.string() }),
            tools: ['add'],
          }),
        ],
      },
    },
  );
  const rows = await send('go');
  expect(requests[0].tools).toMatchObject([{ name: 'calculate', description: 'Calculates.' }]);
  expect(inner.requests).toHaveLength(1);
  expect(inner.requests[0].messages).toEqual([
    { role: 'system', content: 'You calculate.' },
    { role: 'user', content: '4 + 4' },
  ]);
  expect(rows[2].content).toBe('adding\n\nadd({"a":4,"b":4}) gave: 8');
  const deep = (await rowsOf(thread, { maxDepth: 1 })).filter(({ depth }) => depth === 1);
  expect(brief(deep)).toEqual(['user: 4 + 4', 'assistant: adding', 'tool: 8']);
  expect(requests[1].messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
  ]);
});

test('5.3: an agent with a human, called as a tool, takes the thread over', async () => {
  const other = scripted('other', [say('Sales here.')]);
  const { send, thread, requests } = await openAgent([call('sales', { topic: 'prices' })], {
    prompt: { tools: ['sales'] },
    options: {
      models: [other.model],
      prompts: [
        definePrompt({
          name: 'sell',
          toolDescription: 'd',
          prompt: 'Sell {{topic}}.',
          model: 'other',
          includeChat: true,
        }),
      ],
      agents: [
        defineAgent({
          name: 'sales',
          sideA: { prompt: 'sell' },
          exposeAsTool: true,
          toolDescription: 'Sells.',
        }),
      ],
    },
  });
  const rows = await send('I want to buy');
  expect(brief(rows)).toEqual([
    'user: I want to buy',
    'assistant: null',
    'tool: The thread is handed to sales.',
    'assistant: Sales here.',
  ]);
  expect(thread.agentId).toBe('sales');
  expect(other.requests[0].messages[0].content).toBe('Sell prices.');
  await send('and now?');
  expect(requests).toHaveLength(1);
  expect(other.requests).toHaveLength(2);
});

test('5.3: a tool of guest code reaches what it is given, and nothing else', async () => {
  const guest = defineTool({
    description: 'guest',
    args: { type: 'object', properties: { item: { type: 'string' } } },
    executionMode: 'isolate',
    source: `export default async ({ item }: { item: string }) => ({
      status: 'success', result: item + ' costs ' + await price(item) + '; ' + typeof process });`,
    functions: { price: async (state, item) => `${item.length} (${state.threadId.length})` },
  });
  const loop = defineTool({
    description: 'fails',
    executionMode: 'isolate',
    source: 'export default () => { throw new Error("no") }',
  });
  const { send } = await openAgent(
    [
      call([
        ['guest', { item: 'plum' }],
        ['loop', {}],
      ]),
      say('ok'),
    ],
    {
      options: { tools: { guest, loop } },
    },
  );
  const rows = await send('go');
  expect(rows[2].content).toBe('plum costs 4 (36); undefined');
  expect(rows[3]).toMatchObject({ tool_status: 'error', content: 'Error: Line 1 of loop.ts: no' });
});

test('5.4: a queued tool runs before the next request; at rest it starts an execution', async () => {
  const { thread, runtime, requests } = await openAgent([say('I see 3.')], {
    options: { tools: { add } },
  });
  const { id } = await thread.queueTool('add', { a: 1, b: 2 });
  await runtime.idle(thread.threadId);
  const rows = await rowsOf(thread);
  expect(brief(rows)).toEqual(['assistant: null', 'tool: 3', 'assistant: I see 3.']);
  expect(rows[1].tool_call_id).toBe(id);
  expectPaired(rows);
  expect(requests[0].messages.at(-1)).toMatchObject({
    role: 'tool',
    content: '3',
    tool_call_id: id,
  });
  await expect(thread.queueTool('nope')).rejects.toMatchObject({
    code: 'ERR_ISOBOX_THREAD_UNKNOWN',
  });
});

test('5.4: invokeTool gives the result and stores nothing; uses is a list of what is allowed', async () => {
  const results = [];
  const outer = defineTool({
    description: 'outer',
    uses: ['add'],
    execute: async (state) => {
      results.push(await state.invokeTool('add', { a: 1, b: 1 }));
      results.push(await state.invokeTool('other'));
      await expect(state.queueTool('other')).rejects.toThrow('may not use');
      return 'done';
    },
  });
  const other = defineTool({ description: 'other', execute: () => 'x' });
  const { send, thread } = await openAgent([call('outer'), say('ok')], {
    options: { tools: { add, outer, other } },
  });
  expect(await send('go')).toHaveLength(4);
  expect(results).toMatchObject([
    { status: 'success', result: '2' },
    { status: 'error', error: expect.stringContaining('may not use') },
  ]);
  expect(await thread.invokeTool('add', { a: 'x', b: 1 })).toMatchObject({ status: 'error' });
});

test('5.4: tools get their call id, the same as in the rows', async () => {
  let key;
  const tool = defineTool({
    description: 'd',
    execute: (state) => {
      key = state.execution.toolCallId;
      return 'ok';
    },
  });
  const { send } = await openAgent([call([['tool', {}, 'model-id-1']]), say('ok')], {
    options: { tools: { tool } },
  });
  const rows = await send('go');
  expect(key).toBe('model-id-1');
  expect(rows[2].tool_call_id).toBe('model-id-1');
});

const finishTool = defineTool({
  description: 'finishes',
  args: z.object({ text: z.string(), fail: z.boolean().optional() }),
  execute: (_state, { fail }) =>
    fail ? { status: 'error', error: 'not yet' } : { status: 'success', result: 'finished' },
});

async function stopReason(script, side, more = {}) {
  const { send, thread, requests } = await openAgent(script, {
    side,
    ...more,
    options: { tools: { add, finish: finishTool, giveUp: finishTool }, ...more.options },
  });
  const rows = await send('go');
  expectPaired(rows);
  const logs = await thread.getLogs();
  expect(logs.at(-1).stopReasonCode).toBe(rows.at(-1).metadata.stopReasonCode);
  return { code: rows.at(-1).metadata.stopReasonCode, rows, requests };
}

const done = { text: 'the end' };

test.each([
  ['sessionStop', { sessionStop: 'finish' }, [call('finish', done)], 'session_stop'],
  ['sessionFail', { sessionFail: 'giveUp' }, [call('giveUp', done)], 'session_fail'],
  [
    'both: fail wins',
    { sessionStop: 'finish', sessionFail: 'giveUp' },
    [
      call([
        ['finish', done],
        ['giveUp', done],
      ]),
    ],
    'session_fail',
  ],
  [
    'sessionStop before stopTool',
    { sessionStop: 'finish', stopTool: 'finish', stopToolResponseProperty: 'text' },
    [call('finish', done)],
    'session_stop',
  ],
  [
    'a sessionStop that failed goes on',
    { sessionStop: 'finish' },
    [call('finish', { ...done, fail: true }), call('finish', done)],
    'session_stop',
  ],
  [
    'stopTool',
    { stopTool: 'finish', stopToolResponseProperty: 'text' },
    [call('finish', done)],
    'stop_tool',
  ],
  ['stopOnResponse', {}, [call('add', { a: 1, b: 1 }), say('two')], 'stop_on_response'],
  ['maxSteps', { maxSteps: 3 }, [call('add', { a: 1, b: 1 })], 'max_side_steps'],
])('6: %s', async (_name, side, script, code) => {
  expect((await stopReason(script, side)).code).toBe(code);
});

test('6: stopOnResponse: false goes on after text, until a limit', async () => {
  const { code, requests } = await stopReason([say('one'), say('two')], {
    stopOnResponse: false,
    maxSteps: 4,
  });
  expect(code).toBe('max_side_steps');
  expect(requests).toHaveLength(4);
});

test('6: an argument of stopTool is the message', async () => {
  const side = { stopTool: 'finish', stopToolResponseProperty: 'text' };
  const { rows } = await stopReason([call('finish', done)], side);
  expect(rows[1].content).toBe('the end');
});

test('6: the hard cap holds, and the same error again and again ends the execution', async () => {
  const endless = await stopReason(
    [call('add', { a: 1, b: 1 })],
    {},
    { options: { limits: { stepsPerExecution: 5 } } },
  );
  expect(endless.code).toBe('max_total_steps');
  expect(endless.requests).toHaveLength(5);
  const stuck = await stopReason([call('add', {})], {});
  expect(stuck.code).toBe('repeated_tool_error');
  expect(stuck.requests).toHaveLength(8);
});

test('6: code can stop an execution, end a session, and force a turn', async () => {
  const stop = defineTool({ description: 'd', execute: (state) => state.execution.stop() });
  const end = defineTool({
    description: 'd',
    execute: (state) => state.stopSession({ result: 'by code' }),
  });
  const again = defineTool({
    description: 'd',
    execute: (state) => {
      state.execution.forceTurn('a');
      return 'again';
    },
  });
  const tools = { stop, end, again };
  expect((await stopReason([call('stop')], {}, { options: { tools } })).code).toBe('aborted');
  expect((await stopReason([call('end')], {}, { options: { tools } })).code).toBe(
    'state_stop_session',
  );
  const side = { stopTool: 'again', stopToolResponseProperty: 'x' };
  const forced = await stopReason([call('again'), say('now')], side, { options: { tools } });
  expect(forced).toMatchObject({ code: 'stop_on_response', requests: { length: 2 } });
});

describe('dual_ai', () => {
  /**
   * @param {any} scriptA
   * @param {any} scriptB
   * @param {{ sideA?: object, sideB?: object, agent?: object, tools?: object }} [more]
   */
  async function openDual(scriptA, scriptB, { sideA, sideB, agent, tools = {} } = {}) {
    const b = scripted('b', scriptB);
    const made = await openAgent(scriptA, {
      agent: { type: 'dual_ai', sideB: { prompt: 'other', ...sideB }, ...agent },
      side: sideA,
      options: {
        tools: { add, finish: finishTool, ...tools },
        models: [b.model],
        prompts: [
          definePrompt({
            name: 'other',
            toolDescription: 'd',
            prompt: 'You are B.',
            model: 'b',
            includeChat: true,
            includePastTools: true,
            tools: ['add', 'finish'],
          }),
        ],
      },
    });
    return { ...made, b: b.requests, a: made.requests };
  }

  test('4: each side sees itself as assistant and the other as user, without its calls', async () => {
    const { send, a, b } = await openDual(
      [call('add', { a: 1, b: 1 }), say('A: two'), call('finish', done)],
      [call('add', { a: 2, b: 2 }), say('B: four')],
      { sideA: { sessionStop: 'finish' } },
    );
    const rows = await send('start');
    expect(rows.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'user: start',
      'assistant: null',
      'tool: 2',
      'assistant: A: two',
      'user: null',
      'tool: 4',
      'user: B: four',
      'assistant: null',
      'tool: finished',
    ]);
    expect(rows.at(-1).metadata.stopReasonCode).toBe('session_stop');
    expectPaired(rows);
    const roles = (request) => request.messages.map(({ role, content }) => `${role}: ${content}`);
    expect(roles(b[1])).toEqual([
      'system: You are B.',
      'assistant: start',
      'user: A: two',
      'assistant: ',
      'tool: 4',
    ]);
    expect(roles(a[2])).toEqual([
      'system: You help.',
      'user: start',
      'assistant: ',
      'tool: 2',
      'assistant: A: two',
      'user: B: four',
    ]);
  });

  test('6: maxSessionTurns counts the turns of both sides', async () => {
    const { send } = await openDual([say('A')], [say('B')], { agent: { maxSessionTurns: 5 } });
    const rows = await send('start');
    expect(brief(rows).slice(1)).toEqual([
      'assistant: A',
      'user: B',
      'assistant: A',
      'user: B',
      'assistant: A',
    ]);
    expect(rows.at(-1).metadata.stopReasonCode).toBe('max_session_turns');
  });

  test('2: a message of role assistant is answered by side B', async () => {
    const { send, a, b } = await openDual([say('A')], [call('finish', done)], {
      sideB: { sessionStop: 'finish' },
    });
    await send('from A', { role: 'assistant' });
    expect(a).toHaveLength(0);
    expect(b[0].messages.at(-1)).toEqual({ role: 'user', content: 'from A' });
  });

  test('6: a side without conditions gives way after every step', async () => {
    const { send } = await openDual([call('add', { a: 1, b: 1 })], [say('B')], {
      sideA: { stopOnResponse: false },
      agent: { maxSessionTurns: 3 },
    });
    expect((await send('x')).filter(({ role }) => role !== 'tool').map(({ role }) => role)).toEqual(
      ['user', 'assistant', 'user', 'assistant'],
    );
  });
});

test('12: the log has every request with its tools, tokens and results', async () => {
  const { send, thread } = await openAgent([call('add', { a: 1, b: 2 }), say('3')], {
    model: { inputPrice: 2, outputPrice: 4 },
    options: { tools: { add } },
  });
  const rows = await send('go');
  const [first, second] = await thread.getLogs();
  expect(first).toMatchObject({
    message_id: rows[1].id,
    model_name: 'script',
    prompt_name: 'main',
    input_tokens: 3,
    output_tokens: 2,
    total_tokens: 5,
    cost_total: 14 / 1e6,
    finish_reason: 'tool_calls',
    tools_available: ['add'],
    tools_called: ['add'],
    is_complete: true,
    error: null,
  });
  expect(first.tool_results).toMatchObject([{ tool_name: 'add', content: '3', status: 'success' }]);
  expect(JSON.parse(first.request_body).messages).toHaveLength(2);
  expect(second.stopReasonCode).toBe('stop_on_response');
});

test('hooks see and change what happens, and one that throws is logged and passed over', async () => {
  const seen = [];
  const hook = (name, execute) => defineHook({ hook: name, id: name, execute });
  const hooks = [
    hook('after_thread_created', (state) => void seen.push(`created ${state.agentId}`)),
    hook('after_system_message', (_state, text) => `${text} Be brief.`),
    hook('filter_messages', (_state, rows) => rows.filter(({ content }) => content !== 'hide me')),
    hook('prefilter_llm_history', (_state, messages) => [
      ...messages,
      { role: 'user', content: 'PS' },
    ]),
    hook('before_create_message', (_state, row) =>
      row.role === 'user' ? { ...row, content: row.content.trim() } : row,
    ),
    hook('after_create_message', (_state, row) => void seen.push(`${row.role} ${row.status}`)),
    hook('before_store_tool_result', (_state, _call, result) => ({
      ...result,
      result: `${result.result}!`,
    })),
    hook('after_tool_call_success', () => {
      throw new Error('hook broke');
    }),
  ];
  const { send, thread, requests } = await openAgent([call('add', { a: 1, b: 1 }), say('ok')], {
    agent: { hooks: hooks.map(({ id }) => id) },
    options: { hooks, tools: { add } },
  });
  await thread.injectMessage({ role: 'user', content: 'hide me' });
  const rows = await send('  hello ');
  expect(requests[0].messages.map(({ content }) => content)).toEqual([
    'You help. Be brief.',
    'hello',
    'PS',
  ]);
  expect(rows[3].content).toBe('2!');
  expect(seen).toEqual([
    'created helper',
    'user completed',
    'user completed',
    'assistant completed',
    'tool completed',
    'assistant completed',
  ]);
  const broken = (await thread.getLogs()).filter(
    ({ error_origin }) => error_origin === 'hook:after_tool_call_success',
  );
  expect(broken).toMatchObject([{ error: 'hook broke' }]);
});

test('hooks can forget a call, refuse an injected message, and block a request', async () => {
  const forget = defineHook({ hook: 'after_tool_call_failure', id: 'forget', execute: () => null });
  const refuse = defineHook({
    hook: 'before_create_message',
    id: 'refuse',
    execute: (_state, row) => {
      if (row.content === 'no') throw new Error('not allowed');
      return row;
    },
  });
  const block = defineHook({
    hook: 'prefilter_llm_history',
    id: 'block',
    execute: (_state, messages) => {
      if (messages.at(-1).content !== 'stop here') return messages;
      throw Object.assign(new Error('We do not talk about this.'), { block: true });
    },
  });
  const { send, thread } = await openAgent([call('add', {}), say('ok')], {
    agent: { hooks: ['forget', 'refuse', 'block'] },
    options: { hooks: [forget, refuse, block], tools: { add } },
  });
  const rows = await send('go');
  expect(brief(rows)).toEqual(['user: go', 'assistant: null', 'assistant: ok']);
  expectPaired(rows);
  await expect(thread.injectMessage({ role: 'user', content: 'no' })).rejects.toThrow(
    'not allowed',
  );
  const last = (await send('stop here')).at(-1);
  expect(last).toMatchObject({
    role: 'assistant',
    content: 'We do not talk about this.',
    metadata: { stopReasonCode: 'hook_blocked' },
  });
});
