/** The native addon as lib/ uses it. Not part of the public API. */

export interface NativeHandlers {
  onCall(run: number, call: number, slot: number, input: any, isReadable: boolean): void;
  onInvoked(run: number, invocation: number, ok: boolean, answer: any): void;
  onLog(run: number, entry: any): void;
  onOutcome(run: number, outcome: any): void;
  onWarm(request: number): void;
  onClosed(): void;
  /** A host function that calls the guest function in this slot. */
  guestFunction(run: number, slot: number): Function | undefined;
}

/** The functions and promises a run may refer to. */
export interface HostSlots {
  list: unknown[];
  index: Map<unknown, number>;
}

export interface NativePool {
  /** Throws when a value in the request cannot cross. */
  start(request: object, slots: HostSlots): void;
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

export interface NativeAddon {
  NativePool: new (options: object, handlers: NativeHandlers) => NativePool;
  prepareExit(code: number, isMainThread: boolean): void;
  hostProcess: NodeJS.Process;
}
