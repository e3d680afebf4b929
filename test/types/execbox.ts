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
  DEFAULT_EXECUTOR_RUNTIME_OPTIONS,
  createToolCallDispatcher,
  isKnownExecuteErrorCode,
  resolveExecutorRuntimeOptions,
} from 'isobox/execbox/runtime';
import {
  attachProtocolEndpoint,
  isDispatcherMessage,
  isRunnerMessage,
  RemoteExecutor,
  runHostTransportSession,
  type HostTransport,
} from 'isobox/protocol';
import * as z from 'zod';

async function executions(): Promise<unknown> {
  await using executor = new IsolateExecutor({
    timeoutMs: 1000,
    memoryLimitBytes: 2 ** 26,
    maxLogLines: 10,
    maxLogChars: 1000,
    host: 'process',
    sandbox: 'best',
    mode: 'ephemeral',
    cancelGraceMs: 100,
    pool: { maxSize: 4, minSize: 1, idleTimeoutMs: 1000, prewarm: true },
  });
  const same: Executor = executor;
  await executor.prewarm(2);
  // @ts-expect-error: there is no such host
  void new IsolateExecutor({ host: 'cloud' });
  // @ts-expect-error: execbox's alone
  void new IsolateExecutor({ host: 'worker' });
  // @ts-expect-error: there is no such option
  void new IsolateExecutor({ timeout: 1000 });

  const result: ExecuteResult = await same.execute('1', [], {
    timeoutMs: 100,
    signal: AbortSignal.timeout(50),
  });
  const logs: string[] = result.logs;
  const ms: number = result.durationMs;
  if (result.ok) {
    const none: undefined = result.error;
    void none;
    return [result.result, logs, ms];
  }
  const nothing: undefined = result.result;
  void nothing;
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

async function remote(transport: HostTransport): Promise<ExecuteResult[]> {
  const executor: Executor = new RemoteExecutor({ connectTransport: async () => transport });
  // @ts-expect-error: it needs a way to connect
  void new RemoteExecutor({ timeoutMs: 1 });
  const settled = (result: ExecuteResult) => void result.logs;
  return [
    await executor.execute('1', []),
    await runHostTransportSession({
      transport,
      code: '1',
      runtimeOptions: { timeoutMs: 100 },
      onSettled: settled,
    }),
  ];
}

async function helpers(value: unknown): Promise<ExecuteErrorCode | number> {
  const dispatch = createToolCallDispatcher([providers()], new AbortController().signal);
  const answer = await dispatch({ providerName: 'docs', safeToolName: 'search', input: value });
  if (!answer.ok) return answer.error.code;
  if (isKnownExecuteErrorCode(value)) return value;
  // @ts-expect-error: the defaults are frozen
  DEFAULT_EXECUTOR_RUNTIME_OPTIONS.timeoutMs = 1;
  return resolveExecutorRuntimeOptions({ timeoutMs: 1 }).maxLogLines;
}

export { executions, helpers, messages, narrowing, providers, remote };
export type { IsolatePool };
export { attachProtocolEndpoint, runHostTransportSession };
