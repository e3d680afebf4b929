'use strict';
// Models: attempts, stand-ins, streams, stalls, and models of the AI SDK over real HTTP.

const http = require('node:http');

const { createOpenAICompatible } = require('@ai-sdk/openai-compatible');

const {
  brief,
  defineModel,
  defineTool,
  expectPaired,
  openAgent,
  rowsOf,
  say,
  scripted,
} = require('./support.js');

const FAST = { retryDelayMs: 5, firstChunkMs: 100, stallMs: 100 };
const fail = (message, more) => () => {
  throw Object.assign(new Error(message), more);
};

test('a request that fails is made again, and both attempts are in the log', async () => {
  const { send, thread } = await openAgent([fail('busy'), say('here')], {
    options: { limits: FAST },
  });
  expect(brief(await send('go'))).toEqual(['user: go', 'assistant: here']);
  const [first, second] = await thread.getLogs();
  expect(first).toMatchObject({ error: 'busy', error_type: 'api_error', is_complete: true });
  expect(second).toMatchObject({ retry_of_log_id: first.id, error: null, finish_reason: 'stop' });
});

test('retryAfter is heeded when it is longer than the delay', async () => {
  const { send } = await openAgent([fail('busy', { retryAfter: 0.2 }), say('here')], {
    options: { limits: FAST },
  });
  const start = Date.now();
  await send('go');
  expect(Date.now() - start).toBeGreaterThanOrEqual(200);
});

test('models that stand in are asked in their order', async () => {
  const second = scripted('second', [fail('no', { isRetryable: false })]);
  const third = scripted('third', [say('third here')]);
  const { send, requests, thread } = await openAgent([fail('broken')], {
    model: { fallbacks: ['second', 'third'] },
    options: { models: [second.model, third.model], limits: FAST },
  });
  expect((await send('go')).at(-1).content).toBe('third here');
  expect([requests.length, second.requests.length, third.requests.length]).toEqual([2, 1, 1]);
  expect((await thread.getLogs()).map(({ model_name }) => model_name)).toEqual([
    'script',
    'script',
    'second',
    'third',
  ]);
});

test('when all fail, the thread says so and stays usable', async () => {
  const { send, thread } = await openAgent(
    (_request, count) => (count < 3 ? fail('out of order')() : say('back')),
    {
      options: { limits: FAST },
    },
  );
  const rows = await send('go');
  expect(rows.at(-1)).toMatchObject({
    role: 'assistant',
    status: 'failed',
    content: 'The execution failed: out of order',
    metadata: { stopReasonCode: 'step_error' },
  });
  expect(
    (await thread.getLogs()).some(({ error_type }) => error_type === 'all_retries_exhausted'),
  ).toBe(true);
  expect((await send('again')).at(-1).content).toBe('back');
});

/** A model that streams chunks; a number is a pause. */
function streaming(chunks, more = {}) {
  const signals = [];
  const stream = async function* stream({ signal }) {
    signals.push(signal);
    for (const chunk of typeof chunks === 'function' ? chunks(signals.length) : chunks) {
      if (typeof chunk === 'number') await new Promise((resolve) => setTimeout(resolve, chunk));
      else yield chunk;
    }
  };
  const provider = { name: 's', specificationVersion: '1', generate: fail('not used'), stream };
  return {
    model: defineModel({ name: 'streams', model: 's', provider: () => provider, ...more }),
    signals,
  };
}

const text = (delta) => ({ type: 'content-delta', delta });
const finish = { type: 'finish', finishReason: 'stop', usage: { totalTokens: 7 } };

async function openStreaming(model, more) {
  return openAgent([say('unused')], {
    prompt: { model: 'streams' },
    options: { models: [model, ...(more ?? [])], limits: FAST },
  });
}

test('text that streams is put together, with calls and tokens', async () => {
  const { model } = streaming([text('Hel'), text('lo.'), finish]);
  const { send, thread } = await openStreaming(model);
  expect((await send('go')).at(-1).content).toBe('Hello.');
  expect((await thread.getLogs())[0]).toMatchObject({
    total_tokens: 7,
    time_to_first_token_ms: expect.any(Number),
  });
});

test.each([
  ['says nothing', [1500, text('late'), finish]],
  ['pauses', [text('Well'), 1500, finish]],
])(
  'a stream that %s is given up without a second attempt, for the model that stands in',
  async (_name, chunks) => {
    const { model, signals } = streaming(chunks, { fallbacks: ['other'] });
    const other = scripted('other', [say('other here')]);
    const { send } = await openStreaming(model, [other.model]);
    expect((await send('go')).at(-1).content).toBe('other here');
    expect(signals).toMatchObject([{ aborted: true }]);
  },
);

test('a stream that ends before its answer is a failed attempt', async () => {
  const { model } = streaming((count) =>
    count === 1 ? [text('cut of')] : [text('whole'), finish],
  );
  const { send } = await openStreaming(model);
  expect((await send('go')).at(-1).content).toBe('whole');
});

describe('a model of the AI SDK', () => {
  /** A server that speaks the OpenAI protocol: one tool call, then text, streamed in pieces. */
  async function openAiServer() {
    const bodies = [];
    const server = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const asked = JSON.parse(body);
      bodies.push(asked);
      const isAnswered = asked.messages.at(-1).role === 'tool';
      const delta = (part) => ({
        id: '1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: part, finish_reason: null }],
      });
      const end = (reason) => ({
        ...delta({}),
        choices: [{ index: 0, delta: {}, finish_reason: reason }],
        usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
      });
      const chunks = isAnswered
        ? [delta({ content: 'It is ' }), delta({ content: '5.' }), end('stop')]
        : [
            delta({
              tool_calls: [
                {
                  index: 0,
                  id: 'call_abc',
                  type: 'function',
                  function: { name: 'add', arguments: '{"a":2,' },
                },
              ],
            }),
            delta({ tool_calls: [{ index: 0, function: { arguments: '"b":3}' } }] }),
            end('tool_calls'),
          ];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const chunk of chunks) {
        response.write(`data: ${JSON.stringify(chunk)}\n\n`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      response.end('data: [DONE]\n\n');
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    return { server, bodies, url: `http://127.0.0.1:${port}/v1` };
  }

  test('over HTTP with streaming: calls, results, images and tokens', async () => {
    const { server, bodies, url } = await openAiServer();
    try {
      const sdk = createOpenAICompatible({ name: 'local', baseURL: url, includeUsage: true });
      const model = defineModel({
        name: 'sdk',
        model: sdk('m'),
        capabilities: { supportsImages: true },
      });
      const add = defineTool({
        description: 'Adds.',
        args: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
        execute: (_state, { a, b }) => a + b,
      });
      const { send, thread } = await openAgent([say('unused')], {
        prompt: { model: 'sdk' },
        options: { models: [model], tools: { add } },
      });
      const image = {
        name: 'dot.png',
        mimeType: 'image/png',
        data: Buffer.from('dot').toString('base64'),
      };
      const rows = await send('2 + 3?', { attachments: [image] });
      expect(rows.map(({ role, content }) => `${role}: ${content}`)).toEqual([
        'user: 2 + 3?',
        'assistant: null',
        'tool: 5',
        'assistant: It is 5.',
      ]);
      expect(rows[2].tool_call_id).toBe('call_abc');
      expectPaired(rows);
      expect(bodies[0]).toMatchObject({
        model: 'm',
        stream: true,
        tools: [{ function: { name: 'add', description: 'Adds.' } }],
      });
      expect(bodies[0].messages[0]).toEqual({ role: 'system', content: 'You help.' });
      expect(JSON.stringify(bodies[0].messages[1])).toContain(
        `data:image/png;base64,${image.data}`,
      );
      expect(bodies[1].messages.slice(-2)).toMatchObject([
        { role: 'assistant', tool_calls: [{ id: 'call_abc', function: { name: 'add' } }] },
        { role: 'tool', tool_call_id: 'call_abc', content: '5' },
      ]);
      expect((await thread.getLogs())[0]).toMatchObject({
        input_tokens: 11,
        output_tokens: 4,
        total_tokens: 15,
      });
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('without streaming, and with a call', async () => {
    const model = {
      specificationVersion: 'v3',
      provider: 'fake',
      modelId: 'f',
      doStream: fail('not used'),
      doGenerate: async ({ prompt }) =>
        prompt.at(-1).role === 'tool'
          ? {
              content: [{ type: 'text', text: prompt.at(-1).content[0].output.value }],
              finishReason: { unified: 'stop' },
              usage: { inputTokens: { total: 1 }, outputTokens: { total: 2 } },
            }
          : {
              content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'hi', input: '' }],
              finishReason: 'tool-calls',
              usage: {},
            },
    };
    const hi = defineTool({ description: 'd', execute: () => 'hello' });
    const { send, thread } = await openAgent([say('unused')], {
      prompt: { model: 'sdk' },
      options: {
        models: [defineModel({ name: 'sdk', model, capabilities: { supportsStreaming: false } })],
        tools: { hi },
      },
    });
    expect((await send('go')).at(-1).content).toBe('hello');
    expect((await thread.getLogs())[1]).toMatchObject({ total_tokens: 3, model: 'f' });
    expect(await rowsOf(thread)).toHaveLength(4);
  });
});
