'use strict';
// Runtimes for tests: a store in a directory of its own, and models that follow a script.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const threads = require('../../lib/threads/index.js');

const { createThreadRuntime, defineAgent, defineModel, definePrompt } = threads;

/** @type {string[]} */
const directories = [];
/** @type {{ close(): Promise<void> }[]} */
const runtimes = [];

afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
  for (const directory of directories.splice(0)) fs.rmSync(directory, { recursive: true });
});

function newDirectory() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-threads-'));
  directories.push(directory);
  return directory;
}

const usage = { promptTokens: 3, completionTokens: 2, totalTokens: 5 };
const say = (content) => ({ content, finishReason: 'stop', usage });
let calls = 0;

/** An answer that calls tools: `call('add', { a: 1 })`, or several as pairs. */
function call(name, args = {}) {
  const pairs = Array.isArray(name) ? name : [[name, args]];
  return {
    content: null,
    finishReason: 'tool_calls',
    usage,
    toolCalls: pairs.map(([tool, given, id]) => ({
      id: id ?? `call_${(calls += 1)}`,
      type: 'function',
      function: {
        name: tool,
        arguments: typeof given === 'string' ? given : JSON.stringify(given),
      },
    })),
  };
}

/**
 * @param {string} name
 * @param {any[] | ((request: any, count: number) => any)} script answers in turn (functions are called), or a function
 * @param {object} [more] of the definition
 */
function scripted(name, script, more = {}) {
  const requests = [];
  const answer = async (request) => {
    const { signal: _signal, ...shown } = request;
    requests.push(structuredClone(shown));
    const count = requests.length;
    const next = typeof script === 'function' ? script : script[Math.min(count, script.length) - 1];
    return typeof next === 'function' ? next(request, count) : next;
  };
  const provider = { name: 'script', specificationVersion: '1', generate: answer };
  const model = defineModel({ name, model: `${name}-1`, provider: () => provider, ...more });
  return { model, requests };
}

/** A runtime that is closed when the test ends. */
async function open(options) {
  const runtime = await createThreadRuntime({ store: newDirectory(), ...options });
  runtimes.push(runtime);
  return runtime;
}

/**
 * An agent with a human, whose model follows a script.
 *
 * @param {any} script
 * @param {{ side?: object, prompt?: object, agent?: object, model?: object, options?: any }} [more]
 */
async function openAgent(script, { side, prompt, agent, model: about, options } = {}) {
  const { model, requests } = scripted('script', script, about);
  const runtime = await open({
    models: [model, ...(options?.models ?? [])],
    prompts: [
      definePrompt({
        name: 'main',
        toolDescription: 'The main prompt.',
        prompt: 'You help.',
        model: 'script',
        includeChat: true,
        includePastTools: true,
        tools: Object.keys(options?.tools ?? {}),
        ...prompt,
      }),
      ...(options?.prompts ?? []),
    ],
    agents: [
      defineAgent({ name: 'helper', sideA: { prompt: 'main', ...side }, ...agent }),
      ...(options?.agents ?? []),
    ],
    ...Object.fromEntries(
      Object.entries(options ?? {}).filter(
        ([key]) => !['models', 'prompts', 'agents'].includes(key),
      ),
    ),
  });
  const thread = await runtime.createThread({ agent: 'helper' });
  const send = async (content, rest = {}) => {
    await runtime.send(thread.threadId, { content, ...rest });
    await runtime.idle(thread.threadId);
    return rowsOf(thread);
  };
  return { runtime, thread, requests, send };
}

/** All rows of a thread, or those that lists show. */
async function rowsOf(thread, options = {}) {
  return (await thread.getMessages({ limit: 1000, ...options })).messages;
}

/** Rows in short: `role: content`. */
const brief = (rows) => rows.map(({ role, content }) => `${role}: ${content}`);

/** Every call has exactly one result, and every result its call. */
function expectPaired(rows) {
  const asked = rows.flatMap(({ tool_calls }) =>
    JSON.parse(tool_calls ?? '[]').map(({ id }) => id),
  );
  const answered = rows
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id }) => tool_call_id);
  expect([...answered].sort()).toEqual([...asked].sort());
}

module.exports = {
  ...threads,
  brief,
  call,
  expectPaired,
  newDirectory,
  open,
  openAgent,
  rowsOf,
  say,
  scripted,
};
