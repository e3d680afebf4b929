/** The native addon as lib/ uses it. Not part of the public API. */

export interface NativeHandlers {
  onCall(run: number, call: number, slot: number, input: any, isReadable: boolean): void;
  onInvoked(run: number, invocation: number, ok: boolean, answer: any): void;
  onLog(run: number, entry: any): void;
  onOutcome(run: number, ...outcome: NativeOutcome): void;
  onWarm(request: number): void;
  onClosed(): void;
  /** A host function that calls the guest function in this slot. */
  guestFunction(run: number, slot: number): Function | undefined;
}

/** How a run ended; lib/outcome.js gives it the public shape. */
export type NativeOutcome = [
  /** Index in `stopCauses`. */
  cause: number,
  value: any,
  error: any,
  reason: string,
  logs: any[],
  logsTruncated: boolean,
  facts: Float64Array,
];

/** The functions and promises a run may refer to. */
export interface HostSlots {
  list: unknown[];
  index: Map<unknown, number>;
}

export interface NativePool {
  /** Throws when a value in the request cannot cross. */
  start(
    numbers: Float64Array,
    source: string,
    filename: string,
    names: object | undefined,
    module: object | undefined,
    slots: HostSlots,
  ): void;
  /** `null`, or why the value cannot cross. */
  reply(run: number, call: number, value: unknown, slots: HostSlots): string | null;
  replyError(
    run: number,
    call: number,
    error: { name: string; message: string; code: string },
  ): void;
  /** `null`, or why the arguments cannot cross. */
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

/** A line of input: one that may be parsed, or one that is no message. Lines count from 1. */
export type NativeLine =
  | { line: number; text: string; refusal?: undefined }
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

export interface NativeAddon {
  LineReader: new (maxLineBytes: number) => NativeLineReader;
  NativePool: new (options: object, handlers: NativeHandlers) => NativePool;
  stopCauses: string[];
  watchExit(isMainThread: boolean): boolean;
  prepareExit(code: number, isMainThread: boolean): void;
  hostProcess: NodeJS.Process;
}
