'use strict';
// An agent that works on a durable thread: it runs code, lets a subagent check the result, and goes on after its process is
// killed in the middle. `node examples/threads.js` needs no key; with MODEL_URL (and MODEL_NAME, MODEL_KEY) it asks any model that
// speaks the OpenAI protocol.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const {
  createThreadRuntime,
  defineAgent,
  defineModel,
  definePrompt,
  defineTool,
} = require('isobox/threads');

const call = (id, name, args) => ({
  content: null,
  finishReason: 'tool_calls',
  toolCalls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
const say = (content) => ({ content, finishReason: 'stop' });

/** What a model might answer, from what it is sent. */
function script({ messages }) {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (messages[0].content.startsWith('You check')) {
    return call('r1', 'report', { verdict: '338350 is right: n(n+1)(2n+1)/6.' });
  }
  if (results.length === 0) {
    const code =
      'export default Array.from({ length: 100 }, (_, n) => (n + 1) ** 2).reduce((a, b) => a + b)';
    return call('c1', 'run_code', { code });
  }
  if (results.length === 1) return call('c2', 'checker', { claim: `The sum is ${results[0]}.` });
  return say(`The sum of the squares from 1 to 100 is ${results[0]}. ${results[1].split('\n')[0]}`);
}

function model() {
  const { MODEL_URL, MODEL_NAME = 'default', MODEL_KEY } = process.env;
  if (MODEL_URL === undefined) {
    const provider = {
      name: 'script',
      specificationVersion: '1',
      generate: async (request) => script(request),
    };
    return defineModel({ name: 'thinker', model: 'script', provider: () => provider });
  }
  const { createOpenAICompatible } = require('@ai-sdk/openai-compatible');
  const sdk = createOpenAICompatible({ name: 'any', baseURL: MODEL_URL, apiKey: MODEL_KEY });
  return defineModel({ name: 'thinker', model: sdk(MODEL_NAME) });
}

const text = { type: 'string' };
const prompt = (name, words, tools) =>
  definePrompt({
    name,
    toolDescription: words,
    prompt: words,
    model: 'thinker',
    includeChat: true,
    includePastTools: true,
    tools,
  });

const open = (store, onCode = () => {}) =>
  createThreadRuntime({
    store,
    models: [model()],
    prompts: [
      prompt(
        'solve',
        'You solve problems with run_code, and let the checker check what you found.',
        ['run_code', { name: 'checker', initUserMessageProperty: 'claim' }],
      ),
      prompt('check', 'You check claims, and report a verdict.', ['report']),
      prompt('doubt', 'You ask for a verdict.', []),
    ],
    agents: [
      defineAgent({ name: 'solver', sideA: { prompt: 'solve' } }),
      defineAgent({
        name: 'checker',
        type: 'dual_ai',
        exposeAsTool: true,
        toolDescription: 'Checks a claim.',
        sideA: { prompt: 'check', sessionStop: { name: 'report', messageProperty: 'verdict' } },
        sideB: { prompt: 'doubt' },
        maxSessionTurns: 6,
      }),
    ],
    tools: {
      run_code: defineTool({
        description:
          'Runs a TypeScript module in an isolate of its own; its default export is the result.',
        args: { type: 'object', properties: { code: text }, required: ['code'] },
        execute: async (state, { code }) => {
          const { status, result, error } = await state.runCode(code, { language: 'typescript' });
          return status === 'success'
            ? { status, result: String(result) }
            : { status: 'error', error: error.message };
        },
      }),
      report: defineTool({
        description: 'Reports a verdict.',
        args: { type: 'object', properties: { verdict: text }, required: ['verdict'] },
        execute: (state) => {
          onCode(state);
          return 'reported';
        },
      }),
    },
  });

/** The first process: it is killed while the subagent has its verdict ready. */
async function first(store, id) {
  const runtime = await open(store, () => process.kill(process.pid, 'SIGKILL'));
  await runtime.send(id, { content: 'What is the sum of the squares from 1 to 100?' });
  await runtime.idle(id);
}

async function main() {
  const store = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-threads-'));
  const before = await open(store);
  const { threadId } = await before.createThread({ agent: 'solver' });
  await before.close();

  const { signal } = spawnSync(process.execPath, [__filename, 'first', store, threadId], {
    stdio: 'inherit',
  });
  console.log(`the first process ended by ${signal ?? 'itself'}`);

  const runtime = await open(store);
  const thread = await runtime.thread(threadId);
  console.log(`${(await thread.getMessages()).total} messages were kept`);
  await runtime.idle(threadId);
  for (const { role, content, tool_calls } of (await thread.getMessages()).messages) {
    const asked = JSON.parse(tool_calls ?? '[]').map((one) => `calls ${one.function.name}`);
    console.log(`${role.padEnd(10)}${content ?? asked.join(', ')}`);
  }
  console.log(
    `subagents: ${thread.children.map(({ name, status }) => `${name} (${status})`).join(', ')}`,
  );
  await runtime.close();
  fs.rmSync(store, { recursive: true });
}

const [mode, store, id] = process.argv.slice(2);
if (mode === 'first') first(store, id);
else main();
