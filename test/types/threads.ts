// The types of isobox/threads. Checked by tsc; never run.

import http from 'node:http';

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  createThreadRuntime,
  defineAgent,
  defineEffect,
  defineHook,
  defineModel,
  definePrompt,
  defineTool,
  type Message,
  type ThreadState,
} from 'isobox/threads';

const sdk = createOpenAICompatible({ name: 'any', baseURL: 'http://localhost' });

async function use(): Promise<Message[]> {
  await using runtime = await createThreadRuntime({
    store: './threads',
    models: [
      defineModel({ name: 'sdk', model: sdk('m') }),
      defineModel({
        name: 'own',
        model: 'id',
        provider: () => ({
          name: 'own',
          specificationVersion: '1',
          generate: async ({ messages, signal }) => ({
            content: signal.aborted ? null : String(messages.length),
            finishReason: 'stop',
          }),
        }),
      }),
    ],
    prompts: [
      definePrompt({
        name: 'p',
        toolDescription: 'd',
        prompt: [{ type: 'env', property: 'X' }],
        model: 'sdk',
        tools: ['t', { name: 'child', resumable: { receives_messages: 'side_a' } }],
      }),
    ],
    agents: [defineAgent({ name: 'a', sideA: { prompt: 'p', sessionStop: { name: 't' } } })],
    tools: {
      t: defineTool({ description: 'd', execute: (state) => state.getValue('x') }),
      guest: defineTool({ description: 'd', executionMode: 'isolate', source: 'export default 1' }),
    },
    hooks: [defineHook({ hook: 'after_system_message', id: 'h', execute: (_state, text) => text })],
    effects: { e: defineEffect('d', async (state, { n }) => state.setValue('n', n)) },
    limits: { leaseMs: 5000 },
  });
  const thread: ThreadState = await runtime.createThread({ agent: 'a' });
  await runtime.send(thread.threadId, { content: 'x' });
  const handler = runtime.handler({ tokens: { t: { user: 'ada' } } });
  http.createServer(handler).on('upgrade', handler.upgrade);
  // @ts-expect-error: there is no such role
  await runtime.send(thread.threadId, { content: 'x', role: 'tool' });
  // @ts-expect-error: there is no such hook
  defineHook({ hook: 'on_start', id: 'h', execute: () => {} });
  // @ts-expect-error: a tool has a description
  defineTool({ execute: () => 1 });
  const { status } = await thread.runCode('export default 1');
  return status === 'success' ? (await thread.getMessages()).messages : [];
}

export { use };
