'use strict';
// Bad definitions: what is wrong, with the path of every bad field.

const { z } = require('zod');

const threads = require('./support.js');
const {
  defineAgent,
  defineEffect,
  defineHook,
  defineModel,
  definePrompt,
  defineTool,
  open,
  scripted,
} = threads;

const DEFINITION = { code: 'ERR_ISOBOX_THREAD_DEFINITION' };

const agent = (more) => () => defineAgent({ name: 'a', sideA: { prompt: 'p' }, ...more });
const prompt = (more) => () =>
  definePrompt({ name: 'p', toolDescription: 'd', prompt: 'x', model: 'm', ...more });
const tool = (more) => () => defineTool({ description: 'd', execute: () => {}, ...more });

test.each([
  ['no object', () => defineAgent(null), ['must be an object', 'name is missing']],
  ['a name with spaces', agent({ name: 'a b' }), ['name must be a name']],
  ['no side', () => defineAgent({ name: 'a' }), ['sideA is missing']],
  [
    'several faults of a side',
    agent({ sideA: { prompt: '', maxSteps: 0, stopOnRespons: true } }),
    [
      "'a'",
      'sideA.prompt must',
      'sideA.maxSteps must be a whole number',
      'sideA.stopOnRespons is not known',
    ],
  ],
  [
    'a stopTool without its property',
    agent({ sideA: { prompt: 'p', stopTool: 't' } }),
    ['sideA.stopToolResponseProperty'],
  ],
  ['dual_ai without side B', agent({ type: 'dual_ai' }), ['sideB is missing']],
  [
    'a prompt for the human',
    agent({ type: 'ai_human', sideB: { prompt: 'p' } }),
    ['sideB must not be there'],
  ],
  [
    'a session tool without a name',
    agent({ sideA: { prompt: 'p', sessionStop: {} } }),
    ['sideA.sessionStop.name'],
  ],
  ['a prompt without text', prompt({ prompt: undefined }), ["'p'", 'prompt is missing']],
  ['a bad part', prompt({ prompt: [{ type: 'text' }] }), ['prompt[0] must be']],
  [
    'an unknown tool field',
    prompt({ tools: [{ name: 't', blocks: 1 }] }),
    ['tools[0].blocks is not known'],
  ],
  [
    'a bad subagent',
    prompt({ tools: ['x', { name: 't', resumable: { receives_messages: 'a', maxInstances: 0 } }] }),
    ['tools[1].resumable.receives_messages', 'tools[1].resumable.maxInstances'],
  ],
  ['a bad variable', prompt({ variables: [{ name: 'V', type: 'number' }] }), ['variables[0].type']],
  ['a bad schema', prompt({ requiredSchema: 'text' }), ['requiredSchema must be a Zod object']],
  ['a tool without execute', tool({ execute: undefined }), ['execute is missing']],
  [
    'an isolate tool with a closure',
    tool({ executionMode: 'isolate' }),
    ['source is missing', 'execute must not'],
  ],
  [
    'a model without a provider',
    () => defineModel({ name: 'm', model: 'x' }),
    ["'m'", 'provider is missing'],
  ],
  ['a model that is no model', () => defineModel({ name: 'm', model: {} }), ['model must be']],
  [
    'an unknown hook event',
    () => defineHook({ hook: 'on_message', id: 'h', execute() {} }),
    ["'h'", 'hook must be one of'],
  ],
  ['an effect without a handler', () => defineEffect('d', z.object({})), ['execute is missing']],
])('%s', (_name, define, texts) => {
  let error;
  try {
    define();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject(DEFINITION);
  for (const text of texts) expect(error.message).toContain(text);
});

const good = () => ({
  models: [scripted('m', []).model],
  prompts: [prompt({})()],
  agents: [agent({})()],
});

test.each([
  [
    'an unknown prompt',
    { agents: [agent({ sideA: { prompt: 'nope' } })()] },
    ['sideA.prompt', 'nope'],
  ],
  ['an unknown model', { prompts: [prompt({ model: 'nope' })()] }, ["model names 'nope'"]],
  ['an unknown tool', { prompts: [prompt({ tools: ['nope'] })()] }, ["tools[0] names 'nope'"]],
  [
    'an unknown session tool',
    { agents: [agent({ sideA: { prompt: 'p', sessionStop: 'nope' } })()] },
    ['sideA.sessionStop', 'nope'],
  ],
  ['an unknown hook', { agents: [agent({ hooks: ['nope'] })()] }, ["hooks[0] names 'nope'"]],
  [
    'an unknown fallback',
    { models: [scripted('m', [], { fallbacks: ['nope'] }).model] },
    ['fallbacks', 'nope'],
  ],
  [
    'an unknown include',
    { prompts: [prompt({ prompt: [{ type: 'include', prompt: 'nope' }] })()] },
    ['prompt[0] includes', 'nope'],
  ],
  [
    'an agent that is not exposed',
    { prompts: [prompt({ tools: ['a'] })()] },
    ['tools[0]', 'exposeAsTool'],
  ],
  [
    'two agents of one name',
    { agents: [agent({})(), agent({})()] },
    ["agent 'a'", 'another agent'],
  ],
  [
    'a bad tool by its name',
    { tools: { sum: { description: 'd' } } },
    ["tool 'sum'", 'execute is missing'],
  ],
])('createThreadRuntime refuses %s', async (_name, more, texts) => {
  const attempt = open({ ...good(), ...more });
  await expect(attempt).rejects.toMatchObject(DEFINITION);
  for (const text of texts) await expect(attempt).rejects.toThrow(text);
});

test('unknown options are refused by name', async () => {
  await expect(open({ agentz: [] })).rejects.toThrow("Unknown option 'agentz'");
  await expect(open({ limits: { leaseSeconds: 1 } })).rejects.toThrow("'leaseSeconds'");
  await expect(open({ store: undefined })).rejects.toThrow('store must be a string');
  const runtime = await open(good());
  await expect(runtime.createThread({ agent: 'a', name: 'x' })).rejects.toThrow("'name'");
});

test('an unknown agent is named, with those there are', async () => {
  const runtime = await open(good());
  await expect(runtime.createThread({ agent: 'nope' })).rejects.toMatchObject({
    code: 'ERR_ISOBOX_THREAD_UNKNOWN',
    message: "There is no agent 'nope'. There are: a",
  });
  expect(await runtime.thread('00000000-0000-0000-0000-000000000000')).toBe(null);
});

test('definitions are frozen, and take the words of either version', () => {
  const dual = defineAgent({
    name: 'd',
    sideA: { prompt: 'p', sessionStop: 'done' },
    sideB: { prompt: 'q' },
  });
  expect(dual).toMatchObject({ type: 'dual_ai', sideA: { sessionStop: { name: 'done' } } });
  expect(Object.isFrozen(dual)).toBe(true);
  expect(defineAgent({ name: 'h', sideA: { prompt: 'p' }, sideB: { human: true } }).type).toBe(
    'ai_human',
  );
  expect(prompt({ prompt: [{ type: 'string', value: 'x' }] })().name).toBe('p');
});
