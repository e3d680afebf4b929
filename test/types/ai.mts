// Values that callers expect, tools whose inputs are inferred, and isobox/ai with the AI SDK. Checked by tsc; never run.

import { generateText, jsonSchema, tool, type LanguageModel } from 'ai';
import { type } from 'arktype';
import { IsolatePool, type RunOutcome } from 'isobox';
import { codeFunction, codeTool } from 'isobox/ai';
import { IsolateExecutor, resolveProvider } from 'isobox/execbox';
import { runCode } from 'isobox/run-code';
import * as v from 'valibot';
import { z } from 'zod';
import { z as z3 } from 'zod3';

export async function expected(pool: IsolatePool, executor: IsolateExecutor) {
  const { value, error } = await pool.run<{ sum: number }>({ source: '' });
  const sum: number | undefined = value?.sum;
  const message: string | undefined = error?.message;
  // @ts-expect-error: the value was said to have a sum
  void value?.total;

  const ran = await runCode<string>('export default "a"');
  const text: string | undefined = ran.result?.toUpperCase();
  if (ran.status === 'success') ran.result.trim();

  const { result, error: failure } = await executor.execute<number[]>('[1]');
  const first: number | undefined = result?.[0];
  const hint: string | undefined = failure?.hint;

  const promise: Promise<RunOutcome<number>> = pool.run<number>({ source: '' });
  const all = await Promise.all([pool.run<number>({ source: '' }), promise]);
  const ok: boolean = all[0].ok;
  return [sum, message, text, first, hint, ok];
}

export const provider = resolveProvider({
  tools: {
    zod: {
      inputSchema: z.object({ n: z.number(), word: z.string().default('a') }),
      execute: ({ n, word }) => word.repeat(n),
    },
    zod3: {
      inputSchema: z3.object({ n: z3.number() }),
      execute: ({ n }) => n.toFixed(),
    },
    shape: {
      inputSchema: { n: z.number() },
      execute: ({ n }) => n.toFixed(),
    },
    valibot: {
      inputSchema: v.object({ n: v.number() }),
      execute: ({ n }) => n.toFixed(),
    },
    arktype: {
      inputSchema: type({ n: 'number' }),
      execute: ({ n }) => n.toFixed(),
    },
    ai: {
      inputSchema: jsonSchema<{ n: number }>({ type: 'object' }),
      execute: ({ n }) => n.toFixed(),
    },
    lazy: {
      inputSchema: () => z.object({ n: z.number() }),
      execute: ({ n }) => n.toFixed(),
    },
    json: {
      inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      execute: (input) => input.anything,
    },
    none: { execute: (input, { signal }) => [input.anything, signal.aborted] },
    wrong: {
      inputSchema: z.object({ n: z.number() }),
      // @ts-expect-error: n is a number
      execute: ({ n }) => n.trim(),
    },
  },
  approve: async ({ toolName, input }) => toolName === 'zod' && input !== undefined,
});

export async function agent(model: LanguageModel) {
  const weather = tool({
    inputSchema: z.object({ city: z.string() }),
    needsApproval: true,
    execute: async ({ city }) => city.length,
  });
  const code = codeTool({
    tools: { weather },
    approve: ({ toolName, input, code: source }) => source !== '' && Boolean(toolName || input),
    streamLogs: true,
  });
  const { steps } = await generateText({ model, tools: { code }, prompt: 'go' });
  for (const { toolResults } of steps) {
    for (const made of toolResults) {
      if (made.toolName === 'code' && !made.dynamic) void made.output;
    }
  }
  const plain = codeFunction({ tools: { weather }, name: 'run' });
  const { text, isError } = await plain.call({ code: '1' });
  // @ts-expect-error: there is no such option
  codeFunction({ tools: {}, streamLogs: true });
  return [text, isError, plain.openai.function.name];
}
