/**
 * isobox: fresh V8 isolates on a pool of threads, with limits, and with host functions that guests can call.
 *
 * @packageDocumentation
 */

/** Why a run ended. The first cause counts; nothing is decided by reading error text. */
export type StopCause =
  /** The guest came to its end and its result crossed. */
  | 'finished'
  /**
   * The guest threw, or the promise it returned was rejected. A rejection of another promise that nobody handles does
   * not end the run: the guest goes on, and its result counts.
   */
  | 'guest_error'
  /** The source does not compile, or an import cannot be resolved or linked. */
  | 'link_error'
  /** The result is not transferable under the run's value profile. */
  | 'serialization'
  /** `limits.wallMs`. */
  | 'deadline'
  /** `limits.cpuMs`. */
  | 'cpu'
  /** `limits.memoryBytes`. */
  | 'memory'
  /** `limits.calls`, `callsInFlight`, `callBytes` or `callBytesInFlight`. */
  | 'calls'
  /** `limits.resultBytes`. */
  | 'output'
  /** `handle.terminate()` or the request's `signal`. */
  | 'terminated'
  /** Refused at once: `maxRunning` runs are under way and `maxQueued` wait. */
  | 'queue_full'
  /** No thread is left: more are lost than may be replaced, or the system has no room for another. */
  | 'exhausted'
  /** The pool was disposed of. */
  | 'disposed'
  /** V8 reported a fatal error in this isolate; its thread is lost. */
  | 'crashed';

/** Limits of one run. Times in milliseconds, sizes in bytes; `Infinity` where there is none. */
export interface RunLimits {
  /** Wall clock from the call of `run`, time in the queue included. Default: none. */
  wallMs?: number;
  /** CPU time of the guest's own thread; stands still while the guest waits. Default: none. */
  cpuMs?: number;
  /**
   * V8 heap, ArrayBuffers and what `Intl` allocates together, 8 MiB to 4 GiB. One value, and all unanswered calls together,
   * may take as much again of the host's heap. Default: 64 MiB.
   */
  memoryBytes?: number;
  /** Host calls in all. Default: none. */
  calls?: number;
  /** Host calls that have not been answered. Default: 10,000. */
  callsInFlight?: number;
  /** Bytes of arguments and replies in all. Default: none. */
  callBytes?: number;
  /** Bytes of arguments of calls that have not been answered. Default: 64 MiB. */
  callBytesInFlight?: number;
  /** Size of the encoded result. Default: 16 MiB. */
  resultBytes?: number;
  /** Size of any one encoded value: argument, reply or result. Default: 16 MiB. */
  valueBytes?: number;
  /** Nesting of values, 1 to 1,000. Default: 500. */
  valueDepth?: number;
  /** Objects and arrays in any one value; rebuilding them keeps the host's thread busy. Default: 250,000. */
  valueObjects?: number;
  /** Lines kept of the guest's console. Default: 10,000. */
  logLines?: number;
  /** Characters kept of the guest's console; for `entries`, bytes that they take in the host's heap. Default: 4 MiB. */
  logChars?: number;
}

export interface PoolOptions {
  /**
   * Where guests run: on threads of this process, or in processes of their own, which the kernel keeps from everything
   * else (Linux). Default: `'thread'`.
   */
  host?: 'thread' | 'process';
  /**
   * With `host: 'process'`: how many processes take runs, 1 to 256. As many again may be busy with the last of theirs.
   * Default: 1.
   */
  processes?: number;
  /**
   * With `host: 'process'`: how many runs a process serves before another takes its place; 1 gives every guest a process
   * to itself. Default: Infinity.
   */
  runsPerProcess?: number;
  /**
   * With `host: 'process'`: how many isolates one more process, the zygote, makes ahead; guest processes are then forked
   * from it, have these isolates ready at once, and share their memory until they are used. V8 compiles and collects
   * without helper threads in them. 0 to 256; 0 starts every process as a program. With it, `runsPerProcess` is by
   * default as many. Default: 0.
   */
  zygote?: number;
  /**
   * With `host: 'process'`: whether the kernel locks the processes in before their first guest. `'best'` does what this
   * kernel can, `'require'` throws when that is not everything, `'off'` leaves them all the rights of this process.
   * Default: `'best'`.
   */
  sandbox?: 'require' | 'best' | 'off';
  /** Threads that run guests, 1 to 1,024. Default: the available cores, at least 2. */
  threads?: number;
  /** Runs under way at once, waiting ones included. Default: 1,024. */
  maxRunning?: number;
  /** Runs that wait for a place; one more is answered `queue_full`. Default: 10,000. */
  maxQueued?: number;
  /** Isolates made ready ahead of need. */
  warm?: {
    /** How many. Default: as many as threads. */
    target?: number;
    /** Without use for this long, they are disposed of. Default: 30,000. */
    idleMs?: number;
  };
  /** Threads lost to guests that do not stop which are replaced, 0 to 1,024. Default: 8. */
  maxStuck?: number;
  /**
   * As long as the memory limits of their guests add up to no more than this, in bytes. Default: half of the memory this
   * process may use.
   */
  maxStuckBytes?: number;
  /** Defaults for the limits of every run. */
  limits?: RunLimits;
}

/** What a host function gets beside the guest's input (`values: 'json'`). */
export interface CallContext {
  /** The function's name in its namespace. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly runId: number;
  /** Aborts when the run ends for any reason. */
  readonly signal: AbortSignal;
}

/** A host function in a namespace. Only the first argument of the guest's call arrives. */
export type HostFunction = (input: any, context: CallContext) => unknown;

export interface ModuleRequest {
  /** Path of the entry below the module root; its relative imports start there. Default: `''`. */
  entryPath?: string;
  /** `import.meta.url` is this plus the file name. Default: `'isobox:'`. */
  metaUrlPrefix?: string;
  /** The export that is the result; called when it is a function. Default: `'default'`. */
  exportName?: string;
  /** Arguments for that function. */
  arguments?: unknown[];
  /** Tried in order behind a path without an extension. Default: `['']`. */
  suffixes?: string[];
  /**
   * Guest sources by path from the root: `lib/a.js`, not `./lib/a.js`, which is refused. Paths that end in `.json` are
   * JSON modules.
   */
  sources?: Record<string, string>;
  /** Modules of host values by bare specifier. */
  imports?: Record<string, object>;
}

/** The names that `web` can give a guest. `fetch` needs `FetchOptions`. */
export type WebName =
  | 'AbortController'
  | 'AbortSignal'
  | 'ByteLengthQueuingStrategy'
  | 'CountQueuingStrategy'
  | 'CustomEvent'
  | 'DOMException'
  | 'Event'
  | 'EventTarget'
  | 'Headers'
  | 'ReadableStream'
  | 'Request'
  | 'Response'
  | 'TextDecoder'
  | 'TextEncoder'
  | 'TransformStream'
  | 'URL'
  | 'URLSearchParams'
  | 'WritableStream'
  | 'atob'
  | 'btoa'
  | 'clearInterval'
  | 'clearTimeout'
  | 'crypto'
  | 'performance'
  | 'queueMicrotask'
  | 'setInterval'
  | 'setTimeout'
  | 'structuredClone';

/** `true`: all names but `fetch`. An array: only these. */
export type Web = boolean | WebName[] | WebOptions;

export interface WebOptions {
  /** Default: all of them. */
  names?: WebName[];
  /** Gives the guest `fetch`, within these bounds. Default: it has none. */
  fetch?: FetchOptions;
  /**
   * `Buffer`, `process`, `global`, `setImmediate`, and for `kind: 'module'` the modules `assert`, `buffer`, `crypto`
   * (hashes and random values), `events`, `module` (`createRequire`), `path`, `process`, `querystring`,
   * `string_decoder`, `timers`, `url` and `util`, with and without `node:`. Default: false.
   */
  node?: boolean;
  /** The guest's `process.env`, with `node`. Default: empty. */
  env?: Record<string, string>;
}

export interface FetchOptions {
  /** Where requests and redirects may go, such as `'https://api.example.com'`. `['*']`: everywhere. */
  origins: string[];
  /** Also to addresses that are not public, such as those of the host and of its network. Default: false. */
  allowPrivate?: boolean;
  /** From a request's start to the end of its response. Default: 30,000. */
  timeoutMs?: number;
  /** Of one response, decoded. Default: 8 MiB. */
  maxBodyBytes?: number;
  /** Of one request. Default: 1 MiB. */
  maxRequestBytes?: number;
  /** Requests at a time, in one run. Default: 16. */
  maxInFlight?: number;
  /** How names are resolved: as `dns.lookup`, which is the default. It is asked for all addresses. */
  lookup?: (
    hostname: string,
    options: { all: true; family?: number | string; hints?: number },
    callback: (
      error: NodeJS.ErrnoException | null,
      addresses: { address: string; family: number }[],
    ) => void,
  ) => void;
}

export interface RunRequest {
  /** The guest's program. */
  source: string;
  /**
   * `function` (default): the body of an async function, whose return value is the result.
   * `script`: a classic script, whose completion value is the result.
   * `module`: an ES module, of which an export is the result.
   */
  kind?: 'function' | 'script' | 'module';
  /** The name in errors and stacks. Default: `'<guest>'`. */
  filename?: string;
  /**
   * How values cross. `json` (default): plain data as JSON has it, and `undefined` by itself; anything else is refused.
   * `clone`: structured clone, and functions as callable proxies in both directions. From guest to host, promises are
   * refused, and objects with a function `then`, which would pass for one.
   */
  values?: 'json' | 'clone';
  /** Plain objects of host functions on the guest's global object. */
  namespaces?: Record<string, Record<string, HostFunction>>;
  /**
   * Values on the guest's global object, copied; functions in them become callable proxies. A name that is in
   * `namespaces` too is refused.
   */
  globals?: Record<string, unknown>;
  /** Values that guest code sees by name, but that are not on the global object. */
  bindings?: Record<string, unknown>;
  /**
   * The guest's console. `lines` (default): one formatted line per call. `entries`: level and copied arguments.
   * `none`: there is no console. With `scope: 'lexical'` it is not on the global object.
   */
  console?:
    | 'lines'
    | 'entries'
    | 'none'
    | { mode?: 'lines' | 'entries' | 'none'; scope?: 'global' | 'lexical' };
  /** What guests do not have unless it is asked for. WebAssembly memory is not counted against the memory limit. */
  intrinsics?: {
    /** `eval` and `new Function`. */
    codeGeneration?: boolean;
    webAssembly?: boolean;
    /** `SharedArrayBuffer` and `Atomics`. */
    sharedMemory?: boolean;
    /** `queueMicrotask`, as a binding that is not on the global object. */
    queueMicrotask?: boolean;
  };
  /** Only for `kind: 'module'`. */
  module?: ModuleRequest;
  /** Web APIs on the guest's global object, and Node's modules. Default: none of them. */
  web?: Web;
  limits?: RunLimits;
  /** Aborting it is `terminate` with the signal's reason. */
  signal?: AbortSignal;
  /** Called for every line or entry that is kept, as it comes. */
  onLog?: (entry: LogEntry) => void;
  /** Fills `handle.logs` as entries come. Default: true when there is an `onLog`. */
  liveLogs?: boolean;
}

export interface LogEntry {
  level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  /** Milliseconds since the epoch. */
  timestamp: number;
  /** The formatted line, with console `lines`. */
  text?: string;
  /** The arguments, copied, with console `entries`. What cannot be copied is text. */
  args?: unknown[];
}

export interface StackFrame {
  functionName: string;
  filename: string;
  /** 1-based, in the caller's own text. */
  line: number;
  column: number;
}

export interface RunError {
  name: string;
  message: string;
  /** For errors of the guest: whether it threw an object rather than a primitive. */
  isObject?: boolean;
  /** From the frames V8 recorded, never from text the guest wrote. */
  stack?: string;
  frames: StackFrame[];
  filename?: string;
  line?: number;
  column?: number;
  /** The import that failed, for link errors. */
  specifier?: string;
  /** The lines of the entry around the place, with a mark at the column. */
  frame?: string;
  /** What to do about it, for whoever wrote the code. Never about failures of the host. */
  hint?: string;
  /** Present only when the host made this error: the code it gave, `''` when it gave none. */
  hostCode?: string;
}

export interface CallFact {
  name: string;
  /** `null` for a call that was not answered. */
  ms: number | null;
  bytesOut: number;
  bytesIn: number;
  ok: boolean;
}

export interface RunFacts {
  wallMs: number;
  cpuMs: number;
  queuedMs: number;
  /** The most heap and ArrayBuffers seen at once. */
  peakMemoryBytes: number;
  callCount: number;
  callBytes: number;
  /** The first 256 calls. */
  calls: CallFact[];
}

interface OutcomeBase {
  logs: LogEntry[];
  /** Whether lines or characters were left out. */
  logsTruncated: boolean;
  facts: RunFacts;
}

/** What a run came to. `T` is what you expect its value to be; nothing checks it. */
export type RunOutcome<T = any> =
  | (OutcomeBase & {
      ok: true;
      cause: 'finished';
      value: T;
      error?: undefined;
      /** What to do about a result that was probably not meant, such as none at all. */
      hint?: string;
    })
  | (OutcomeBase & {
      ok: false;
      cause: Exclude<StopCause, 'finished'>;
      error: RunError;
      value?: undefined;
      hint?: undefined;
    });

/** A run under way: a promise of the outcome, which never rejects. */
export interface RunHandle<T = any> extends Promise<RunOutcome<T>> {
  /** Until the outcome is there. */
  readonly running: boolean;
  /** The console's entries so far, when the request asked for live logs. */
  readonly logs: LogEntry[];
  /** Ends the run; its outcome is there within 50 ms, whatever the guest does. Idempotent. */
  terminate(reason?: string): void;
}

export interface PoolStats {
  /** Threads that serve runs. */
  threads: number;
  /** Threads inside a guest. */
  running: number;
  /** Runs that wait for the host and hold no thread. */
  parked: number;
  queued: number;
  /** Unused isolates that are ready. */
  warm: number;
  /** Threads that have been lost for half a second to guests that do not stop. */
  stuck: number;
  calls: number;
  callBytes: number;
  outcomes: Record<StopCause, number>;
  latency: { p50Ms: number; p95Ms: number; p99Ms: number };
  /** Guest processes; only with `host: 'process'`. What they do now is as they last told, and they are asked anew. */
  processes?: number;
  /** Of these, processes that were forked with isolates ready: see `zygote`. */
  processesForked?: number;
  /** Guest processes that the pool has started so far; only with `host: 'process'`. */
  processesStarted?: number;
  /** What keeps them locked in, by name, as the last one that got ready told; only with `host: 'process'`. */
  sandbox?: string[];
}

/**
 * Runs guests, each in a fresh isolate that is used once.
 *
 * @example
 * const pool = new IsolatePool();
 * const outcome = await pool.run({
 *   source: 'return (await math.add({ a: 40, b: 2 }))',
 *   namespaces: { math: { add: ({ a, b }) => a + b } },
 *   limits: { wallMs: 1000 },
 * });
 * await pool.dispose();
 */
export class IsolatePool implements AsyncDisposable {
  constructor(options?: PoolOptions);
  /** Starts a run. Throws for a malformed request; everything after that is in the outcome. */
  run<T = any>(request: RunRequest): RunHandle<T>;
  /** Resolves once `count` unused isolates are ready (default 1), or the pool is disposed of. */
  prewarm(count?: number): Promise<void>;
  stats(): PoolStats;
  /** Ends every run and the threads. Resolves when all that can end has ended. Idempotent. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * What is published on the `node:diagnostics_channel` channels of these names, on the thread of the pool and before the
 * run's caller hears of it. Without subscribers nothing is made. `isobox:run:start` and `isobox:call:start` also run
 * their bound stores (`channel.bindStore`): those of a run hold in all its host functions, those of a call in its own.
 *
 * @example
 * diagnostics_channel.subscribe('isobox:run:end', (message) => {
 *   const { runId, cause, facts } = message as DiagnosticsMessages['isobox:run:end'];
 * });
 */
export interface DiagnosticsMessages {
  /** A request was accepted. Published inside the call of `run`. */
  'isobox:run:start': RunStartMessage;
  /** A run has its outcome. Once for every start. */
  'isobox:run:end': RunEndMessage;
  /** A host function is about to be called, or a promise of the host to be waited for. */
  'isobox:call:start': CallStartMessage;
  /** A call has its reply, or its run ended without one. Once for every start. */
  'isobox:call:end': CallEndMessage;
}

export interface RunStartMessage {
  /** Unique in the process. */
  runId: number;
  filename: string;
}

export interface RunEndMessage {
  runId: number;
  cause: StopCause;
  facts: RunFacts;
}

export interface CallStartMessage {
  runId: number;
  /** Unique in the run. */
  callId: number;
  /** Of a function in `namespaces`; undefined for those inside values. */
  namespace: string | undefined;
  name: string;
  /** The guest's: the first argument under `values: 'json'`, else all of them in an array. */
  input: unknown;
}

export interface CallEndMessage {
  runId: number;
  callId: number;
  namespace: string | undefined;
  name: string;
  ok: boolean;
  /** What the guest was told; code `ERR_ISOBOX_RUN_ENDED` when the run ended before the call was answered. */
  error: { name: string; message: string; code: string } | undefined;
}

/** The limits of a run that sets none. */
export const DEFAULT_LIMITS: Readonly<Required<RunLimits>>;
