'use strict';
// Several processes on one database: when one is killed, the others take its threads over within the lease.

const { spawn } = require('node:child_process');
const path = require('node:path');

const { usePostgres } = require('./postgres.js');
const {
  defineAgent,
  defineModel,
  definePrompt,
  defineTool,
  open: openRuntime,
} = require('./support.js');

const server = usePostgres();
const THREADS = 60;
const LEASE_MS = 2000;

/** Definitions of a process that calls one slow tool per thread. */
function definitions(
  store,
  { defineAgent: agent, defineModel: model, definePrompt: prompt, defineTool: tool, leaseMs },
) {
  const generate = async ({ messages }) =>
    messages.at(-1).role === 'tool'
      ? { content: 'done', finishReason: 'stop' }
      : {
          content: null,
          finishReason: 'tool_calls',
          toolCalls: [{ id: 'c', type: 'function', function: { name: 'work', arguments: '{}' } }],
        };
  return {
    store,
    models: [
      model({
        name: 'm',
        model: 'm',
        provider: () => ({ name: 'm', specificationVersion: '1', generate }),
      }),
    ],
    prompts: [
      prompt({ name: 'p', toolDescription: 'd', prompt: 'x', model: 'm', tools: ['work'] }),
    ],
    agents: [agent({ name: 'a', sideA: { prompt: 'p' } })],
    tools: {
      work: tool({
        description: 'works',
        execute: () => new Promise((resolve) => setTimeout(() => resolve('worked'), 500)),
      }),
    },
    limits: { leaseMs, pollMs: 200 },
  };
}

test('nothing is lost when one of two processes is killed in the middle', async () => {
  const address = await server.newDatabase();
  const kinds = { defineAgent, defineModel, definePrompt, defineTool, leaseMs: LEASE_MS };
  const runtime = await openRuntime(definitions(address, kinds));
  const ids = [];
  for (let index = 0; index < THREADS; index += 1) {
    ids.push((await runtime.createThread({ agent: 'a' })).threadId);
  }
  const script = `
    const threads = require(${JSON.stringify(path.join(__dirname, '..', '..', 'lib', 'threads', 'index.js'))});
    const definitions = ${definitions};
    (async () => {
      const runtime = await threads.createThreadRuntime(definitions(${JSON.stringify(address)}, { ...threads, leaseMs: ${LEASE_MS} }));
      const ids = ${JSON.stringify(ids)};
      await Promise.all(ids.map((id) => runtime.send(id, { content: 'go' })));
      console.log('sent');
    })();`;
  const other = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => other.stdout.once('data', resolve));
  other.kill('SIGKILL');
  let open = ids;
  const counts = { worked: 0, unknown: 0 };
  while (open.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const left = [];
    for (const id of open) {
      const { messages } = await (await runtime.thread(id)).getMessages();
      if (messages.at(-1)?.content !== 'done') left.push(id);
      else {
        expect(messages.map(({ role }) => role)).toEqual([
          'user',
          'assistant',
          'tool',
          'assistant',
        ]);
        counts[messages[2].tool_status === 'error' ? 'unknown' : 'worked'] += 1;
      }
    }
    open = left;
  }
  expect(counts.worked + counts.unknown).toBe(THREADS);
}, 60_000);
