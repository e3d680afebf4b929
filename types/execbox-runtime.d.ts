/**
 * isobox/execbox/runtime: what executors and runners are made of, under the names of execbox's `runtime` entry. Programs
 * that only run code need none of it.
 *
 * @packageDocumentation
 */

import type {
  ExecuteErrorCode,
  ExecuteResult,
  ExecutorRuntimeOptions,
  ResolvedToolProvider,
  ToolCall,
  ToolCallResult,
  ToolExecutionContext,
} from './execbox.js';

export { ExecuteFailure, isExecuteFailure } from './execbox.js';
export { extractProviderManifests } from './protocol.js';

/** Limits without a gap. */
export type ResolvedExecutorRuntimeOptions = Readonly<Required<ExecutorRuntimeOptions>>;

/** The limits of an execution that sets none. Frozen. */
export const DEFAULT_EXECUTOR_RUNTIME_OPTIONS: ResolvedExecutorRuntimeOptions;

/** The overrides, then the options, then the defaults. Throws for a limit that is out of range. */
export function resolveExecutorRuntimeOptions(
  options?: ExecutorRuntimeOptions,
  overrides?: ExecutorRuntimeOptions,
): Required<ExecutorRuntimeOptions>;

/**
 * The host's side of tool calls that come as messages. What it gives never rejects: an unknown tool is an
 * `internal_error`, input or a result that is no plain data a `serialization_error`, a call after the abort a `timeout`.
 * Throws for providers that are not resolved.
 */
export function createToolCallDispatcher(
  providers: ResolvedToolProvider[],
  signal: AbortSignal,
): (call: ToolCall) => Promise<ToolCallResult>;

/** What a tool is told about its call. */
export function createExecutionContext(
  signal: AbortSignal,
  providerName: string,
  safeToolName: string,
  originalToolName: string,
): ToolExecutionContext;

/** The result of an execution that ran out of time, or was aborted, without logs. `durationMs` is 0 unless given. */
export function createTimeoutExecuteResult(
  durationMs?: number,
): Extract<ExecuteResult, { ok: false }>;

/** The message of every `timeout`. */
export function getExecutionTimeoutMessage(): string;

/** Whether a value is one of the stable codes. */
export function isKnownExecuteErrorCode(value: unknown): value is ExecuteErrorCode;

/** Whether JSON says all of a value: plain objects, arrays, texts, finite numbers, booleans and null, without a cycle. */
export function isJsonSerializable(value: unknown): boolean;

/** A call of the console as one line: texts as they are, the rest as JSON, what JSON cannot say as text. */
export function formatConsoleLine(values: unknown[]): string;

/** The earliest lines, with at most so many UTF-16 units in all; the line that passes the limit is clipped. */
export function truncateLogs(logs: string[], maxLogLines: number, maxLogChars: number): string[];

/**
 * JavaScript as models write it, as the text of an async function that gives its result. Throws a `SyntaxError` for what
 * is no JavaScript. Executors of isobox do this themselves, for TypeScript too.
 */
export function normalizeCode(source: string): string;

/** The message of what was thrown; the value as text when it has none. Never throws. */
export function normalizeThrownMessage(thrown: unknown): string;

/** The name of what was thrown, if it has one. Never throws. */
export function normalizeThrownName(thrown: unknown): string | undefined;
