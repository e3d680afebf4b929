// The types of isobox/run-code, as callers use them. Checked by tsc; never run.

import { IsolatePool } from 'isobox';
import {
  createRunCode,
  runCode,
  threadState,
  type CodeExecution,
  type CodeExecutionResult,
  type CodeExecutionStatus,
  type RunCode,
} from 'isobox/run-code';

async function results(): Promise<unknown> {
  const handle: CodeExecution = runCode('export default 1', {
    execute: { fn: 'main', args: [1, { a: new Map() }] },
    imports: { pkg: { default: 1, call: async () => 1 } },
    globals: { console: {}, later: Promise.resolve(1) },
    modules: { './a.ts': 'export const a = 1' },
    language: 'javascript',
    memoryLimitBytes: 2 ** 24,
    filename: 'main.ts',
    report: async (value) => value.n,
  });
  handle.terminate();
  handle.terminate('reason');
  const isRunning: boolean = handle.running;
  const entry = handle.logs[0];
  const level: 'log' | 'info' | 'warn' | 'error' | 'debug' = entry.level;

  const result: CodeExecutionResult = await handle;
  const status: CodeExecutionStatus = result.status;
  if (result.status === 'success') {
    const none: undefined = result.error;
    void none;
    return result.result;
  }
  const nothing: undefined = result.result;
  void nothing;
  const {
    name,
    message,
    line = 0,
  }: { name: string; message: string; line?: number } = result.error;
  return [isRunning, level, status, name, message, line, result.durationMs.toFixed()];
}

async function misuse(): Promise<void> {
  // @ts-expect-error: unknown option
  await runCode('', { timeoutMs: 5 });
  // @ts-expect-error: unknown language
  await runCode('', { language: 'python' });
  // @ts-expect-error: sources are strings
  await runCode(5);
  // @ts-expect-error: unknown setting
  createRunCode({ poll: 1 });
  // @ts-expect-error: handles are not to be changed
  runCode('').running = false;
}

function settings(): RunCode {
  const controller = new AbortController();
  return createRunCode({
    pool: new IsolatePool(),
    memoryLimitBytes: 2 ** 25,
    maxMemoryLimitBytes: 2 ** 28,
    signal: controller.signal,
  });
}

function state(): PromiseLike<CodeExecutionResult> {
  const given = { threadId: 't1', execution: { abortSignal: new AbortController().signal } };
  const extended = threadState(given);
  const id: string = extended.threadId;
  return extended.runCode(id, null).finally(() => {});
}

export { misuse, results, settings, state };
