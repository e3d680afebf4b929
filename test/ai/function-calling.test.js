'use strict';
// The code tool with the clients of OpenAI and Anthropic, against a server that answers as theirs do, and with LangChain.

const http = require('node:http');

const { Anthropic } = require('@anthropic-ai/sdk');
const { tool } = require('@langchain/core/tools');
const { OpenAI } = require('openai');
const z = require('zod');

const { codeFunction } = require('../../lib/ai/index.js');

const tools = {
  'get-price': {
    description: 'The price of a fruit.',
    inputSchema: z.object({ item: z.string() }),
    execute: async ({ item }) => ({ plum: 3, pear: 5 })[item],
  },
};
const CODE = 'return (await tools.get_price({ item: "plum" })) * 10';

/** @type {http.Server[]} */
const servers = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** Serves one answer after the other, and keeps the requests. */
async function serve(answers) {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push(JSON.parse(body));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[requests.length - 1]));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  servers.push(server);
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { requests, baseURL: `http://127.0.0.1:${port}` };
}

test('chat completions of OpenAI', async () => {
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'run_code', arguments: JSON.stringify({ code: CODE }) },
  };
  const server = await serve([
    { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] },
    { choices: [{ message: { role: 'assistant', content: 'thirty' } }] },
  ]);
  const client = new OpenAI({ apiKey: 'none', baseURL: server.baseURL });
  const code = codeFunction({ tools });
  /** @type {import('openai').OpenAI.ChatCompletionMessageParam[]} */
  const messages = [{ role: 'user', content: 'Ten plums?' }];
  const ask = () =>
    client.chat.completions.create({ model: 'scripted', messages, tools: [code.openai] });
  const [{ message }] = (await ask()).choices;
  messages.push(message);
  for (const { id, function: called } of /** @type {any[]} */ (message.tool_calls)) {
    const { text, isError } = await code.call(called.arguments);
    expect(isError).toBe(false);
    messages.push({ role: 'tool', tool_call_id: id, content: text });
  }
  expect((await ask()).choices[0].message.content).toBe('thirty');
  expect(server.requests[0].tools[0]).toMatchObject({
    type: 'function',
    function: { name: 'run_code', strict: true, parameters: { required: ['code'] } },
  });
  expect(server.requests[0].tools[0].function.description).toContain('function get_price(input: {');
  expect(server.requests[1].messages.at(-1)).toMatchObject({ role: 'tool', content: '30' });
});

test('responses of OpenAI', async () => {
  const called = { type: 'function_call', call_id: 'c1', name: 'run_code' };
  const server = await serve([
    { output: [{ ...called, arguments: JSON.stringify({ code: CODE }) }] },
    { output: [] },
  ]);
  const client = new OpenAI({ apiKey: 'none', baseURL: server.baseURL });
  const code = codeFunction({ tools });
  const request = { model: 'scripted', tools: [code.openaiResponses] };
  const first = await client.responses.create({ ...request, input: 'Ten plums?' });
  const { text } = await code.call(/** @type {any} */ (first.output[0]).arguments);
  /** @type {import('openai').OpenAI.Responses.ResponseInputItem} */
  const output = { type: 'function_call_output', call_id: 'c1', output: text };
  await client.responses.create({
    ...request,
    input: [.../** @type {any[]} */ (first.output), output],
  });
  expect(server.requests[0].tools[0]).toMatchObject({ type: 'function', name: 'run_code' });
  expect(server.requests[1].input.at(-1).output).toBe('30');
});

test('messages of Anthropic', async () => {
  const use = { type: 'tool_use', id: 'u1', name: 'run_code', input: { code: 'nope()' } };
  const server = await serve([
    { role: 'assistant', content: [use], stop_reason: 'tool_use' },
    { role: 'assistant', content: [{ type: 'text', text: 'sorry' }], stop_reason: 'end_turn' },
  ]);
  const client = new Anthropic({ apiKey: 'none', baseURL: server.baseURL });
  const code = codeFunction({ tools });
  /** @type {import('@anthropic-ai/sdk').Anthropic.MessageParam[]} */
  const messages = [{ role: 'user', content: 'Ten plums?' }];
  const ask = () =>
    client.messages.create({
      model: 'scripted',
      max_tokens: 100,
      messages,
      tools: [code.anthropic],
    });
  const first = await ask();
  messages.push({ role: 'assistant', content: first.content });
  const [{ id, input }] = /** @type {any[]} */ (first.content);
  const { text, isError } = await code.call(input);
  expect(isError).toBe(true);
  messages.push({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: text, is_error: isError }],
  });
  expect((await ask()).content[0]).toMatchObject({ text: 'sorry' });
  expect(server.requests[0].tools[0]).toMatchObject({
    name: 'run_code',
    input_schema: { type: 'object', required: ['code'] },
  });
  expect(server.requests[1].messages.at(-1).content[0].content).toContain(
    'ReferenceError: nope is not defined (line 1, column 1)',
  );
});

test('tools of LangChain, as what code calls and as what calls code', async () => {
  const price = tool(async ({ item }) => `${item} costs 3`, {
    name: 'price',
    description: 'The price of a fruit.',
    schema: z.object({ item: z.string() }),
  });
  const code = codeFunction({ tools: [price], name: 'code' });
  const answer = async (input, /** @type {any} */ { signal }) =>
    (await code.call(input, { signal })).text;
  const asTool = tool(answer, code.langchain);
  expect(asTool.name).toBe('code');
  expect(asTool.description).toContain('function price(input: {');
  expect(await asTool.invoke({ code: 'return tools.price({ item: "plum" })' })).toBe(
    'plum costs 3',
  );
  expect(await asTool.invoke({ code: 'return tools.price({ item: 5 })' })).toContain(
    'Invalid input for tool price',
  );
  const call = { type: 'tool_call', id: 'c1', name: 'code', args: { code: 'return 1 + 1' } };
  expect(await asTool.invoke(call)).toMatchObject({ tool_call_id: 'c1', content: '2' });
});

test.each([
  ['text that is no JSON', '{"code": ', /not JSON/],
  ['no code', '{}', /must be \{ "code"/],
  ['code that is no text', { code: 5 }, /with code as text/],
  ['nothing', undefined, /must be \{ "code"/],
])('%s is an answer to the model', async (_name, input, message) => {
  const { text, isError, result } = await codeFunction({ tools }).call(input);
  expect(isError).toBe(true);
  expect(text).toMatch(message);
  expect(result.error?.code).toBe('validation_error');
});

test('an abort ends the code; lines of the console are told as they come', async () => {
  const controller = new AbortController();
  const lines = [];
  const onLog = (line) => {
    lines.push(line);
    controller.abort();
  };
  const code = codeFunction({ tools });
  const answer = await code.call(
    { code: 'console.log("on"); for (;;);' },
    { signal: controller.signal, onLog },
  );
  expect(answer).toMatchObject({ isError: true, result: { error: { code: 'timeout' } } });
  expect(lines).toEqual(['on']);
});

test.each([
  ['a name that no provider takes', { tools, name: 'run code' }, /options.name must have 1 to 64/],
  ['an unknown option', { tools, streamLogs: true }, /Unknown option 'streamLogs'/],
])('%s is a TypeError', (_name, options, message) => {
  expect(() => codeFunction(options)).toThrow(TypeError);
  expect(() => codeFunction(options)).toThrow(message);
});
