'use strict';
// The code tool with the AI SDK itself and a scripted model.

const { generateText, jsonSchema, stepCountIs, streamText, tool } = require('ai');
const v = require('valibot');
const z = require('zod');

const { codeTool } = require('../../lib/ai/index.js');
const { IsolateExecutor } = require('../../lib/execbox/index.js');
const { outputsShown, scriptedModel } = require('./scripted-model.js');

const TEMPERATURES = { Oslo: 4, Rome: 21, Lima: 19 };
const weather = tool({
  description: 'The temperature of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ celsius: TEMPERATURES[city] }),
});

/** Lets a model write `code` once, and gives what it was shown. */
async function say(code, options, more = {}) {
  const model = scriptedModel([{ code }, 'done']);
  const tools = { code: codeTool({ tools: { weather }, ...options }) };
  const settings = { model, tools, stopWhen: stepCountIs(3), prompt: 'go', ...more };
  const { text, steps } = await generateText(settings);
  const [output] = outputsShown(model);
  return { model, text, output, result: steps[0].toolResults[0]?.output };
}

test('a model writes code that calls the tools, and is shown the result', async () => {
  const code = `
    const cities = ['Oslo', 'Rome', 'Lima'];
    const all = await Promise.all(cities.map((city) => tools.weather({ city })));
    const best = Math.max(...all.map(({ celsius }) => celsius));
    console.log('asked', cities.length);
    return cities[all.findIndex(({ celsius }) => celsius === best)];`;
  const { model, text, output, result } = await say(code);
  expect(text).toBe('done');
  expect(output).toEqual({ type: 'text', value: 'Rome\n\nConsole:\nasked 3' });
  expect(result).toMatchObject({ ok: true, result: 'Rome', logs: ['asked 3'] });
  const [declared] = /** @type {any[]} */ (model.doGenerateCalls[0].tools);
  expect(declared).toMatchObject({
    type: 'function',
    name: 'code',
    inputSchema: { type: 'object', required: ['code'], properties: { code: { type: 'string' } } },
  });
  expect(declared.description).toContain('/** The temperature of a city. */');
  expect(declared.description.replace(/\s+/g, ' ')).toContain(
    'declare namespace tools { /** The temperature of a city. */ function weather(input: { city: string; })',
  );
  expect(declared.description).toContain('Limits: 30 s and 64 MiB');
});

test('an error is shown with its name, its place and the lines around it', async () => {
  const { output, result } = await say('const a = 1;\nconst b = missing + a;\nreturn b;');
  expect(output.type).toBe('error-text');
  expect(output.value).toContain('ReferenceError: missing is not defined (line 2, column 11)');
  expect(output.value).toContain('> 2 | const b = missing + a;');
  expect(result).toMatchObject({ ok: false, error: { code: 'runtime_error' } });
});

test('input that does not fit a schema is shown as such, and does not reach the tool', async () => {
  const execute = jest.fn();
  for (const inputSchema of [
    z.object({ city: z.string() }),
    v.object({ city: v.string() }),
    jsonSchema({ type: 'object', properties: { city: { type: 'string' } } }),
  ]) {
    const tools = { weather: { inputSchema, execute } };
    const { output } = await say('return tools.weather({ city: 5 })', { tools });
    expect(output.type).toBe('error-text');
    expect(output.value).toContain('Invalid input for tool weather');
  }
  expect(execute).not.toHaveBeenCalled();
});

test('tools are told about the call: its id, its messages, its context and its abort signal', async () => {
  let seen;
  const spy = tool({
    inputSchema: z.object({ n: z.number() }),
    execute: (input, options) => {
      seen = { input, ...options };
      return 1;
    },
  });
  await say(
    'return tools.spy({ n: 1 })',
    { tools: { spy } },
    { experimental_context: { user: 7 } },
  );
  expect(seen).toMatchObject({
    input: { n: 1 },
    toolCallId: 'call-0',
    experimental_context: { user: 7 },
  });
  expect(seen.messages).toMatchObject([{ role: 'user' }]);
  expect(seen.abortSignal).toBeInstanceOf(AbortSignal);
  expect(seen.code).toBeUndefined();
});

test('a tool that gives several results gives code the last', async () => {
  const steps = tool({
    inputSchema: z.object({}),
    async *execute() {
      yield 'first';
      yield 'last';
    },
  });
  const { output } = await say('return tools.steps({})', { tools: { steps } });
  expect(output.value).toBe('last');
});

test('an abort of the caller ends the code and its tools', async () => {
  const controller = new AbortController();
  let toolSignal;
  const hang = tool({
    inputSchema: z.object({}),
    execute: (_input, { abortSignal }) => {
      toolSignal = abortSignal;
      setTimeout(() => controller.abort(), 20);
      return new Promise(() => {});
    },
  });
  const running = say(
    'await tools.hang({})',
    { tools: { hang } },
    { abortSignal: controller.signal },
  );
  await expect(running).rejects.toThrow(/abort/i);
  expect(toolSignal.aborted).toBe(true);
});

test('code that takes too long is ended, and the model is told the limit', async () => {
  const { output } = await say('for (;;);', { timeoutMs: 100 });
  expect(output).toMatchObject({ type: 'error-text' });
  expect(output.value).toContain('100 ms');
});

describe('approvals', () => {
  const pay = (needsApproval) =>
    tool({
      inputSchema: z.object({ sum: z.number() }),
      needsApproval,
      execute: async ({ sum }) => `paid ${sum}`,
    });
  const code = 'return tools.pay({ sum: 5 })';

  test('a tool that needs approval is refused without somebody to ask', async () => {
    expect(() => codeTool({ tools: { pay: pay(true) } })).toThrow(/pay needs approval.*approve/);
    const { output } = await say(code, { tools: { pay: pay(() => true) } });
    expect(output).toEqual({
      type: 'error-text',
      value: expect.stringContaining('tools.pay needs approval, and there is nobody'),
    });
  });

  test('it is called when it is approved, and time stands still meanwhile', async () => {
    const asked = [];
    const approve = async (request, { signal }) => {
      asked.push({ ...request, isAborted: signal.aborted });
      await new Promise((resolve) => setTimeout(resolve, 1800));
      return true;
    };
    const options = { tools: { pay: pay(({ sum }) => sum > 1) }, approve, timeoutMs: 1500 };
    const { output } = await say(code, options);
    expect(output).toEqual({ type: 'text', value: 'paid 5' });
    expect(asked).toEqual([
      { toolName: 'pay', input: { sum: 5 }, code, toolCallId: 'call-0', isAborted: false },
    ]);
  });

  test('it is not called when it is not approved', async () => {
    const { output } = await say(code, { tools: { pay: pay(true) }, approve: () => false });
    expect(output.value).toContain('tools.pay was not approved, and was not called');
  });
});

test('the console is streamed while code runs', async () => {
  const slow = tool({
    inputSchema: z.object({}),
    execute: () => new Promise((resolve) => setTimeout(resolve, 50)),
  });
  const code =
    'console.log("one"); await tools.slow({}); console.log("two"); await tools.slow({}); return 3';
  const model = scriptedModel([{ code }, 'done']);
  const lines = [];
  const options = { tools: { slow }, streamLogs: true, onLog: (line) => lines.push(line) };
  const { fullStream } = streamText({
    model,
    tools: { code: codeTool(options) },
    stopWhen: stepCountIs(3),
    prompt: 'go',
  });
  const seen = [];
  for await (const part of fullStream) {
    if (part.type === 'tool-result') seen.push([Boolean(part.preliminary), part.output]);
  }
  expect(seen.filter(([isPreliminary]) => isPreliminary).slice(0, 2)).toEqual([
    [true, { running: true, logs: ['one'] }],
    [true, { running: true, logs: ['one', 'two'] }],
  ]);
  expect(seen.at(-1)).toMatchObject([false, { ok: true, result: 3 }]);
  expect(lines).toEqual(['one', 'two']);
  expect(outputsShown(model)).toEqual([{ type: 'text', value: '3\n\nConsole:\none\ntwo' }]);
});

test('whoever stops reading a stream stops the code', async () => {
  const tools = { hang: { execute: () => new Promise(() => {}) } };
  const { execute } = codeTool({ tools, streamLogs: true });
  const stream = /** @type {AsyncGenerator} */ (
    execute({ code: 'console.log(1); await tools.hang()' }, { toolCallId: 'c', messages: [] })
  );
  expect(await stream.next()).toMatchObject({ value: { running: true, logs: ['1'] } });
  expect(await stream.return(undefined)).toMatchObject({ done: true });
});

test('code runs on an executor of the caller’s, such as child processes', async () => {
  const executor = new IsolateExecutor({ host: 'process' });
  const { output } = await say('return (await tools.weather({ city: "Oslo" })).celsius', {
    executor,
  });
  expect(output.value).toBe('4');
  await executor.dispose();
});

test('an answer is cut to maxTextChars', async () => {
  const { output } = await say('return "x".repeat(5000)', { maxTextChars: 200 });
  expect(output.value).toHaveLength(200);
  expect(output.value).toMatch(/\n… \d+ more characters$/);
});

test.each([
  ['no tools', {}, /options.tools must be/],
  ['an unknown option', { tools: {}, timeout: 5 }, /Unknown option 'timeout'/],
  ['a tool that runs elsewhere', { tools: { t: { inputSchema: z.object({}) } } }, /no execute/],
  ['a tool that is none', { tools: { t: 5 } }, /Tool t must be an object/],
  ['a schema that cannot be checked', { tools: { t: { inputSchema: 5, execute() {} } } }, /tool t/],
  ['a list of tools without names', { tools: [{ execute() {} }] }, /tools\[0\] must have a name/],
  ['an executor that is none', { tools: {}, executor: {} }, /executor must have execute/],
  ['approve that is none', { tools: {}, approve: true }, /options.approve must be a function/],
  ['streamLogs that is none', { tools: {}, streamLogs: 1 }, /options.streamLogs must be/],
  ['a description that is none', { tools: {}, description: 5 }, /options.description must be/],
  ['a namespace that is none', { tools: {}, namespace: 'a b' }, /namespace/],
])('%s is a TypeError', (_name, /** @type {any} */ options, message) => {
  expect(() => codeTool(options)).toThrow(TypeError);
  expect(() => codeTool(options)).toThrow(message);
});

test('the description can be replaced or added to', () => {
  const tools = { weather };
  expect(codeTool({ tools, description: 'mine' }).description).toBe('mine');
  const added = codeTool({ tools, description: ({ description }) => `${description}\nBe brief.` });
  expect(added.description).toMatch(/^Runs JavaScript[^]*Be brief\.$/);
});
