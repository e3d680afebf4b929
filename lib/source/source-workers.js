'use strict';

/**
 * Threads on which sources are prepared: a parser of TypeScript can be made to run endlessly by a
 * few hundred characters, and a thread can be ended. Loop thread only.
 *
 * @typedef {import('./prepare-source.js').PrepareRequest} PrepareRequest
 * @typedef {{ code: string | null, map: import('./position-map.js').PositionMapData, error: null }
 *   | { code: null, map: null, error: import('./source-error.js').SourceErrorData }} WorkerReply
 *   A null `code` stands for the source itself.
 * @typedef {{ source: string, request: PrepareRequest, timeoutMs: number,
 *   settle: (reply: WorkerReply) => void }} Task
 * @typedef {{ thread: Worker, task: Task | null, isReady: boolean,
 *   timer: NodeJS.Timeout | undefined }} Shell
 */

const path = require('node:path');
const { Worker } = require('node:worker_threads');

const { errorNameFor } = require('./source-error.js');

/** How long a source waits for a busy thread before a further one is started. */
const PATIENCE_MS = 50;
const RESOURCE_LIMITS = {
  maxOldGenerationSizeMb: 384,
  maxYoungGenerationSizeMb: 32,
  // Room for deep nesting, and far more than the parsers are allowed to use: see bounded-parser.js.
  stackSizeMb: 64,
};
const MAX_DEPTH = 20_000;

class SourceWorkers {
  /** @type {Set<Shell>} */
  #shells = new Set();
  /** @type {Task[]} */
  #queue = [];
  /** @type {NodeJS.Timeout | undefined} */
  #patience;
  #maxThreads;
  #idleTimeoutMs;

  /** @param {{ maxThreads: number, idleTimeoutMs: number }} options */
  constructor({ maxThreads, idleTimeoutMs }) {
    this.#maxThreads = maxThreads;
    this.#idleTimeoutMs = idleTimeoutMs;
  }

  get threads() {
    return this.#shells.size;
  }

  /**
   * @param {string} source
   * @param {PrepareRequest} request
   * @param {number} timeoutMs counted while a thread works on the source
   * @returns {Promise<WorkerReply>} never rejects
   */
  prepare(source, request, timeoutMs) {
    return new Promise((settle) => {
      this.#queue.push({ source, request, timeoutMs, settle });
      this.#dispatch();
    });
  }

  /** Ends all threads. What they were doing fails with `ERR_SOURCE_ENGINE`. */
  async close() {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    const shells = [...this.#shells];
    const tasks = [...shells.map((shell) => shell.task), ...this.#queue.splice(0)];
    const ends = shells.map((shell) => this.#end(shell));
    for (const task of tasks) {
      if (task !== null) fail(task, 'ERR_SOURCE_ENGINE', 'The preparation of sources was closed');
    }
    await Promise.all(ends);
  }

  #dispatch() {
    for (const shell of this.#shells) {
      if (this.#queue.length === 0) return;
      if (shell.isReady && shell.task === null) {
        this.#assign(shell, /** @type {Task} */ (this.#queue.shift()));
      }
    }
    if (this.#queue.length === 0) return;
    if (this.#shells.size === 0) this.#start();
    else if (this.#shells.size < this.#maxThreads) {
      this.#patience ??= setTimeout(() => this.#onImpatience(), PATIENCE_MS);
    }
  }

  #onImpatience() {
    this.#patience = undefined;
    const isStarting = [...this.#shells].some((shell) => !shell.isReady);
    if (this.#queue.length > 0 && !isStarting && this.#shells.size < this.#maxThreads) {
      this.#start();
    }
    this.#dispatch();
  }

  #start() {
    let thread;
    try {
      thread = new Worker(path.join(__dirname, 'source-worker.js'), {
        execArgv: [],
        resourceLimits: RESOURCE_LIMITS,
        workerData: { maxDepth: MAX_DEPTH },
      });
    } catch (error) {
      // Such as under a permission model that allows no threads.
      const { message } = /** @type {Error} */ (error);
      for (const task of this.#queue.splice(0)) {
        fail(task, 'ERR_SOURCE_ENGINE', `The preparation of sources cannot start: ${message}`);
      }
      return;
    }
    /** @type {Shell} */
    const shell = { thread, task: null, isReady: false, timer: undefined };
    this.#shells.add(shell);
    thread.on('message', (message) =>
      message === 'ready' ? this.#onReady(shell) : this.#onReply(shell, message),
    );
    thread.on('error', (error) => this.#onBreakdown(shell, error));
    thread.on('exit', () => this.#onBreakdown(shell, null));
  }

  /** @param {Shell} shell */
  #onReady(shell) {
    shell.isReady = true;
    this.#rest(shell);
    this.#dispatch();
  }

  /**
   * @param {Shell} shell
   * @param {WorkerReply} reply
   */
  #onReply(shell, reply) {
    const { task } = shell;
    shell.task = null;
    this.#rest(shell);
    this.#dispatch();
    task?.settle(reply);
  }

  /**
   * @param {Shell} shell
   * @param {Task} task
   */
  #assign(shell, task) {
    clearTimeout(shell.timer);
    shell.task = task;
    shell.thread.ref();
    shell.timer = setTimeout(() => this.#onTimeout(shell), task.timeoutMs);
    shell.thread.postMessage({ source: task.source, request: task.request });
  }

  /** @param {Shell} shell */
  #rest(shell) {
    clearTimeout(shell.timer);
    // A thread without work must not keep the process alive.
    shell.thread.unref();
    shell.timer = setTimeout(() => this.#end(shell), this.#idleTimeoutMs).unref();
  }

  /** @param {Shell} shell */
  #onTimeout(shell) {
    const { task } = shell;
    this.#end(shell);
    if (task === null) return;
    fail(
      task,
      'ERR_SOURCE_TIMEOUT',
      `The source could not be prepared within ${task.timeoutMs} ms`,
    );
    this.#dispatch();
  }

  /**
   * @param {Shell} shell
   * @param {any} error
   */
  #onBreakdown(shell, error) {
    if (!this.#shells.has(shell)) return;
    const { task, isReady } = shell;
    this.#end(shell);
    const waiting = isReady ? [] : this.#queue.splice(0);
    for (const failed of task === null ? waiting : [task, ...waiting]) {
      if (error?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        fail(
          failed,
          'ERR_SOURCE_TOO_COMPLEX',
          'The source needs more memory than its preparation may take',
        );
      } else {
        fail(
          failed,
          'ERR_SOURCE_ENGINE',
          `The preparation of sources broke down: ${error?.message ?? 'thread ended'}`,
        );
      }
    }
    this.#dispatch();
  }

  /** @param {Shell} shell */
  async #end(shell) {
    this.#shells.delete(shell);
    clearTimeout(shell.timer);
    shell.task = null;
    await shell.thread.terminate();
  }
}

/**
 * @param {Task} task
 * @param {import('./source-error.js').SourceErrorCode} code
 * @param {string} reason
 */
function fail({ request, settle }, code, reason) {
  const { kind, filename } = request;
  const error = { name: errorNameFor(kind), code, reason, filename };
  settle({ code: null, map: null, error });
}

module.exports = { SourceWorkers };
