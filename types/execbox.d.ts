/**
 * isobox/execbox: execbox's executor, its providers and its results, on isobox's isolates.
 *
 * @packageDocumentation
 */

import type { PoolOptions } from './index.js';

/**
 * A JSON Schema, draft-07 unless its `$schema` names 2019-09 or 2020-12. `format` is not checked, and patterns that refer
 * back to a group are refused.
 */
export type JsonSchema = Record<string, unknown>;

/** A Zod schema, of Zod 3 or 4, known by its shape. */
export interface ZodSchemaLike {
  safeParse(value: unknown): unknown;
  safeParseAsync(value: unknown): Promise<unknown>;
}

/** A schema that follows Standard Schema: those of Valibot, ArkType, Zod and others. */
export interface StandardSchemaLike<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What the check of a Standard Schema gives. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** What `jsonSchema()` and `zodSchema()` of the AI SDK return. */
export interface AiSchemaLike<T = unknown> {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
  _type: T;
}

/**
 * A JSON Schema, a Zod schema, what `z.object()` takes (Zod schemas by name), a Standard Schema, a schema of the AI SDK,
 * or a function that returns one of these. Anything else is refused, so that no input goes unchecked.
 */
export type ToolSchema =
  | JsonSchema
  | ZodSchemaLike
  | Record<string, ZodSchemaLike>
  | StandardSchemaLike
  | AiSchemaLike
  | (() => ToolSchema);

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
  /** A result, a tool's input or a tool's result is no plain data, or is too large. */
  | 'serialization_error'
  /** The executor, its pool or its transport failed, or was used wrongly. */
  | 'internal_error';

/** The codes of {@link ExecuteErrorCode}, frozen. */
export const EXECUTE_ERROR_CODES: readonly ExecuteErrorCode[];

export interface ExecuteError {
  code: ExecuteErrorCode;
  /** A guest's own message for `runtime_error`, a tool's for `tool_error`. */
  message: string;
  /** Of the error that the guest threw, such as `TypeError`; `SyntaxError` for code that does not parse. */
  name?: string;
  /** Where it was thrown in the code as it was given, counted from 1. */
  line?: number;
  column?: number;
  /** The lines around that place, with a mark at the column. */
  frame?: string;
  /** What to do about it, for the model that wrote the code. Never about failures of the host. */
  hint?: string;
}

/** What an execution came to: a union on `ok`. */
export type ExecuteResult<T = unknown> =
  | {
      ok: true;
      result: T;
      error?: undefined;
      /** What to do about a result that was probably not meant, such as none at all. */
      hint?: string;
      /** One line per call of the guest's console, truncated to the limits. */
      logs: string[];
      /** Wall time of the execution in milliseconds, without the time in a queue. */
      durationMs: number;
    }
  | {
      ok: false;
      error: ExecuteError;
      result?: undefined;
      hint?: undefined;
      logs: string[];
      durationMs: number;
    };

/** What a tool is told about its call. */
export interface ToolExecutionContext {
  /** Aborts when the execution ends for any reason. */
  signal: AbortSignal;
  providerName: string;
  safeToolName: string;
  originalToolName: string;
  /** The execution's deadline stands still until `wait` is done. There when a tool of the execution may need approval. */
  whileAsking?<T>(wait: () => Promise<T>): Promise<T>;
}

/** What somebody is asked to approve. */
export interface ToolApprovalRequest {
  providerName: string;
  /** The tool's own name. */
  toolName: string;
  /** Checked, and as the schema made it. */
  input: unknown;
}

/** A call of a tool, by the names that guests know. */
export interface ToolCall {
  providerName: string;
  safeToolName: string;
  input?: unknown;
}

/** What became of a call. */
export type ToolCallResult =
  | { ok: true; result: unknown; error?: undefined }
  | { ok: false; error: ExecuteError; result?: undefined };

/** What a tool gets: what its schema makes of the guest's input. `any` for JSON Schema, which has no types. */
export type ToolInput<Schema> = unknown extends Schema
  ? any
  : Schema extends StandardSchemaLike<any, infer Output>
    ? Output
    : Schema extends AiSchemaLike<infer Output>
      ? Output
      : Schema extends () => infer Lazy
        ? ToolInput<Lazy>
        : Schema extends Record<string, StandardSchemaLike<any, any>>
          ? { [Name in keyof Schema]: ToolInput<Schema[Name]> }
          : any;

export interface ToolDescriptor<Schema = any> {
  /** Written into the generated declarations. */
  description?: string;
  /** Checked before the tool is called. Zod's result, with its defaults, is what the tool gets. */
  inputSchema?: Schema;
  /** Checked after the tool has answered. */
  outputSchema?: ToolSchema;
  /**
   * Whether a call needs approval: always, or when this gives true for its input. Without `approve` in the provider,
   * `true` is refused at once and a call for which a function gives true fails.
   */
  needsApproval?: boolean | ((input: any, context: any) => boolean | PromiseLike<boolean>);
  /**
   * The tool. What it throws is `tool_error` to the guest, unless it is an `ExecuteFailure`, which has a code. Only the
   * first argument of the guest's call arrives; without one it is `undefined`.
   */
  execute(input: ToolInput<Schema>, context: ToolExecutionContext): unknown;
}

export interface ToolProvider<Schemas extends Record<string, any> = Record<string, any>> {
  /** The guest's global for these tools, an identifier. Default: `'codemode'`. */
  name?: string;
  /** Tools by their own names, which may be anything. */
  tools: { [Name in keyof Schemas]: ToolDescriptor<Schemas[Name]> };
  /** Declarations to use instead of generated ones. */
  types?: string;
  /**
   * Asked before a call of a tool that needs approval: only `true` lets it through. The guest waits meanwhile without a
   * thread, and the execution's deadline stands still.
   */
  approve?: (
    request: ToolApprovalRequest,
    context: ToolExecutionContext,
  ) => boolean | PromiseLike<boolean>;
}

export interface ResolvedToolDescriptor {
  safeName: string;
  originalName: string;
  description?: string;
  inputSchema?: JsonSchema;
  outputSchema?: JsonSchema;
  /** Whether calls may wait for approval: executors then keep a deadline that can stand still. */
  mayNeedApproval?: boolean;
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
export function resolveProvider<Schemas extends Record<string, any>>(
  provider: ToolProvider<Schemas>,
): ResolvedToolProvider;

/** A failure with a stable code. A tool that throws one chooses the code its caller sees. */
export class ExecuteFailure extends Error {
  constructor(code: ExecuteErrorCode, message: string);
  code: ExecuteErrorCode;
}

/** Whether a value is an `ExecuteFailure`, of this copy of the package, of another, or of execbox. */
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
  /** Called for each line of the guest's console that is kept, as it comes. */
  onLog?: (line: string) => void;
}

export interface ExecutorPoolOptions {
  /**
   * Executions at once; further ones wait, without their time running. Default: no bound, since guests that wait hold no
   * thread; for processes of mode `ephemeral` the available cores, at least 4.
   */
  maxSize?: number;
  /** Isolates (mode `ephemeral`: processes) that are kept ready however long nothing runs. Default: 0. */
  minSize?: number;
  /** Without use for this long, what is ready beyond `minSize` is given up, processes included. Default: 30,000. */
  idleTimeoutMs?: number;
  /**
   * Makes as many ready at once (`true`: `minSize`, at least one). If that fails, the first execution says so. Default:
   * `false`.
   */
  prewarm?: boolean | number;
}

export interface IsolateExecutorOptions extends ExecutorRuntimeOptions {
  /**
   * Where guests run. Each has a fresh isolate everywhere.
   *
   * `thread` (default): on threads of this process. `inline`: execbox's word for it. `process`: in processes that the kernel
   * locks in (Linux); a guest that brings V8 down takes only those of its process along. execbox's `worker` is refused.
   */
  host?: 'thread' | 'inline' | 'process';
  /** With `host: 'process'`: how many processes there are at once, 1 to 256; not in mode `ephemeral`. Default: 1. */
  processes?: PoolOptions['processes'];
  /** With `host: 'process'`: how many runs a process serves, as for `IsolatePool`; not in mode `ephemeral`. */
  runsPerProcess?: PoolOptions['runsPerProcess'];
  /** With `host: 'process'`: isolates that processes are forked with, as for `IsolatePool`. Default: 0. */
  zygote?: PoolOptions['zygote'];
  /** With `host: 'process'`: whether the kernel locks the processes in, as for `IsolatePool`. Default: `best`. */
  sandbox?: PoolOptions['sandbox'];
  pool?: ExecutorPoolOptions;
  /** `ephemeral`: with `host: 'process'` a new process for each execution; no difference for threads. Default: `pooled`. */
  mode?: 'pooled' | 'ephemeral';
  /** Web APIs for guests. Default: none. */
  web?: import('./index.js').Web;
  /** Taken for execbox's sake: executions are ended by force, so there is nothing to wait for. Default: 25. */
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
  execute<T = unknown>(
    code: string,
    providers?: ResolvedToolProvider[],
    options?: ExecutionOptions,
  ): Promise<ExecuteResult<T>>;
  /**
   * Resolves when `count` isolates, workers or processes are ready. Rejects when one cannot be started, and after
   * `dispose()`. Default: `minSize`, at least one.
   */
  prewarm(count?: number): Promise<void>;
  /** Ends every execution with `internal_error`. Resolves when its workers, processes and threads are gone. Idempotent. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
