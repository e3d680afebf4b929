// Events as event-target-shim has them, and signals on top of these.

import { Event, EventTarget, setErrorHandler, setWarningHandler } from 'event-target-shim';
import { DOMException } from 'part:errors';
import { setTimeout } from 'part:timers';

setErrorHandler(host.report);
setWarningHandler(() => {});

const KEY = Symbol('only signals of controllers');

class CustomEvent extends Event {
  #detail;
  constructor(type, init) {
    super(type, init);
    this.#detail = init?.detail ?? null;
  }

  get detail() {
    return this.#detail;
  }
}

const abortError = () => new DOMException('This operation was aborted', 'AbortError');

let abortSignal;

class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  #onabort = null;

  static {
    abortSignal = (signal, reason = abortError()) => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason;
      signal.dispatchEvent(new Event('abort'));
    };
  }

  constructor(key) {
    if (key !== KEY) throw new TypeError('Illegal constructor');
    super();
  }

  get aborted() {
    return this.#aborted;
  }

  get reason() {
    return this.#reason;
  }

  get onabort() {
    return this.#onabort;
  }

  set onabort(listener) {
    if (this.#onabort !== null) this.removeEventListener('abort', this.#onabort);
    this.#onabort = typeof listener === 'function' ? listener : null;
    if (this.#onabort !== null) this.addEventListener('abort', this.#onabort);
  }

  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }

  static abort(reason) {
    const signal = new AbortSignal(KEY);
    abortSignal(signal, reason);
    return signal;
  }

  static timeout(ms) {
    const signal = new AbortSignal(KEY);
    setTimeout(
      () =>
        abortSignal(
          signal,
          new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
        ),
      ms,
    );
    return signal;
  }

  static any(signals) {
    const sources = [...signals];
    const combined = new AbortSignal(KEY);
    const aborted = sources.find((source) => source.aborted);
    if (aborted !== undefined) {
      abortSignal(combined, aborted.reason);
      return combined;
    }
    const follow = (event) => {
      for (const source of sources) source.removeEventListener('abort', follow);
      abortSignal(combined, event.currentTarget.reason);
    };
    for (const source of sources) source.addEventListener('abort', follow, { once: true });
    return combined;
  }

  get [Symbol.toStringTag]() {
    return 'AbortSignal';
  }
}

class AbortController {
  #signal = new AbortSignal(KEY);

  get signal() {
    return this.#signal;
  }

  abort(reason) {
    abortSignal(this.#signal, reason);
  }

  get [Symbol.toStringTag]() {
    return 'AbortController';
  }
}

export { AbortController, AbortSignal, CustomEvent, Event, EventTarget };
