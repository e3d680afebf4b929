'use strict';
// The runner's end of the protocol: sessions over one port, one after the other.

const asyncDispose = require('../async-dispose.js');
const { ExecuteFailure, failureResult, isExecuteErrorCode } = require('../execution/failures.js');
const { runGuest } = require('../execution/run-guest.js');
const { clampRuntimeOptions } = require('../execution/runtime-options.js');
const { checkRecord } = require('../checks/options.js');
const { IsolatePool } = require('../pool.js');
const { isDispatcherMessage } = require('./messages.js');

/** @typedef {import('../../types/protocol.js').RunnerPort} RunnerPort */
/** @typedef {import('../../types/protocol.js').RunnerMessage} RunnerMessage */
/** @typedef {import('../../types/protocol.js').ExecuteMessage} ExecuteMessage */
/** @typedef {import('../../types/protocol.js').ToolResultMessage} ToolResultMessage */
/** @typedef {import('../../types/protocol.js').ProviderManifest} ProviderManifest */
/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */

const BUSY_MESSAGE = 'Another execution is active in this session';

/** One execution: its open calls, and the way to end it. */
class Session {
  #abort = new AbortController();
  /** @type {Map<string, { resolve: (value: unknown) => void, reject: (error: Error) => void }>} */
  #calls = new Map();

  /**
   * @param {string} id
   * @param {(message: RunnerMessage) => void} send
   * @param {() => string} nextCallId
   */
  constructor(id, send, nextCallId) {
    this.id = id;
    this.send = send;
    this.nextCallId = nextCallId;
  }

  get signal() {
    return this.#abort.signal;
  }

  cancel() {
    this.#abort.abort();
  }

  /** @param {ProviderManifest[]} manifests */
  namespaces(manifests) {
    const names = manifests.map(({ name }) => name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw new TypeError(`Two providers have the namespace ${twice}`);
    return Object.fromEntries(
      manifests.map(({ name, tools }) => [
        name,
        Object.fromEntries(
          Object.values(tools).map(({ safeName }) => [
            safeName,
            (/** @type {unknown} */ input) => this.#call(name, safeName, input),
          ]),
        ),
      ]),
    );
  }

  /**
   * @param {string} providerName
   * @param {string} safeToolName
   * @param {unknown} input
   */
  #call(providerName, safeToolName, input) {
    return new Promise((resolve, reject) => {
      const callId = this.nextCallId();
      this.#calls.set(callId, { resolve, reject });
      this.send({ type: 'tool_call', callId, providerName, safeToolName, input });
    });
  }

  /** @param {ToolResultMessage} message one for a call that is not open is nobody's */
  answer(message) {
    const call = this.#calls.get(message.callId);
    this.#calls.delete(message.callId);
    if (message.ok) {
      call?.resolve(message.result);
    } else {
      const { code, message: text } = message.error;
      call?.reject(toolFailure(isExecuteErrorCode(code) ? code : 'tool_error', text));
    }
  }
}

/**
 * @param {import('../../types/execbox.js').ExecuteErrorCode} code
 * @param {string} message
 */
function toolFailure(code, message) {
  return Object.assign(new ExecuteFailure(code, message), { name: 'Error' });
}

/**
 * @param {string} id
 * @param {ExecuteResult} result
 * @returns {RunnerMessage}
 */
function doneMessage(id, result) {
  const { durationMs, logs } = result;
  const hint = result.ok ? result.hint : undefined;
  return result.ok
    ? { type: 'done', id, ok: true, durationMs, logs, result: result.result, ...(hint && { hint }) }
    : { type: 'done', id, ok: false, durationMs, logs, error: result.error };
}

class ProtocolEndpoint {
  #port;
  #pool;
  #ownsPool;
  /** @type {Session | undefined} */
  #active;
  #calls = 0;
  #isDetached = false;
  /** @type {(void | (() => void))[]} */
  #subscriptions = [];

  /**
   * @param {RunnerPort} port gives nothing but messages
   * @param {import('../../types/index.js').IsolatePool | undefined} pool
   */
  constructor(port, pool) {
    this.#port = port;
    this.#ownsPool = pool === undefined;
    this.#pool = pool ?? new IsolatePool();
    const leave = () => void this.dispose();
    this.#subscriptions.push(
      port.onMessage((message) => this.#receive(message)),
      port.onClose?.(leave),
      port.onError?.(leave),
    );
    // The port may have said that it is closed before there was anything to unsubscribe.
    if (this.#isDetached) this.#unsubscribe();
  }

  /** @param {import('../../types/protocol.js').DispatcherMessage} message one for no active session or call changes nothing */
  #receive(message) {
    if (this.#isDetached) return;
    switch (message.type) {
      case 'execute':
        void this.#execute(message);
        break;
      case 'cancel':
        if (message.id === this.#active?.id) this.#active.cancel();
        break;
      case 'tool_result':
        this.#active?.answer(message);
        break;
    }
  }

  /** @param {ExecuteMessage} message */
  async #execute(message) {
    const { id, code, options, providers } = message;
    if (this.#active !== undefined) {
      // Answering the active session's own id would be a second `done` for it.
      if (id !== this.#active.id) {
        this.#send(doneMessage(id, failureResult('internal_error', BUSY_MESSAGE)));
      }
      return;
    }
    const session = new Session(
      id,
      (call) => this.#send(call),
      () => `call-${++this.#calls}`,
    );
    this.#active = session;
    const onStart = () => this.#send({ type: 'started', id });
    let result;
    try {
      const namespaces = session.namespaces(providers);
      const limits = clampRuntimeOptions(/** @type {Record<string, any>} */ (options));
      const { signal } = session;
      result = await runGuest(this.#pool, { code, options: limits, namespaces, signal, onStart });
    } catch (error) {
      onStart();
      result = failureResult('internal_error', /** @type {Error} */ (error).message);
    }
    this.#active = undefined;
    // A host that has cancelled knows why, and has no use for hints.
    if (!result.ok && session.signal.aborted) {
      const { code: failure, message: text } = result.error;
      result = failureResult(failure, text, result);
    }
    this.#send(doneMessage(id, result));
  }

  /**
   * A port that cannot send has lost its host: the session ends, and there is nobody to tell.
   *
   * @param {RunnerMessage} message
   */
  #send(message) {
    if (this.#isDetached) return;
    const lose = () => this.#active?.cancel();
    try {
      const sent = /** @type {any} */ (this.#port.send(message));
      if (typeof sent?.then === 'function') sent.then(undefined, lose);
    } catch {
      lose();
    }
  }

  #unsubscribe() {
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe?.();
  }

  /** Ends the active session without a message, and leaves the port for good. */
  async dispose() {
    this.#isDetached = true;
    this.#unsubscribe();
    this.#active?.cancel();
    if (this.#ownsPool) await this.#pool.dispose();
  }

  [asyncDispose]() {
    return this.dispose();
  }
}

/**
 * @param {RunnerPort} port
 * @param {{ pool?: import('../../types/index.js').IsolatePool }} [options]
 */
function attachProtocolEndpoint(port, options) {
  if (typeof port?.onMessage !== 'function' || typeof port.send !== 'function') {
    throw new TypeError('port must have onMessage(handler) and send(message)');
  }
  const { pool } = checkRecord(options, 'options', ['pool']);
  return new ProtocolEndpoint(messagesOnly(port), pool);
}

/**
 * @param {RunnerPort} port whose other end may send anything
 * @returns {RunnerPort}
 */
function messagesOnly(port) {
  return {
    send: (message) => port.send(message),
    onMessage: (handler) =>
      port.onMessage((message) => {
        if (isDispatcherMessage(message)) handler(message);
      }),
    onClose: (handler) => port.onClose?.(handler),
    onError: (handler) => port.onError?.(handler),
  };
}

module.exports = { ProtocolEndpoint, attachProtocolEndpoint };
