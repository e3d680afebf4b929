/**
 * isobox/protocol: execbox's runner protocol, both ends of it.
 *
 * @packageDocumentation
 */

import type {
  ExecuteError,
  ExecuteErrorCode,
  ExecuteResult,
  ExecutionOptions,
  Executor,
  ExecutorRuntimeOptions,
  ResolvedToolProvider,
} from './execbox.js';
import type { IsolatePool } from './index.js';

/** What a runner may know of a tool. */
export interface ProviderToolManifest {
  safeName: string;
  originalName: string;
  description?: string;
}

/** What a runner may know of a provider: metadata, nothing that acts. */
export interface ProviderManifest {
  name: string;
  tools: Record<string, ProviderToolManifest>;
  types: string;
}

/** Starts an execution. */
export interface ExecuteMessage {
  type: 'execute';
  id: string;
  code: string;
  options: ExecutorRuntimeOptions;
  providers: ProviderManifest[];
}

/** Asks for the prompt end of an execution. */
export interface CancelMessage {
  type: 'cancel';
  id: string;
}

/** Answers one tool call. Over JSON, a `result` of `undefined` is missing. */
export type ToolResultMessage =
  | { type: 'tool_result'; callId: string; ok: true; result?: unknown }
  | { type: 'tool_result'; callId: string; ok: false; error: ExecuteError };

/** The execution has been accepted, and its time runs. */
export interface StartedMessage {
  type: 'started';
  id: string;
}

/** The guest calls a tool. Over JSON, an `input` of `undefined` is missing. */
export interface ToolCallMessage {
  type: 'tool_call';
  callId: string;
  providerName: string;
  safeToolName: string;
  input?: unknown;
}

/** The end of an execution. Over JSON, a `result` of `undefined` is missing. */
export type DoneMessage =
  | {
      type: 'done';
      id: string;
      ok: true;
      durationMs: number;
      logs: string[];
      result?: unknown;
      hint?: string;
    }
  | {
      type: 'done';
      id: string;
      ok: false;
      durationMs: number;
      logs: string[];
      error: ExecuteError;
    };

/** From the host to a runner. */
export type DispatcherMessage = ExecuteMessage | CancelMessage | ToolResultMessage;

/** From a runner to the host. */
export type RunnerMessage = StartedMessage | ToolCallMessage | DoneMessage;

/** Whether a value is a well-formed message to a runner. Unknown fields are let through, unknown types are not. */
export function isDispatcherMessage(value: unknown): value is DispatcherMessage;

/** Whether a value is a well-formed message of a runner. */
export function isRunnerMessage(value: unknown): value is RunnerMessage;

/** The manifests of providers, as `execute` carries them. */
export function extractProviderManifests(providers: ResolvedToolProvider[]): ProviderManifest[];

/** The runner's end of a connection. */
export interface RunnerPort {
  /** Calls the handler for every message of the host. May return a function that unsubscribes it. */
  onMessage(handler: (message: DispatcherMessage) => void): void | (() => void);
  /** What it throws or rejects with is taken as the loss of the host. */
  send(message: RunnerMessage): unknown;
  /** Calls the handler when the host is gone. The endpoint then leaves, as after `dispose()`. */
  onClose?(handler: (reason?: TransportCloseReason) => void): void | (() => void);
  /** Calls the handler when the connection has failed; the same as its close. */
  onError?(handler: (error: Error) => void): void | (() => void);
}

export interface ProtocolEndpoint extends AsyncDisposable {
  /**
   * Ends the active execution without a message and leaves the port; no further `execute` is taken. Disposes of the pool
   * if it made it. The close of the port does the same.
   */
  dispose(): Promise<void>;
}

/**
 * Runs executions for the host at the other end of a port, one at a time, each on a fresh isolate. Answers an `execute`
 * with `started`, any number of `tool_call`s and exactly one `done`. An `execute` that comes while another is active is
 * answered with a `done` of its own, `internal_error`. Messages that are malformed, or for no active execution or call,
 * are ignored.
 *
 * @example
 * attachProtocolEndpoint({
 *   onMessage: (handler) => void parentPort.on('message', handler),
 *   send: (message) => parentPort.postMessage(message),
 * });
 */
export function attachProtocolEndpoint(
  port: RunnerPort,
  options?: {
    /** Runs the guests. Default: one of its own. */
    pool?: IsolatePool;
  },
): ProtocolEndpoint;

export interface TransportCloseReason {
  message: string;
  code?: number | null;
  signal?: string | null;
}

/** The host's end of a connection. Its `on…` methods may return functions that unsubscribe. */
export interface HostTransport {
  /** What it throws or rejects with ends the session with `internal_error`. */
  send(message: DispatcherMessage): unknown;
  onMessage(handler: (message: RunnerMessage) => void): void | (() => void);
  onError?(handler: (error: Error) => void): void | (() => void);
  onClose?(handler: (reason?: TransportCloseReason) => void): void | (() => void);
  /** Ends a runner that did not end by itself within the grace. */
  terminate?(): unknown;
  /** Called once when the session is over, however it ended. Nobody waits for it. */
  dispose?(): unknown;
}

export interface HostTransportSessionOptions {
  transport: HostTransport;
  code: string;
  /** Default: none. */
  providers?: ResolvedToolProvider[];
  /** Sent to the runner, with the executor's defaults where one is missing. */
  runtimeOptions?: ExecutorRuntimeOptions;
  /** Aborting it sends `cancel`. */
  signal?: AbortSignal;
  /** From `cancel` to `transport.terminate()`. Default: 25. */
  cancelGraceMs?: number;
  /** Default: a random one. */
  executionId?: string;
  /**
   * Called once with the result, before `transport.dispose()`, which waits for its promise; the caller does not. What it
   * throws or rejects with is ignored.
   */
  onSettled?(result: ExecuteResult): unknown;
}

/**
 * Runs one execution on the runner at the other end of a transport and answers its tool calls. Settles however the
 * runner behaves: with its `done`; with `timeout` after `timeoutMs` from `started` (and 100 ms, for the runner to be
 * first; 2.5 s while `started` has not come) or an abort, and the grace; with `internal_error` when the transport closes or fails. Rejects only for malformed options.
 */
export function runHostTransportSession(
  options: HostTransportSessionOptions,
): Promise<ExecuteResult>;

export interface RemoteExecutorOptions extends ExecutorRuntimeOptions {
  /** Called for every execution: a connection to a runner, which serves this one execution and is then disposed of. */
  connectTransport: () => HostTransport | Promise<HostTransport>;
  /** From `cancel` to `transport.terminate()`. Default: 25. */
  cancelGraceMs?: number;
}

/**
 * An executor whose guests run at the other end of transports, such as `isobox runner` on another machine. The same as
 * execbox's.
 *
 * @example
 * const executor = new RemoteExecutor({ connectTransport: () => openSocket(url), timeoutMs: 1000 });
 * const result = await executor.execute('await docs.search({ query: "x" })', [docs]);
 */
export class RemoteExecutor implements Executor {
  /** Throws for unknown or impossible options. */
  constructor(options: RemoteExecutorOptions);
  /** Never rejects: a connection that cannot be made is an `internal_error`. */
  execute(
    code: string,
    providers?: ResolvedToolProvider[],
    options?: ExecutionOptions,
  ): Promise<ExecuteResult>;
}

export interface PortPair {
  /** For `runHostTransportSession`. */
  transport: HostTransport;
  /** For `attachProtocolEndpoint`. */
  port: RunnerPort;
  /** Closes both ends. */
  close(): void;
}

/** A connection inside one process. Messages are copied, so nothing but data passes. */
export function createPortPair(): PortPair;

export type { ExecuteError, ExecuteErrorCode, ExecuteResult, ExecutorRuntimeOptions };
