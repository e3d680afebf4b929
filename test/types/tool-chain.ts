// What users write against isobox/tool-chain must compile, and what is wrong must not. Checked by tsc.

import { trace } from '@opentelemetry/api';
import { createToolChain, toolChainMcpServer } from 'isobox/tool-chain';
import type { ToolChain, ToolChainAnswer, ToolChainTier } from 'isobox/tool-chain';

export async function use(): Promise<string> {
  const chain: ToolChain = createToolChain({
    backends: {
      files: { command: 'mcp-server-filesystem', args: ['.'], timeout: 1000 },
      docs: { url: 'https://example.com/mcp', headers: {}, max_concurrent_calls: 2 },
    },
    cache: './tools.json',
    output: { auto_chunk_json: true, chunk_threshold: 1, smart_truncation: false },
    sandbox: {
      timeout: 1,
      max_output_size: 1,
      max_concurrent_sandboxes: 1,
      max_heap_size: 2 ** 24,
    },
    approval: {
      tools: ['files.*'],
      annotations: ['destructiveHint'],
      isNeeded: ({ input }) => input.force === true,
      ask: async ({ backend, tool }, { signal }) => !signal.aborted && `${backend}.${tool}` !== '',
    },
    tracer: trace.getTracer('test'),
    onWarning: (message) => console.error(message),
  });
  const answer: ToolChainAnswer = await chain.callToolChain(
    { code: 'return 1', timeout: 1000, max_output_size: 1000, intent: 'plums' },
    {
      signal: new AbortController().signal,
      onProgress: ({ callsDone, lastCall = '', waitingFor = '' }) =>
        console.error(callsDone.toFixed(), lastCall.length, waitingFor.length),
    },
  );
  const tier: ToolChainTier = answer.tier;
  const { tools } = await chain.searchTools({ task_description: 'x', brief: false });
  const { contents }: { contents: string } = {
    contents: (await chain.readResource('isobox://backends')).text,
  };
  await toolChainMcpServer(chain).close();
  await chain.close();
  return tier + tools[0].types + contents + answer.resultUri;
}

export function misuse(): void {
  // @ts-expect-error backends are needed
  createToolChain({});
  // @ts-expect-error a cache is a file
  createToolChain({ backends: {}, cache: true });
  // @ts-expect-error a program needs its command
  createToolChain({ backends: { files: { args: [] } } });
  // @ts-expect-error there is no such option
  createToolChain({ backends: {}, sandbox: { timeot: 1 } });
  // @ts-expect-error nor such an annotation
  createToolChain({ backends: {}, approval: { annotations: ['evil'] } });
}
