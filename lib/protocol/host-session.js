'use strict';
// The host's end of the protocol: one execution over a transport, whatever the runner at its other end does.

const { randomUUID } = require('node:crypto');

const { Deadline } = require('../execution/deadline.js');
const {
  detailsOf,
  failureResult,
  isExecuteErrorCode,
  timeoutResult,
} = require('../execution/failures.js');
const { truncateLogs } = require('../execution/logs.js');
const {
  MAX_TIMEOUT_MS,
  RUNTIME_OPTION_NAMES,
  readRuntimeOptions,
} = require('../execution/runtime-options.js');
const {
  createToolCallDispatcher,
  mayAsk,
  readProviders,
} = require('../execution/tool-dispatch.js');
const { findUntransferable } = require('../execution/transport-safety.js');
const { messageOf } = require('../foreign-text.js');
const {
  checkFunction,
  checkNumber,
  checkRecord,
  checkSignal,
  checkString,
} = require('../checks/options.js');
const { sharedAbortController } = require('../shared-abort.js');
const { extractProviderManifests, isRunnerMessage } = require('./messages.js');

/** @typedef {import('../../types/protocol.js').HostTransport} HostTransport */
/** @typedef {import('../../types/protocol.js').DispatcherMessage} DispatcherMessage */
/** @typedef {import('../../types/protocol.js').ToolCallMessage} ToolCallMessage */
/** @typedef {import('../../types/protocol.js').DoneMessage} DoneMessage */
/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */

const SESSION_KEYS = [
  'transport',
  'code',
  'providers',
  'runtimeOptions',
  'signal',
  'cancelGraceMs',
  'executionId',
  'onSettled',
];

const DEFAULT_CANCEL_GRACE_MS = 25;

// How much later than the runner's own deadline the host's comes. Until `started`
// they may still be preparing the source, which ours do within two seconds.
const BACKSTOP_SLACK_MS = 100;
const START_MS = 2500;

/** @param {unknown} value */
function readSession(value) {
  const session = checkRecord(value, 'session', SESSION_KEYS);
  const { transport, signal, runtimeOptions = {}, providers = [], onSettled = () => {} } = session;
  for (const method of ['send', 'onMessage']) {
    if (typeof transport?.[method] !== 'function') {
      throw new TypeError(`session.transport must have ${method}()`);
    }
  }
  const { executionId = randomUUID() } = session;
  return {
    transport: /** @type {HostTransport} */ (transport),
    signal: checkSignal(signal, 'session.signal'),
    code: checkString(session.code, 'session.code'),
    providers: /** @type {import('../../types/execbox.js').ResolvedToolProvider[]} */ (providers),
    limits: readRuntimeOptions(
      checkRecord(runtimeOptions, 'session.runtimeOptions', RUNTIME_OPTION_NAMES),
      'session.runtimeOptions',
    ),
    onSettled: checkFunction(onSettled, 'session.onSettled'),
    cancelGraceMs: readCancelGrace(session, 'session'),
    id: checkString(executionId, 'session.executionId'),
  };
}

/**
 * @param {Record<string, any>} options
 * @param {string} where
 */
function readCancelGrace({ cancelGraceMs = DEFAULT_CANCEL_GRACE_MS }, where) {
  const range = { min: 0, max: MAX_TIMEOUT_MS, integer: false };
  return checkNumber(cancelGraceMs, `${where}.cancelGraceMs`, range);
}

/** Ends in one `settle`, whatever comes first: `done`, the loss of the transport, or the end of the grace. */
class HostSession {
  #session;
  #settle = (/** @type {ExecuteResult} */ _result) => {};
  #isSettled = false;
  #isCancelled = false;
  #hasStarted = false;
  #start = performance.now();
  #tools = sharedAbortController();
  #dispatch;
  /** @type {Set<string>} */
  #callIds = new Set();
  #mayAsk;
  /** @type {InstanceType<typeof Deadline> | undefined} */
  #deadline;
  /** @type {(void | (() => void))[]} */
  #subscriptions = [];

  /** @param {ReturnType<typeof readSession>} session */
  constructor(session) {
    this.#session = session;
    // A runner's deadline cannot stand still. Where somebody may be asked, time is kept here alone.
    this.#mayAsk = mayAsk(readProviders(session.providers));
    const whileAsking = (/** @type {() => Promise<any>} */ wait) =>
      this.#deadline === undefined ? wait() : this.#deadline.whileStill(wait);
    this.#dispatch = createToolCallDispatcher(
      session.providers,
      this.#tools.signal,
      this.#mayAsk ? whileAsking : undefined,
    );
  }

  /** @returns {Promise<ExecuteResult>} never rejects */
  async run() {
    const { transport, signal, id, code, limits, providers } = this.#session;
    const settled = new Promise((/** @type {(result: ExecuteResult) => void} */ resolve) => {
      this.#settle = resolve;
    });
    this.#subscriptions.push(
      transport.onMessage((message) => this.#receive(message)),
      transport.onError?.((error) => this.#lose(messageOf(error))),
      transport.onClose?.((reason) => this.#lose(reason?.message ?? 'The transport closed')),
    );
    if (signal?.aborted) {
      this.#end(timeoutResult('aborted'));
    } else if (!this.#isSettled) {
      this.#limitTime(this.#session.limits.timeoutMs + START_MS, () => this.#cancel());
      this.#send({
        type: 'execute',
        id,
        code,
        options: this.#mayAsk ? { ...limits, timeoutMs: MAX_TIMEOUT_MS } : limits,
        providers: extractProviderManifests(providers),
      });
      this.#follow(signal);
    }
    const result = await settled;
    void this.#leave(result);
    return result;
  }

  /** @param {AbortSignal | undefined} signal the caller's */
  #follow(signal) {
    if (signal === undefined) return;
    const cancel = () => this.#cancel();
    // Sending may have aborted it.
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel, { once: true });
    this.#subscriptions.push(() => signal.removeEventListener('abort', cancel));
  }

  /**
   * @param {number} ms in the place of what time was left before
   * @param {() => void} onOver
   */
  #limitTime(ms, onOver) {
    this.#deadline?.end();
    this.#deadline = new Deadline(Math.min(ms, MAX_TIMEOUT_MS), onOver);
    this.#deadline.resume();
  }

  /** @param {unknown} message malformed ones, and those of other sessions, change nothing */
  #receive(message) {
    if (this.#isSettled || !isRunnerMessage(message)) return;
    switch (message.type) {
      case 'started':
        // The runner's clock starts here, and so does the backstop's.
        if (message.id === this.#session.id) this.#onStarted();
        break;
      case 'tool_call':
        void this.#answer(message);
        break;
      case 'done':
        if (message.id === this.#session.id) this.#finish(message);
        break;
    }
  }

  /** Only the first counts: saying it again and again gains a runner no time. */
  #onStarted() {
    if (this.#isCancelled || this.#hasStarted) return;
    this.#hasStarted = true;
    // Runners answer first when they can; one that keeps no deadline needs no slack.
    const slackMs = this.#mayAsk ? 0 : BACKSTOP_SLACK_MS;
    this.#limitTime(this.#session.limits.timeoutMs + slackMs, () => this.#cancel());
  }

  /** @param {ToolCallMessage} message */
  async #answer({ callId, providerName, safeToolName, input }) {
    if (this.#isCancelled || this.#callIds.has(callId)) return;
    this.#callIds.add(callId);
    const answer = await this.#dispatch({ providerName, safeToolName, input });
    if (!this.#isSettled && !this.#isCancelled) {
      this.#send({ type: 'tool_result', callId, ...answer });
    }
  }

  /** @param {DoneMessage} message */
  #finish(message) {
    const { maxLogLines, maxLogChars } = this.#session.limits;
    // Runners truncate their logs; one that does not is no reason to hold more.
    const logs = truncateLogs(message.logs, maxLogLines, maxLogChars);
    const known = { durationMs: message.durationMs, logs };
    if (this.#isCancelled) return this.#end(this.#timedOut(known));
    if (!message.ok) {
      const { code, message: text } = message.error;
      const details = detailsOf(message.error);
      // A runner cannot make up codes.
      const trusted = isExecuteErrorCode(code) ? code : 'internal_error';
      return this.#end(failureResult(trusted, text, { ...known, details }));
    }
    const refused = findUntransferable(message.result);
    if (refused !== undefined) {
      return this.#end(
        failureResult('serialization_error', `The result cannot be returned: ${refused}`, known),
      );
    }
    const { hint } = detailsOf(message);
    return this.#end({ ok: true, result: message.result, ...(hint && { hint }), ...known });
  }

  /** The caller or the backstop has had enough: tools hear of it now, the runner is asked, then made to end. */
  #cancel() {
    if (this.#isSettled || this.#isCancelled) return;
    const { id, transport, cancelGraceMs } = this.#session;
    this.#isCancelled = true;
    this.#tools.abort();
    this.#limitTime(cancelGraceMs, () => {
      attempt(() => transport.terminate?.());
      this.#end(this.#timedOut({ durationMs: this.#elapsed() }));
    });
    this.#send({ type: 'cancel', id });
  }

  /** @param {string} message why the transport is gone */
  #lose(message) {
    const known = { durationMs: this.#elapsed() };
    this.#end(
      this.#isCancelled ? this.#timedOut(known) : failureResult('internal_error', message, known),
    );
  }

  /** @param {DispatcherMessage} message */
  #send(message) {
    const { transport } = this.#session;
    attempt(
      () => transport.send(message),
      (error) => this.#lose(messageOf(error)),
    );
  }

  /** @param {{ durationMs: number, logs?: string[] }} known */
  #timedOut(known) {
    const { signal, limits } = this.#session;
    return timeoutResult(signal?.aborted ? 'aborted' : limits.timeoutMs, known);
  }

  #elapsed() {
    return performance.now() - this.#start;
  }

  /** @param {ExecuteResult} result the first counts */
  #end(result) {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#deadline?.end();
    this.#tools.abort();
    this.#settle(result);
  }

  /**
   * Nobody waits for this, and nobody but the transport's owner can do anything about what fails in it.
   *
   * @param {ExecuteResult} result
   */
  async #leave(result) {
    const { transport, onSettled } = this.#session;
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe?.();
    for (const act of [() => onSettled(result), () => transport.dispose?.()]) {
      try {
        await act();
      } catch {
        // The result is there.
      }
    }
  }
}

/**
 * @param {() => unknown} act may throw, or give a promise that rejects
 * @param {(error: unknown) => void} [onFailure]
 */
function attempt(act, onFailure = () => {}) {
  try {
    Promise.resolve(act()).catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}

/**
 * @param {import('../../types/protocol.js').HostTransportSessionOptions} options
 * @returns {Promise<ExecuteResult>} rejects only for malformed options
 */
async function runHostTransportSession(options) {
  return new HostSession(readSession(options)).run();
}

module.exports = { readCancelGrace, runHostTransportSession };
