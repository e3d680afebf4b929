'use strict';
// One backend: connected in the background, again when it is lost, with the catalogue it had last.

const { Semaphore } = require('../semaphore.js');
const { messageOf } = require('../foreign-text.js');
const { listTools } = require('../mcp/list-tools.js');
const { loadTypes } = require('../mcp/sdk.js');
const { notAvailable, outcomeUnknown, stillStarting } = require('./backend-errors.js');
const { oneAtATime } = require('./one-at-a-time.js');
const { requestTool } = require('./request-tool.js');
const { assignNames, sanitizeName } = require('./tool-names.js');

/** @typedef {import('@modelcontextprotocol/sdk/types.js').CallToolResult} CallToolResult */
/** @typedef {import('./backend-source.js').Connection & { drop: () => void }} OpenConnection `drop` has it made anew */
/** @typedef {import('@modelcontextprotocol/sdk/types.js').Tool} Tool */
/** @typedef {Tool & { safeName: string }} BackendTool */
/** @typedef {{ readonly signal: AbortSignal, readonly timeLeft: number }} Caller whose time is limited */
/** @typedef {'starting' | 'ready' | 'waiting' | 'stopped'} BackendState `waiting` for the next attempt */

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A connection that held so long was none that fails at once. */
const STEADY_MS = 5000;
/** How long a call waits for a backend that is on its way: in any case it is told so before its own time is over. */
const START_PATIENCE_MS = 10_000;
const PATIENT_SHARE = 0.8;

/** Between two readings of a catalogue, for backends that say without end that it has changed. */
const RELIST_PAUSE_MS = 200;

class Backend {
  /** @type {BackendTool[]} also while it is not connected; before it was, those that are cached */
  tools = [];
  /** @type {BackendState} */
  state = 'starting';
  /** @type {string | undefined} */
  lastError;
  /** Whether it has told its tools itself. */
  isListed = false;
  restarts = 0;
  #source;
  #semaphore;
  #timeoutMs;
  #onListed;
  #onWarning;
  #ending = new AbortController();
  /** @type {OpenConnection | undefined} */
  #connection;
  /** @type {Set<() => void>} */
  #waiting = new Set();
  #hurry = () => {};

  /**
   * @param {object} options
   * @param {string} options.name
   * @param {string} options.safeName
   * @param {import('./backend-source.js').BackendSource} options.source
   * @param {number} options.maxConcurrentCalls
   * @param {number} options.timeoutMs of one call; Infinity for none of its own
   * @param {Tool[]} options.cachedTools
   * @param {(tools: Tool[]) => void} options.onListed
   * @param {(message: string) => void} options.onWarning
   */
  constructor({ name, safeName, source, cachedTools, onListed, onWarning, ...limits }) {
    const { maxConcurrentCalls, timeoutMs } = limits;
    this.name = name;
    this.safeName = safeName;
    this.tools = withSafeNames(cachedTools);
    this.#source = source;
    this.#semaphore = new Semaphore(maxConcurrentCalls);
    this.#timeoutMs = timeoutMs;
    this.#onListed = onListed;
    this.#onWarning = onWarning;
    this.whenTried = new Promise((resolve) => void this.#stayConnected(() => resolve(undefined)));
  }

  /**
   * @param {string} tool
   * @param {Record<string, unknown>} input
   * @param {Caller} caller
   * @returns {Promise<CallToolResult>} rejects with a ToolCallError, or when the signal aborts
   */
  async call(tool, input, caller) {
    const { signal } = caller;
    if (!(await this.#semaphore.acquire(signal))) {
      signal.throwIfAborted();
      throw notAvailable(this.name, tool, 'The tool chain is closed');
    }
    try {
      const answer = await this.#attempt(tool, input, caller);
      if (typeof answer !== 'string') return answer;
      if (answer === 'lost' && !this.#isRepeatable(tool)) throw outcomeUnknown(this.name, tool);
      const again = await this.#attempt(tool, input, caller);
      if (typeof again === 'string') throw outcomeUnknown(this.name, tool);
      return again;
    } finally {
      this.#semaphore.release();
    }
  }

  /**
   * What is known of its tools may be old until then.
   *
   * @param {string} tool for messages
   * @param {Caller} caller
   * @returns {Promise<void>} rejects with a ToolCallError when that takes too long
   */
  async whenConnected(tool, caller) {
    await this.#connected(tool, caller);
  }

  async close() {
    this.#ending.abort();
    this.#semaphore.close();
    this.#hurry();
    this.#setState('stopped');
    await this.#connection?.close();
  }

  /**
   * @param {string} tool
   * @param {Record<string, unknown>} input
   * @param {Caller} caller
   */
  async #attempt(tool, input, caller) {
    const connection = await this.#connected(tool, caller);
    const answer = await requestTool(connection.client, {
      backend: this.name,
      tool,
      input,
      signal: caller.signal,
      timeoutMs: this.#timeoutMs,
    });
    if (typeof answer === 'string' && this.#source.isLasting) connection.drop();
    return answer;
  }

  /** @param {string} name */
  #isRepeatable(name) {
    const { annotations } = this.tools.find((tool) => tool.name === name) ?? {};
    return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  }

  /**
   * @param {string} tool
   * @param {Caller} caller
   * @returns {Promise<OpenConnection>}
   */
  async #connected(tool, { signal, timeLeft }) {
    const until = performance.now() + Math.min(START_PATIENCE_MS, PATIENT_SHARE * timeLeft);
    while (this.#connection === undefined) {
      signal.throwIfAborted();
      if (this.state === 'stopped') throw notAvailable(this.name, tool, this.lastError);
      this.#hurry();
      const left = until - performance.now();
      if (left <= 0) throw stillStarting(this, tool);
      await this.#nextState(left, signal);
    }
    return this.#connection;
  }

  /**
   * @param {number} ms
   * @param {AbortSignal} signal
   * @returns {Promise<void>} with the next change of state, or when the time is over
   */
  #nextState(ms, signal) {
    return new Promise((resolve) => {
      /** @type {NodeJS.Timeout | undefined} */
      let timer = undefined;
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      this.#waiting.add(done);
    });
  }

  /** @param {BackendState} state */
  #setState(state) {
    this.state = this.#ending.signal.aborted ? 'stopped' : state;
    for (const tell of [...this.#waiting]) tell();
  }

  /** @param {() => void} onTried when the first attempt is over */
  async #stayConnected(onTried) {
    const { signal } = this.#ending;
    let delay = FIRST_DELAY_MS;
    while (!signal.aborted) {
      this.#setState('starting');
      const start = performance.now();
      try {
        const { closed } = await this.#connect(signal);
        onTried();
        await closed;
        this.restarts++;
        this.lastError = 'It has closed its connection';
      } catch (error) {
        this.lastError = messageOf(error);
      }
      onTried();
      if (signal.aborted) break;
      this.#onWarning(`backend ${this.name}: ${this.lastError}`);
      if (!this.#source.isLasting) return this.#setState('stopped');
      if (performance.now() - start > STEADY_MS) delay = FIRST_DELAY_MS;
      this.#setState('waiting');
      await this.#pause(delay);
      delay = Math.min(2 * delay, MAX_DELAY_MS);
    }
  }

  /**
   * @param {number} ms
   * @returns {Promise<void>} sooner when someone is in a hurry, though never at once
   */
  #pause(ms) {
    return new Promise((resolve) => {
      const start = performance.now();
      let timer = setTimeout(resolve, ms).unref();
      this.#hurry = () => {
        this.#hurry = () => {};
        clearTimeout(timer);
        const isOver = this.#ending.signal.aborted;
        const left = isOver ? 0 : Math.max(0, FIRST_DELAY_MS / 2 - (performance.now() - start));
        timer = setTimeout(resolve, left);
      };
    });
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<{ closed: Promise<void> }>} connected and listed; `closed` resolves when the connection is lost
   */
  async #connect(signal) {
    /** @type {() => void} */
    let tell = () => {};
    const closed = /** @type {Promise<void>} */ (new Promise((resolve) => (tell = resolve)));
    let isClosed = false;
    const onClose = () => {
      if (isClosed) return;
      isClosed = true;
      this.#connection = undefined;
      tell();
    };
    const { client, close } = await this.#source.connect({ signal, onClose });
    try {
      await this.#list(client);
      const { ToolListChangedNotificationSchema } = loadTypes();
      client.setNotificationHandler?.(
        ToolListChangedNotificationSchema,
        oneAtATime(() => this.#relist(client), RELIST_PAUSE_MS),
      );
    } catch (error) {
      await close();
      throw error;
    }
    if (signal.aborted) {
      await close();
    } else if (!isClosed) {
      const drop = () => {
        onClose();
        close().catch(() => {});
      };
      this.#connection = { client, close, drop };
      this.lastError = undefined;
      this.#setState('ready');
    }
    return { closed: signal.aborted ? Promise.resolve() : closed };
  }

  /** @param {any} client */
  async #relist(client) {
    try {
      await this.#list(client);
    } catch (error) {
      this.lastError = messageOf(error);
    }
  }

  /** @param {any} client */
  async #list(client) {
    const tools = await listTools({ client, name: this.name, close: async () => {} });
    this.tools = withSafeNames(tools);
    this.isListed = true;
    this.#onListed(tools);
  }
}

/**
 * @param {Tool[]} tools
 * @returns {BackendTool[]}
 */
function withSafeNames(tools) {
  const safeNames = assignNames(
    tools.map((tool) => tool.name),
    sanitizeName,
  );
  return tools.map((tool) => ({
    ...tool,
    safeName: /** @type {string} */ (safeNames.get(tool.name)),
  }));
}

module.exports = { Backend };
