'use strict';
// The host's side of one run: answers its calls, calls its functions, and settles once.

const { AsyncLocalStorage } = require('node:async_hooks');
const diagnostics = require('node:diagnostics_channel');

const { readText } = require('./foreign-text.js');
const { shapeLogs } = require('./log-entries.js');
const { addHints } = require('./outcome-hints.js');
const { shapeError, shapeOutcome } = require('./outcome.js');
const { numbersOf } = require('./run-request.js');
const { sharedAbortController } = require('./shared-abort.js');

const channels = {
  runStart: diagnostics.channel('isobox:run:start'),
  runEnd: diagnostics.channel('isobox:run:end'),
  callStart: diagnostics.channel('isobox:call:start'),
  callEnd: diagnostics.channel('isobox:call:end'),
};

/**
 * @param {any} error whatever a host function threw
 * @returns {{ name: string, message: string, code: string }} what the guest gets to see of it
 */
function describeHostError(error) {
  if (typeof error !== 'object' || error === null) {
    return { name: 'Error', message: readText(() => String(error)), code: '' };
  }
  return {
    name: readText(() => error.name) || 'Error',
    message: readText(() => (typeof error.message === 'string' ? error.message : String(error))),
    code: readText(() => error.code),
  };
}

const serializationError = (/** @type {string} */ message) => ({
  name: 'SerializationError',
  message,
  code: 'serialization_error',
});

/** What is published of a call that was open when its run ended. */
const UNANSWERED = Object.freeze({
  name: 'Error',
  message: 'The run ended before this call was answered',
  code: 'ERR_ISOBOX_RUN_ENDED',
});

let currentCallBytes = 0;

/** What the arguments of the call take of the host's memory whose function is being called right now. */
const bytesOfCurrentCall = () => currentCallBytes;

class HostRun {
  #native;
  #request;
  #settle;
  /** @type {AbortController | undefined} */
  #abort;
  /** @type {(() => void) | undefined} */
  #unlisten;
  /** @type {Map<number, { resolve: (value: unknown) => void, reject: (error: Error) => void }>} */
  #invocations = new Map();
  #nextInvocation = 1;
  /** @type {Map<number, (...args: unknown[]) => Promise<unknown>>} */
  #proxies = new Map();
  #adopted = 0;
  /**
   * Calls that were published and have no end yet, with their slots.
   *
   * @type {Map<number, number> | undefined}
   */
  #openCalls;
  /**
   * Runs a function in the async context of the call of `run`, so that host functions see the stores of their run's
   * caller, and those that listeners of `isobox:run:start` bound.
   *
   * @type {(act: () => void) => void}
   */
  #inCallersContext = (act) => act();
  /** What came before the outcome, for the outcome. @type {import('../types/index.js').LogEntry[]} */
  #seenLogs = [];
  #hasEnded = false;

  /**
   * @param {any} native the native pool
   * @param {ReturnType<typeof import('./run-request.js').readRequest>} request
   * @param {(outcome: any) => void} settle
   */
  constructor(native, request, settle) {
    this.#native = native;
    this.#request = request;
    this.#settle = settle;
    /** @type {import('../types/index.js').LogEntry[]} */
    this.logs = request.hasLiveLogs ? this.#seenLogs : [];
  }

  get id() {
    return this.#request.native.id;
  }

  /** Hands the run to the native side. Throws when a value in the request cannot be sent. */
  start() {
    const { native, table, signal } = this.#request;
    const { source, filename, realm, module } = native;
    this.#native.start(numbersOf(native), source, filename, realm.names, module, table);
    this.#adoptSlots();
    const keepContext = () => {
      this.#inCallersContext = AsyncLocalStorage.snapshot();
    };
    if (channels.runStart.hasSubscribers) {
      channels.runStart.runStores({ runId: this.id, filename }, keepContext);
    } else {
      keepContext();
    }
    if (signal === undefined) return;
    const stop = () => this.terminate(describeReason(signal.reason));
    if (signal.aborted) {
      stop();
    } else {
      signal.addEventListener('abort', stop, { once: true });
      this.#unlisten = () => signal.removeEventListener('abort', stop);
    }
  }

  /**
   * Looks at functions and promises that went to the guest inside values. Such a promise is the guest's to handle:
   * rejecting before it is awaited is no fault of the host.
   */
  #adoptSlots() {
    const { list, names } = this.#request.table;
    for (; this.#adopted < list.length; this.#adopted++) {
      const slot = list[this.#adopted];
      if (typeof slot === 'function') {
        names[this.#adopted] ??= slot.name;
      } else {
        Promise.resolve(slot).catch(() => {});
      }
    }
  }

  /** @param {string} reason */
  terminate(reason) {
    if (!this.#hasEnded) this.#native.stop(this.id, reason);
  }

  /**
   * @param {number} call
   * @param {number} slot
   * @param {any} input the first argument under the JSON profile, else all of them
   * @param {boolean} isReadable whether the input could be rebuilt here
   * @param {number} bytes what the input takes of the host's memory
   */
  onCall(call, slot, input, isReadable, bytes) {
    currentCallBytes = bytes;
    const answer = () => this.#answer(call, slot, input, isReadable);
    const { callStart, callEnd } = channels;
    this.#inCallersContext(() => {
      if (!callStart.hasSubscribers && !callEnd.hasSubscribers) return answer();
      this.#openCalls ??= new Map();
      this.#openCalls.set(call, slot);
      callStart.runStores({ ...this.#describeCall(call, slot), input }, answer);
    });
  }

  /**
   * @param {number} call
   * @param {number} slot
   * @param {any} input
   * @param {boolean} isReadable
   */
  #answer(call, slot, input, isReadable) {
    const { table } = this.#request;
    const context = this.#context(slot);
    if (!isReadable) {
      return this.#replyError(call, slot, serializationError('the arguments could not be rebuilt'));
    }
    let result;
    try {
      const target = table.list[slot];
      if (typeof target !== 'function') {
        result = target; // a promise the guest waits for
      } else if (this.#request.profile === 'json') {
        result = Reflect.apply(target, undefined, [input, context]);
      } else {
        result = Reflect.apply(target, undefined, input);
      }
      if (typeof result?.then !== 'function') return this.#reply(call, slot, result);
    } catch (error) {
      return this.#replyError(call, slot, describeHostError(error));
    }
    Promise.resolve(result).then(
      (value) => this.#reply(call, slot, value),
      (error) => this.#replyError(call, slot, describeHostError(error)),
    );
  }

  /** @param {number} slot */
  #context(slot) {
    const run = this;
    const { names, namespaces } = this.#request.table;
    return {
      name: names[slot],
      namespace: namespaces[slot],
      runId: this.id,
      // Most tools never look at it, so it is made when they do.
      get signal() {
        return run.signal;
      },
    };
  }

  /** Aborts when the run ends for any reason. */
  get signal() {
    this.#abort ??= sharedAbortController();
    if (this.#hasEnded) this.#abort.abort();
    return this.#abort.signal;
  }

  /**
   * @param {number} call
   * @param {number} slot
   * @param {unknown} value
   */
  #reply(call, slot, value) {
    if (this.#hasEnded) return;
    let refusal;
    try {
      refusal = this.#native.reply(this.id, call, value, this.#request.table);
      this.#adoptSlots();
    } catch (error) {
      return this.#replyError(call, slot, describeHostError(error));
    }
    if (refusal !== null) {
      this.#replyError(
        call,
        slot,
        serializationError(`the host's result cannot be sent: ${refusal}`),
      );
    } else {
      this.#publishCallEnd(call, slot, undefined);
    }
  }

  /**
   * @param {number} call
   * @param {number} slot
   * @param {{ name: string, message: string, code: string }} error
   */
  #replyError(call, slot, error) {
    if (this.#hasEnded) return;
    this.#native.replyError(this.id, call, error);
    this.#publishCallEnd(call, slot, error);
  }

  /**
   * @param {number} call
   * @param {number} slot
   */
  #describeCall(call, slot) {
    const { names, namespaces } = this.#request.table;
    return { runId: this.id, callId: call, namespace: namespaces[slot], name: names[slot] };
  }

  /**
   * Every call that was published has one end.
   *
   * @param {number} call
   * @param {number} slot
   * @param {{ name: string, message: string, code: string } | undefined} error
   */
  #publishCallEnd(call, slot, error) {
    if (!this.#openCalls?.delete(call)) return;
    const ok = error === undefined;
    channels.callEnd.publish({ ...this.#describeCall(call, slot), ok, error });
  }

  /**
   * A function of the guest, callable while the run lives.
   *
   * @param {number} slot
   */
  guestFunction(slot) {
    let proxy = this.#proxies.get(slot);
    if (proxy === undefined) {
      proxy = (/** @type {unknown[]} */ ...args) => {
        const answer = this.#invoke(slot, args);
        // A host may call and not wait, as timers do: what the guest does then must not be its unhandled rejection.
        answer.catch(() => {});
        return answer;
      };
      this.#proxies.set(slot, proxy);
    }
    return proxy;
  }

  /**
   * @param {number} slot
   * @param {unknown[]} args
   */
  async #invoke(slot, args) {
    if (this.#hasEnded) throw runEndedError();
    const invocation = this.#nextInvocation++;
    const { table } = this.#request;
    const refusal = this.#native.invoke(this.id, slot, invocation, args, table);
    this.#adoptSlots();
    if (refusal !== null) throw notTransferableError(refusal);
    return new Promise((resolve, reject) => {
      this.#invocations.set(invocation, { resolve, reject });
    });
  }

  /**
   * @param {number} invocation
   * @param {boolean} ok
   * @param {any} answer
   */
  onInvoked(invocation, ok, answer) {
    const waiting = this.#invocations.get(invocation);
    this.#invocations.delete(invocation);
    if (ok) {
      waiting?.resolve(answer);
    } else {
      const { name, message, stack } = shapeError(answer);
      waiting?.reject(Object.assign(new Error(message), { name, stack }));
    }
  }

  /**
   * @param {import('../types/internal/native.js').LogContent[]} contents
   * @param {Float64Array} numbers
   */
  onLogs(contents, numbers) {
    const { onLog } = this.#request;
    for (const entry of shapeLogs(contents, numbers)) {
      this.#seenLogs.push(entry);
      if (onLog !== undefined) this.#tell(onLog, entry);
    }
  }

  /**
   * @param {(entry: any) => void} onLog
   * @param {import('../types/index.js').LogEntry} entry
   */
  #tell(onLog, entry) {
    try {
      this.#inCallersContext(() => onLog(entry));
    } catch (error) {
      // A listener's fault is the host's own uncaught exception, never the run's.
      process.nextTick(() => {
        throw error;
      });
    }
  }

  /** @param {import('../types/internal/native.js').NativeOutcome} native */
  onOutcome(native) {
    this.#hasEnded = true;
    this.#unlisten?.();
    this.#abort?.abort();
    this.#request.web?.dispose();
    for (const { reject } of this.#invocations.values()) reject(runEndedError());
    for (const [call, slot] of this.#openCalls ?? []) {
      this.#publishCallEnd(call, slot, UNANSWERED);
    }
    const { names } = this.#request.table;
    const shaped = shapeOutcome(native, this.#seenLogs, (slot) => names[slot] ?? '');
    const outcome = addHints(shaped, this.#request.native);
    if (channels.runEnd.hasSubscribers) {
      channels.runEnd.publish({ runId: this.id, cause: outcome.cause, facts: outcome.facts });
    }
    this.#settle(outcome);
  }
}

/** @param {any} reason a signal's; an error may be of another realm */
function describeReason(reason) {
  return typeof reason === 'string' ? reason : readText(() => reason.message);
}

/** @param {string} refusal */
function notTransferableError(refusal) {
  const message = `SerializationError: the arguments cannot be sent: ${refusal}`;
  return Object.assign(new TypeError(message), { code: 'ERR_ISOBOX_NOT_TRANSFERABLE' });
}

function runEndedError() {
  return Object.assign(new Error('The run that made this function has ended'), {
    code: 'ERR_ISOBOX_RUN_ENDED',
  });
}

module.exports = { HostRun, bytesOfCurrentCall };
