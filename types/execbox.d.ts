/**
 * isobox/execbox: execbox's executor, its providers and its results, on isobox's isolates.
 *
 * @packageDocumentation
 */

/** A JSON Schema, draft-07 unless its `$schema` names 2019-09 or 2020-12. `format` is not checked. */
export type JsonSchema = Record<string, unknown>;

/** A Zod schema, of Zod 3 or 4, known by its shape. */
export interface ZodSchemaLike {
  safeParse(value: unknown): unknown;
  safeParseAsync(value: unknown): Promise<unknown>;
}

/** A JSON Schema, a Zod schema, or what `z.object()` takes: Zod schemas by name. */
export type ToolSchema = JsonSchema | ZodSchemaLike | Record<string, ZodSchemaLike>;

/** The stable failure codes. There are no others. */
export type ExecuteErrorCode =
  /** The deadline, or the caller's signal. */
  | 'timeout'
  /** `memoryLimitBytes`. */
  | 'memory_limit'
  /** A tool's input or output does not fit its schema. */
  | 'validation_error'
  /** A tool threw. */
  | 'tool_error'
  /** The guest threw, does not compile, or made more calls than it may. */
  | 'runtime_error'
  /** A result, a tool's input or a tool's result cannot cross. */
  | 'serialization_error'
  /** The executor, its pool or its transport failed, or was used wrongly. */
  | 'internal_error';

/** The codes of {@link ExecuteErrorCode}, frozen. */
export const EXECUTE_ERROR_CODES: readonly ExecuteErrorCode[];

export interface ExecuteError {
  code: ExecuteErrorCode;
  /** For people. A guest's own message for `runtime_error`, a tool's for `tool_error`. */
  message: string;
}

/** What an execution came to: a union on `ok`. */
export type ExecuteResult<T = unknown> =
  | {
      ok: true;
      result: T;
      /** One line per call of the guest's console, truncated to the limits. */
      logs: string[];
      /** Wall time of the execution in milliseconds, without the time in a queue. */
      durationMs: number;
    }
  | { ok: false; error: ExecuteError; logs: string[]; durationMs: number };

/** What a tool is told about its call. */
export interface ToolExecutionContext {
  /** Aborts when the execution ends for any reason. */
  signal: AbortSignal;
  providerName: string;
  safeToolName: string;
  originalToolName: string;
}

export interface ToolDescriptor {
  /** Written into the generated declarations. */
  description?: string;
  /** Checked before the tool is called. Zod's result, with its defaults, is what the tool gets. */
  inputSchema?: ToolSchema;
  /** Checked after the tool has answered. */
  outputSchema?: ToolSchema;
  /**
   * The tool. What it throws is `tool_error` to the guest, unless its `code` is one of the stable codes. Only the first
   * argument of the guest's call arrives; without one it is `undefined`.
   */
  execute(input: any, context: ToolExecutionContext): unknown;
}

export interface ToolProvider {
  /** The guest's global for these tools, an identifier. Default: `'codemode'`. */
  name?: string;
  /** Tools by their own names, which may be anything. */
  tools: Record<string, ToolDescriptor>;
  /** Declarations to use instead of generated ones. */
  types?: string;
}

export interface ResolvedToolDescriptor {
  safeName: string;
  originalName: string;
  description?: string;
  inputSchema?: JsonSchema;
  outputSchema?: JsonSchema;
  execute(input: unknown, context: ToolExecutionContext): Promise<unknown>;
}

/** A provider as executors take it; execbox's own have the same shape. */
export interface ResolvedToolProvider {
  name: string;
  /** By safe name. */
  tools: Record<string, ResolvedToolDescriptor>;
  originalToSafeName: Record<string, string>;
  safeToOriginalName: Record<string, string>;
  /** TypeScript declarations of the namespace, for prompts. */
  types: string;
}

/**
 * Makes a provider ready for executors. Tools get names that guest code can write: `search-docs` becomes `search_docs`,
 * `1tool` `_1tool`, `default` `default_`, and a second `search_docs` `search_docs__2`. Throws a `TypeError` for names,
 * schemas and tools that cannot be used.
 *
 * @example
 * const provider = resolveProvider({
 *   name: 'docs',
 *   tools: {
 *     'search-docs': {
 *       description: 'Finds pages.',
 *       inputSchema: { type: 'object', required: ['query'], properties: { query: { type: 'string' } } },
 *       execute: async ({ query }, { signal }) => search(query, { signal }),
 *     },
 *   },
 * });
 * provider.types; // declare namespace docs { function search_docs(input: { query: string; }): Promise<unknown>; }
 */
export function resolveProvider(provider: ToolProvider): ResolvedToolProvider;

/** A failure with a stable code. A tool that throws one chooses the code its caller sees. */
export class ExecuteFailure extends Error {
  constructor(code: ExecuteErrorCode, message: string);
  code: ExecuteErrorCode;
}

/** Whether a value carries one of the stable codes; true for execbox's own failures too. */
export function isExecuteFailure(value: unknown): value is ExecuteFailure;

/** Narrows a result to success. */
export function isExecuteSuccess<T>(
  result: ExecuteResult<T>,
): result is Extract<ExecuteResult<T>, { ok: true }>;

/** Narrows a result to failure. */
export function isExecuteFailureResult<T>(
  result: ExecuteResult<T>,
): result is Extract<ExecuteResult<T>, { ok: false }>;

/** Limits of one execution. */
export interface ExecutorRuntimeOptions {
  /**
   * From the start of the guest; on host `thread` this includes waiting for a thread. Preparing the source comes before
   * and has a bound of its own, two seconds. Default: 5,000.
   */
  timeoutMs?: number;
  /** V8 heap and ArrayBuffers of the guest, brought between 8 MiB and 4 GiB. Default: 64 MiB. */
  memoryLimitBytes?: number;
  /** The earliest lines are kept. Default: 100. */
  maxLogLines?: number;
  /** UTF-16 units in all kept lines; the line that passes it is clipped. Default: 64,000. */
  maxLogChars?: number;
}

export interface ExecutionOptions extends ExecutorRuntimeOptions {
  /** Aborting it ends the execution with `timeout`, and aborts the signal of its tools. */
  signal?: AbortSignal;
}

export interface ExecutorPoolOptions {
  /**
   * Executions at once; further ones wait, without their time running. Default: no bound for host `thread`, else the
   * available cores, at least 4.
   */
  maxSize?: number;
  /** Kept ready however long nothing runs. Default: 0. */
  minSize?: number;
  /** Unused for this long, shells (and warm isolates) are given up. Default: 30,000. */
  idleTimeoutMs?: number;
  /** Makes as many ready at once (`true`: `minSize`, at least one). Default: `false`. */
  prewarm?: boolean | number;
}

export interface IsolateExecutorOptions extends ExecutorRuntimeOptions {
  /**
   * Where guests run. Each has a fresh isolate everywhere.
   *
   * `thread` (default): on threads of this process; the fastest. `worker`: in `worker_threads`, one execution at a time
   * in each. `process`: in child processes; a guest that brings V8 down takes only its own along.
   */
  host?: 'thread' | 'worker' | 'process';
  pool?: ExecutorPoolOptions;
  /** `ephemeral`: a new worker or process for each execution. No difference for host `thread`. Default: `pooled`. */
  mode?: 'pooled' | 'ephemeral';
  /** How long a worker or process may take to end a cancelled execution before it is killed. Default: 200. */
  cancelGraceMs?: number;
}

/** What execbox calls an executor. */
export interface Executor {
  execute(
    code: string,
    providers: ResolvedToolProvider[],
    options?: ExecutionOptions,
  ): Promise<ExecuteResult>;
  prewarm?(count?: number): Promise<void>;
  dispose?(): Promise<void> | void;
}

/**
 * Runs model-written code with tools. In place of execbox's `QuickJsExecutor`.
 *
 * @example
 * const executor = new IsolateExecutor({ timeoutMs: 1000 });
 * const result = await executor.execute('const page = await docs.search_docs({ query: "x" }); page.title', [provider]);
 * if (result.ok) console.log(result.result, result.logs);
 * await executor.dispose();
 */
export class IsolateExecutor implements Executor, AsyncDisposable {
  /** Throws for unknown or impossible options. */
  constructor(options?: IsolateExecutorOptions);
  /**
   * Runs guest code: an expression, statements of which the last expression is the result, a body with `return`, a lone
   * function that is called; JavaScript or TypeScript, in Markdown fences or not. Never rejects: misuse is an
   * `internal_error`.
   */
  execute(
    code: string,
    providers?: ResolvedToolProvider[],
    options?: ExecutionOptions,
  ): Promise<ExecuteResult>;
  /** Resolves when `count` isolates, workers or processes are ready. Default: `minSize`, at least one. */
  prewarm(count?: number): Promise<void>;
  /** Ends every execution with `internal_error`. Resolves when its workers, processes and threads are gone. Idempotent. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
