/** The native addon as lib/ uses it. Not part of the public API. */

export interface NativeHandlers {
  /** `bytes` is what the input takes of the host's memory. */
  onCall(
    run: number,
    call: number,
    slot: number,
    input: any,
    isReadable: boolean,
    bytes: number,
  ): void;
  onInvoked(run: number, invocation: number, ok: boolean, answer: any): void;
  onLog(run: number, contents: LogContent[], numbers: Float64Array): void;
  onOutcome(run: number, ...outcome: NativeOutcome): void;
  onWarm(request: number): void;
  onClosed(): void;
  /** A host function that calls the guest function in this slot. */
  guestFunction(run: number, slot: number): Function | undefined;
  /** Adds the children of the second array or object to the first, those of an array from an index on. */
  append(target: object, piece: object, start: number): void;
}

/** A line's text, or an entry's arguments: as they are, or as a function that rebuilds them. */
export type LogContent = string | unknown[] | (() => unknown[]);

/** How a run ended; lib/outcome.js gives it the public shape. */
export type NativeOutcome = [
  /** Index in `stopCauses`. */
  cause: number,
  value: any,
  error: any,
  /** Of the caller who terminated; for `exhausted` how many lost threads are in the way, if any. */
  reason: string,
  logContents: LogContent[],
  /** A level and a time for each. */
  logNumbers: Float64Array,
  logsTruncated: boolean,
  facts: Float64Array,
];

/** The functions and promises a run may refer to. */
export interface HostSlots {
  list: unknown[];
  index: Map<unknown, number>;
}

export interface NativePool {
  /** Throws when a value in the request cannot be sent. */
  start(
    numbers: Float64Array,
    source: string,
    filename: string,
    names: object | undefined,
    module: object | undefined,
    slots: HostSlots,
  ): void;
  /** `null`, or why the value cannot be sent. */
  reply(run: number, call: number, value: unknown, slots: HostSlots): string | null;
  replyError(
    run: number,
    call: number,
    error: { name: string; message: string; code: string },
  ): void;
  /** `null`, or why the arguments cannot be sent. */
  invoke(
    run: number,
    slot: number,
    invocation: number,
    args: unknown[],
    slots: HostSlots,
  ): string | null;
  stop(run: number, reason: string): void;
  prewarm(request: number, count: number): void;
  stats(): import('../index.js').PoolStats;
  close(): void;
}

/** A line of input: a message, JSON that only V8 can judge, or no message. Lines count from 1. */
export type NativeLine =
  | { line: number; text: string; isMessage: boolean; refusal?: undefined }
  | {
      line: number;
      refusal: 'too_long' | 'too_deep' | 'not_utf8' | 'not_json' | 'no_message' | 'out_of_memory';
      /** For people; may be empty. */
      detail: string;
    };

/** Splits input into lines and judges them. Text it passes is a message, or JSON that only V8 can read. */
export interface NativeLineReader {
  /** The lines that these bytes end, without blank ones. */
  push(bytes: Uint8Array): NativeLine[];
  /** The last line, if it had no line feed. */
  end(): NativeLine[];
}

export interface NativeOutputSettings {
  /** Without a word in it nothing is filtered. */
  intent: string;
  autoChunkJson: boolean;
  chunkThreshold: number;
  maxBytes: number;
  smartTruncation: boolean;
}

export interface NativeAddon {
  /** The reduced text of UTF-8 bytes; null when the output stays as it is. */
  reduceOutput(output: Uint8Array, settings: NativeOutputSettings): string | null;
  /** The same on a thread; the bytes must not change meanwhile. */
  reduceOutputLater(output: Uint8Array, settings: NativeOutputSettings): Promise<string | null>;
  /** The part of a JSON text that a JSON pointer names; null when it is no JSON, or has no such part. */
  selectJson(json: Uint8Array, pointer: string): Promise<string | null>;
  LineReader: new (maxLineBytes: number) => NativeLineReader;
  NativePool: new (options: object, handlers: NativeHandlers) => NativePool;
  stopCauses: string[];
  /** What guests may be given from now on; only the first in a process counts. Sources are ASCII. */
  installLibrary(parts: { name: string; source: string; cache?: Uint8Array }[]): void;
  watchExit(isMainThread: boolean): boolean;
  prepareExit(code: number, isMainThread: boolean): void;
  /** Why a value cannot be passed under the clone profile; null when it can. Throws what its getters throw. */
  whyNotClonable(value: unknown, slots: HostSlots): string | null;
  /** Processes that `act` starts inherit no descriptor but those that are passed on to them. */
  withoutInheritance<T>(act: () => T): T;
  /** What this system can lock a guest process in with, by name; null where there are no guest processes. */
  sandboxes: string[] | null;
  /** Makes this process a guest process of the host with that id. Never returns. */
  serveGuests(host: number, sandbox: string): never;
  /** Turns this process into one that guest processes are forked from. */
  serveZygote(
    host: number,
    sandbox: string,
    isolates: number,
    program: string,
    script: string,
  ): never;
  /** Locks this process in as a guest process is, for good, and says how. */
  lockDown(): string[];
  hostProcess: NodeJS.Process;
}
