'use strict';
// The host's end of the protocol: one execution over a transport, whatever the runner at its other end does.

const { randomUUID } = require('node:crypto');

const {
  TIMEOUT_MESSAGE,
  describeToolFailure,
  failureResult,
  isExecuteErrorCode,
  messageOf,
} = require('../execbox/failures.js');
const { MAX_TIMEOUT_MS, readRuntimeOptions } = require('../execbox/runtime-options.js');
const { callTool, readProviders } = require('../execbox/tool-dispatch.js');
const { findUntransferable } = require('../execbox/transport-safety.js');
const { checkNumber, checkRecord, checkString } = require('../options.js');
const { sharedAbortController } = require('../shared-abort.js');
const { describeProviders, isRunnerMessage } = require('./messages.js');

/** @typedef {import('../../types/protocol.js').HostTransport} HostTransport */
/** @typedef {import('../../types/protocol.js').DispatcherMessage} DispatcherMessage */
/** @typedef {import('../../types/protocol.js').ToolCallMessage} ToolCallMessage */
/** @typedef {import('../../types/protocol.js').DoneMessage} DoneMessage */
/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */

const SESSION_KEYS = [
  'transport',
  'code',
  'providers',
  'limits',
  'signal',
  'cancelGraceMs',
  'executionId',
];

const DEFAULT_CANCEL_GRACE_MS = 200;

// How much later than the runner's own deadline the host's comes: runners answer first when they can. Until `started`
// they may still be preparing the source, which ours do within two seconds.
const BACKSTOP_SLACK_MS = 100;
const START_MS = 2500;

/** @param {unknown} value */
function readSession(value) {
  const session = checkRecord(value, 'session', SESSION_KEYS);
  const { transport, signal, limits, providers = [] } = session;
  for (const method of ['send', 'onMessage']) {
    if (typeof transport?.[method] !== 'function') {
      throw new TypeError(`session.transport must have ${method}()`);
    }
  }
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new TypeError('session.signal must be an AbortSignal');
  }
  const { cancelGraceMs = DEFAULT_CANCEL_GRACE_MS, executionId = randomUUID() } = session;
  const graceRange = { min: 0, max: MAX_TIMEOUT_MS, integer: false };
  return {
    transport: /** @type {HostTransport} */ (transport),
    signal: /** @type {AbortSignal | undefined} */ (signal),
    code: checkString(session.code, 'session.code'),
    providers: /** @type {import('../../types/execbox.js').ResolvedToolProvider[]} */ (providers),
    table: readProviders(providers),
    limits: readRuntimeOptions(limits ?? {}, 'session.limits'),
    cancelGraceMs: checkNumber(cancelGraceMs, 'session.cancelGraceMs', graceRange),
    id: checkString(executionId, 'session.executionId'),
  };
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
  /** @type {Set<string>} */
  #callIds = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {(void | (() => void))[]} */
  #subscriptions = [];

  /** @param {ReturnType<typeof readSession>} session */
  constructor(session) {
    this.#session = session;
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
    if (!this.#isSettled) {
      this.#armBackstop(START_MS);
      this.#send({
        type: 'execute',
        id,
        code,
        options: limits,
        providers: describeProviders(providers),
      });
      this.#follow(signal);
    }
    const result = await settled;
    await this.#leave();
    return result;
  }

  /** @param {AbortSignal | undefined} signal the caller's */
  #follow(signal) {
    if (signal === undefined) return;
    const cancel = () => this.#cancel();
    if (signal.aborted) {
      cancel();
    } else {
      signal.addEventListener('abort', cancel, { once: true });
      this.#subscriptions.push(() => signal.removeEventListener('abort', cancel));
    }
  }

  /** @param {number} slackMs */
  #armBackstop(slackMs) {
    clearTimeout(this.#timer);
    const ms = Math.min(this.#session.limits.timeoutMs + slackMs, MAX_TIMEOUT_MS);
    this.#timer = setTimeout(() => this.#cancel(), ms);
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
    this.#armBackstop(BACKSTOP_SLACK_MS);
  }

  /** @param {ToolCallMessage} message */
  async #answer({ callId, providerName, safeToolName, input }) {
    if (this.#isCancelled || this.#callIds.has(callId)) return;
    this.#callIds.add(callId);
    const answer = await this.#callTool({ providerName, safeToolName, input });
    if (!this.#isSettled && !this.#isCancelled) {
      this.#send({ type: 'tool_result', callId, ...answer });
    }
  }

  /** @param {{ providerName: string, safeToolName: string, input: unknown }} call */
  async #callTool(call) {
    try {
      const refusedInput = findUntransferable(call.input);
      if (refusedInput !== undefined) return refusal(refusedInput);
      const result = await callTool(this.#session.table, call, this.#tools.signal);
      const refused = findUntransferable(result);
      if (refused !== undefined) return refusal(`the host's result cannot cross: ${refused}`);
      return { ok: /** @type {const} */ (true), result };
    } catch (error) {
      return { ok: /** @type {const} */ (false), error: describeToolFailure(error) };
    }
  }

  /** @param {DoneMessage} message */
  #finish(message) {
    const known = { durationMs: message.durationMs, logs: this.#clip(message.logs) };
    if (this.#isCancelled) return this.#end(failureResult('timeout', TIMEOUT_MESSAGE, known));
    if (!message.ok) {
      const { code, message: text } = message.error;
      // A runner cannot make up codes.
      return this.#end(
        failureResult(isExecuteErrorCode(code) ? code : 'internal_error', text, known),
      );
    }
    const refused = findUntransferable(message.result);
    if (refused !== undefined) {
      return this.#end(
        failureResult('serialization_error', `The result cannot cross: ${refused}`, known),
      );
    }
    return this.#end({ ok: true, result: message.result, ...known });
  }

  /** @param {string[]} logs runners truncate them; one that does not is no reason to hold more */
  #clip(logs) {
    const { maxLogLines, maxLogChars } = this.#session.limits;
    const kept = [];
    let room = maxLogChars;
    for (const line of logs.slice(0, maxLogLines)) {
      if (room <= 0) break;
      kept.push(line.length <= room ? line : line.slice(0, room));
      room -= line.length;
    }
    return kept;
  }

  /** The caller or the backstop has had enough: tools hear of it now, the runner is asked, then made to end. */
  #cancel() {
    if (this.#isSettled || this.#isCancelled) return;
    const { id, transport, cancelGraceMs } = this.#session;
    this.#isCancelled = true;
    this.#tools.abort();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      attempt(() => transport.terminate?.());
      this.#end(failureResult('timeout', TIMEOUT_MESSAGE, { durationMs: this.#elapsed() }));
    }, cancelGraceMs);
    this.#send({ type: 'cancel', id });
  }

  /** @param {string} message why the transport is gone */
  #lose(message) {
    const known = { durationMs: this.#elapsed() };
    this.#end(
      this.#isCancelled
        ? failureResult('timeout', TIMEOUT_MESSAGE, known)
        : failureResult('internal_error', message, known),
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

  #elapsed() {
    return performance.now() - this.#start;
  }

  /** @param {ExecuteResult} result the first counts */
  #end(result) {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#tools.abort();
    this.#settle(result);
  }

  async #leave() {
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe?.();
    try {
      await this.#session.transport.dispose?.();
    } catch {
      // The result is there; what is wrong with the transport is its owner's to see.
    }
  }
}

/** @param {string} message */
function refusal(message) {
  return {
    ok: /** @type {const} */ (false),
    error: { code: /** @type {const} */ ('serialization_error'), message },
  };
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
 * @param {import('../../types/protocol.js').HostSessionOptions} options
 * @returns {Promise<ExecuteResult>} rejects only for malformed options
 */
async function runHostSession(options) {
  return new HostSession(readSession(options)).run();
}

module.exports = { DEFAULT_CANCEL_GRACE_MS, runHostSession };
