// The types of isobox/execbox and isobox/protocol, as callers use them. Checked by tsc; never run.

import { IsolatePool } from 'isobox';
import {
  EXECUTE_ERROR_CODES,
  ExecuteFailure,
  IsolateExecutor,
  isExecuteFailure,
  isExecuteFailureResult,
  isExecuteSuccess,
  resolveProvider,
  type ExecuteErrorCode,
  type ExecuteResult,
  type Executor,
  type ResolvedToolProvider,
  type ToolExecutionContext,
} from 'isobox/execbox';
import {
  attachProtocolEndpoint,
  isDispatcherMessage,
  isRunnerMessage,
  runHostSession,
} from 'isobox/protocol';
import * as z from 'zod';

async function executions(): Promise<unknown> {
  await using executor = new IsolateExecutor({
    timeoutMs: 1000,
    memoryLimitBytes: 2 ** 26,
    maxLogLines: 10,
    maxLogChars: 1000,
    host: 'process',
    mode: 'ephemeral',
    cancelGraceMs: 100,
    pool: { maxSize: 4, minSize: 1, idleTimeoutMs: 1000, prewarm: true },
  });
  const same: Executor = executor;
  await executor.prewarm(2);
  // @ts-expect-error: there is no such host
  void new IsolateExecutor({ host: 'cloud' });
  // @ts-expect-error: there is no such option
  void new IsolateExecutor({ timeout: 1000 });

  const result: ExecuteResult = await same.execute('1', [], {
    timeoutMs: 100,
    signal: AbortSignal.timeout(50),
  });
  const logs: string[] = result.logs;
  const ms: number = result.durationMs;
  if (result.ok) {
    // @ts-expect-error: a success has no error
    void result.error;
    return [result.result, logs, ms];
  }
  // @ts-expect-error: a failure has no result
  void result.result;
  const code: ExecuteErrorCode = result.error.code;
  // @ts-expect-error: the codes are a closed list
  return code === 'cancelled';
}

function narrowing(result: ExecuteResult<number>, thrown: unknown): number | string {
  if (isExecuteSuccess(result)) return result.result;
  if (isExecuteFailureResult(result)) return result.error.message;
  if (isExecuteFailure(thrown)) return thrown.code;
  return EXECUTE_ERROR_CODES[0];
}

function providers(): ResolvedToolProvider {
  const provider = resolveProvider({
    name: 'docs',
    tools: {
      search: {
        description: 'Finds pages.',
        inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
        outputSchema: z.array(z.string()),
        async execute({ query }, { signal, providerName, safeToolName, originalToolName }) {
          signal.throwIfAborted();
          return [query, providerName, safeToolName, originalToolName];
        },
      },
      shaped: {
        inputSchema: { n: z.number() },
        execute: (input, context: ToolExecutionContext) => {
          if (context.signal.aborted) throw new ExecuteFailure('tool_error', 'late');
          return input;
        },
      },
    },
  });
  const safeName: string = provider.originalToSafeName['search-docs'];
  const types: string = provider.types;
  // @ts-expect-error: a tool needs execute
  resolveProvider({ tools: { none: {} } });
  // @ts-expect-error: the codes are a closed list
  void new ExecuteFailure('cancelled', 'no');
  return { ...provider, types: `${types}${safeName}` };
}

function messages(value: unknown): string {
  if (isDispatcherMessage(value)) {
    return value.type === 'execute' ? value.code : value.type;
  }
  if (isRunnerMessage(value)) {
    if (value.type === 'tool_call') return value.safeToolName;
    if (value.type === 'done') return value.ok ? value.logs.join() : value.error.message;
    return value.id;
  }
  return '';
}

export { executions, messages, narrowing, providers };
export type { IsolatePool };
export { attachProtocolEndpoint, runHostSession };
