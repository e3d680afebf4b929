/**
 * isobox/run-code: `runCode` of the Standard Agents runtime. Code of unknown origin runs as an ES module in a fresh
 * isolate that has the intrinsics of ECMAScript and what its caller gives it, and nothing else.
 *
 * @packageDocumentation
 */

import type { IsolatePool, Web } from './index.js';

/**
 * How a run ended.
 *
 * - `success`: the export was resolved and its value crossed.
 * - `error`: the code threw or rejected, or its result is not transferable.
 * - `link_error`: nothing of the code's own fault at run time: bad options, a syntax error, an import or export that
 *   cannot be found, no room in the pool's queue.
 * - `memory`: the memory limit was reached.
 * - `terminated`: `terminate()`, an abort signal, or a safety cap. The message says which.
 */
export type CodeExecutionStatus = 'success' | 'error' | 'link_error' | 'memory' | 'terminated';

/** Options of one run. Any other key is refused by name, as a `link_error`. */
export interface CodeExecutionOptions {
  /** Which export of the entry module is the result, and what it is called with when it is a function. */
  execute?: {
    /** Default: `'default'`. */
    fn?: string;
    /** Copied into the guest; functions become callable proxies. Default: none. */
    args?: unknown[];
  };
  /**
   * Modules of host values by bare specifier. Each own enumerable key is an export, `default` the default export.
   * Values are copied; functions become guest functions that always return a promise; promises become promises.
   */
  imports?: Record<string, object>;
  /**
   * Values that every module of the guest sees by name, and may shadow. They are not on `globalThis`. Names must be
   * identifiers that can be declared in a module: others are a `link_error`. A `console` of your own takes the place
   * of the captured one.
   */
  globals?: Record<string, unknown>;
  /**
   * Further sources by relative specifier (`./util.ts`), from the root of the module graph. Paths that end in
   * `.json` are JSON modules with a default export.
   */
  modules?: Record<string, string>;
  /** Of the entry and all `modules`. Types are erased, never checked. Default: `'typescript'`. */
  language?: 'typescript' | 'javascript';
  /**
   * Heap and ArrayBuffers together. Less than 8 MiB is raised to that; more than the ceiling is clamped to it, and
   * the error of an overrun names the effective limit. Default: 128 MiB.
   */
  memoryLimitBytes?: number;
  /**
   * The entry's name in errors, and where its relative imports start. `import.meta.url` is `sandbox:` and this.
   * A name that begins with `<` stands at the root. Default: `'<runCode>'`.
   */
  filename?: string;
  /**
   * When present, the guest has a function `report(value)`: the value is added to `reports`, then this is called, and
   * the guest's promise gets what it returns.
   */
  report?: (value: any) => unknown;
}

/** One call of the guest's console. */
export interface CodeExecutionLog {
  level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  /** Copies; what cannot be copied is text. */
  args: unknown[];
  /** Milliseconds since the epoch. */
  timestamp: number;
}

/** Plain data; no host object and no guest object. */
export interface CodeExecutionError {
  name: string;
  /** Begins with `Line <line> of <filename>: ` when the place is known and the guest threw an object. */
  message: string;
  /** Rebuilt from the frames the engine recorded, with the positions of the caller's own source. */
  stack?: string;
  /** Counted from 1, in the caller's source. */
  line?: number;
  /** Counted from 1, in UTF-16 units. */
  column?: number;
  filename?: string;
  /** The import, or the key of `imports` or `modules`, that is at fault. */
  specifier?: string;
  /** The lines of the entry around the place, with a mark at the column. */
  frame?: string;
  /** What to do about it, for whoever wrote the code. Never about failures of the host. */
  hint?: string;
}

interface CodeExecutionFacts {
  /** What the guest reported, in order; the same array as `handle.reports`. */
  reports: any[];
  /** What the guest logged, in order; the same array as `handle.logs`. */
  logs: CodeExecutionLog[];
  /** From the call of `runCode` until it settled. */
  durationMs: number;
  /** Present when the console said more than is kept. */
  logsTruncated?: true;
}

/**
 * What a run came to. Reports and logs are kept whatever the status. `T` is what you expect the result to be; nothing checks
 * it.
 */
export type CodeExecutionResult<T = any> =
  | (CodeExecutionFacts & { status: 'success'; result: T; error?: undefined })
  | (CodeExecutionFacts & {
      status: Exclude<CodeExecutionStatus, 'success'>;
      error: CodeExecutionError;
      result?: undefined;
    });

/** A run under way: a promise of the result, which never rejects, whatever was passed to `runCode`. */
export interface CodeExecution<T = any> extends Promise<CodeExecutionResult<T>> {
  /** Until the run has settled. False from the start when the options were refused. */
  readonly running: boolean;
  /** Live: grows while the guest reports. */
  readonly reports: any[];
  /** Live: grows while the guest logs. */
  readonly logs: CodeExecutionLog[];
  /**
   * Ends the run with status `terminated`, within 50 ms whatever the guest does. The reason is the error's message.
   * Idempotent: the first reason counts, and nothing happens once the run has settled.
   */
  terminate(reason?: string): void;
}

/** Runs code. Returns at once; never throws. */
export type RunCode = <T = any>(
  source: string,
  options?: CodeExecutionOptions | null,
) => CodeExecution<T>;

/** What all runs of one `runCode` have in common. Misuse throws. */
export interface RunCodeSettings {
  /** Where the code runs; its limits apply, but for memory. Default: a pool that all of the process shares. */
  pool?: IsolatePool;
  /**
   * Where the shared pool is that the code runs on: `thread`, or `process`, whose processes the kernel locks in (Linux). With
   * a `pool` of your own, that one says it. Default: `thread`.
   */
  host?: 'thread' | 'process';
  /** For runs that set none, 8 MiB to 4 GiB. Default: 128 MiB. */
  memoryLimitBytes?: number;
  /** The ceiling callers' limits are clamped to, 8 MiB to 4 GiB. Default: 1 GiB. */
  maxMemoryLimitBytes?: number;
  /** Aborting it terminates every run, and any that is started afterwards. */
  signal?: AbortSignal;
  /** Web APIs for all of them. Default: their `globalThis` is bare. */
  web?: Web;
}

/**
 * Runs TypeScript or JavaScript as an ES module in a fresh isolate, on a pool that the process shares.
 *
 * There is no deadline: a run that never finishes waits, parked, until it is terminated.
 *
 * @example
 * const handle = runCode('export default (a: number, b: number) => a + b', {
 *   execute: { args: [40, 2] },
 * });
 * setTimeout(() => handle.terminate('took too long'), 5000).unref();
 * const { status, result } = await handle; // 'success', 42
 */
export const runCode: RunCode;

/**
 * Makes a `runCode` with a pool, a memory ceiling or a signal of its own. The pool stays the caller's to dispose of.
 *
 * @example
 * const pool = new IsolatePool({ threads: 4 });
 * const runCode = createRunCode({ pool, maxMemoryLimitBytes: 256 * 2 ** 20 });
 */
export function createRunCode(settings?: RunCodeSettings): RunCode;

/** What `threadState` needs to know of a Standard Agents thread. */
export interface ExecutableThread {
  execution?: { abortSignal?: AbortSignal } | null;
}

/**
 * Gives a Standard Agents thread state its `runCode`, and returns the state. Runs are terminated when
 * `state.execution?.abortSignal`, read at each call, aborts.
 *
 * @example
 * const state = threadState({ threadId: 't1', execution: { abortSignal: controller.signal } });
 * await state.runCode('export default 1');
 */
export function threadState<State extends object>(
  state: State & ExecutableThread,
  settings?: RunCodeSettings,
): State & { runCode: RunCode };

/** 8 MiB: the least memory limit a run can have. */
export const MIN_MEMORY_LIMIT_BYTES: number;
/** 128 MiB: the memory limit of a run that sets none. */
export const DEFAULT_MEMORY_LIMIT_BYTES: number;
/** 1 GiB: what memory limits are clamped to unless `maxMemoryLimitBytes` says otherwise. */
export const DEFAULT_MAX_MEMORY_LIMIT_BYTES: number;
