'use strict';
// The pool: validates, starts runs, and leads native events to them.

const os = require('node:os');

const asyncDispose = require('./async-dispose.js');
require('./exit.js');
const { appendChildren } = require('./append-children.js');
const { HostRun } = require('./host-run.js');
const { DEFAULT_LIMITS, checkLimits } = require('./limits.js');
const { native } = require('./native.js');
const { checkNumber, checkRecord } = require('./checks/options.js');
const { HOST_KEYS, PROCESS_KEYS, checkHost, readProcessOptions } = require('./process-host.js');
const { RunHandle } = require('./run-handle.js');
const { readRequest } = require('./run-request.js');

const POOL_KEYS = [
  ...HOST_KEYS,
  'threads',
  'maxRunning',
  'maxQueued',
  'warm',
  'maxStuck',
  'maxStuckBytes',
  'limits',
];

let nextRunId = 1;

/** @type {number | undefined} */
let memoryOfHost;

/** @returns {number} what this process may use: the machine's memory, or what its container has of it */
function hostMemory() {
  memoryOfHost ??= Math.min(os.totalmem(), process.constrainedMemory() || Infinity);
  return memoryOfHost;
}

/** @param {unknown} value */
function readPoolOptions(value) {
  const options = checkRecord(value, 'options', POOL_KEYS);
  const host = checkHost(options.host ?? 'thread', 'options.host');
  const idle = PROCESS_KEYS.find((key) => host === 'thread' && options[key] !== undefined);
  if (idle !== undefined) throw new TypeError(`options.${idle} needs options.host: 'process'`);
  const warm = checkRecord(options.warm, 'options.warm', ['target', 'idleMs']);
  const { threads = Math.max(2, os.availableParallelism()) } = options;
  const { maxRunning = 1024, maxQueued = 10_000, maxStuck = 8 } = options;
  const { maxStuckBytes = Math.floor(hostMemory() / 2) } = options;
  const { target = threads, idleMs = 30_000 } = warm;
  const whole = (
    /** @type {unknown} */ given,
    /** @type {string} */ where,
    min = 0,
    max = 2 ** 31,
  ) => checkNumber(given, where, { min, max });
  return {
    limits: checkLimits(options.limits, 'options.limits', DEFAULT_LIMITS),
    native: {
      threads: whole(threads, 'options.threads', 1, 1024),
      maxRunning: whole(maxRunning, 'options.maxRunning', 1),
      maxQueued: whole(maxQueued, 'options.maxQueued'),
      warmTarget: whole(target, 'options.warm.target', 0, 10_000),
      warmIdleMs: whole(idleMs, 'options.warm.idleMs'),
      maxStuck: whole(maxStuck, 'options.maxStuck', 0, 1024),
      maxStuckBytes: whole(maxStuckBytes, 'options.maxStuckBytes', 0, Number.MAX_SAFE_INTEGER),
      process: host === 'process' ? readProcessOptions(options) : undefined,
    },
  };
}

class IsolatePool {
  #native;
  #limits;
  /** @type {Map<number, InstanceType<typeof HostRun>>} */
  #runs = new Map();
  /** @type {Map<number, () => void>} */
  #prewarms = new Map();
  #nextPrewarm = 1;
  /** @type {Promise<void> | undefined} */
  #disposal;
  #closed = { announce: () => {} };

  /** @param {import('../types/index.js').PoolOptions} [options] */
  constructor(options) {
    const { limits, native: nativeOptions } = readPoolOptions(options);
    this.#limits = limits;
    // The native side holds these, and they hold no pool: one that is dropped can be collected.
    const runs = this.#runs;
    const prewarms = this.#prewarms;
    const closed = this.#closed;
    this.#native = new native.NativePool(nativeOptions, {
      onCall: (run, call, slot, input, isReadable, bytes) =>
        runs.get(run)?.onCall(call, slot, input, isReadable, bytes),
      onInvoked: (run, invocation, ok, answer) => runs.get(run)?.onInvoked(invocation, ok, answer),
      onLog: (run, contents, numbers) => runs.get(run)?.onLogs(contents, numbers),
      onOutcome: (run, ...outcome) => {
        const ended = runs.get(run);
        runs.delete(run);
        ended?.onOutcome(outcome);
      },
      onWarm: (request) => {
        prewarms.get(request)?.();
        prewarms.delete(request);
      },
      onClosed: () => closed.announce(),
      guestFunction: (run, slot) => runs.get(run)?.guestFunction(slot),
      append: appendChildren,
    });
  }

  /**
   * @param {import('../types/index.js').RunRequest} request
   * @returns {import('../types/index.js').RunHandle}
   */
  run(request) {
    const id = nextRunId++;
    const checked = readRequest(request, id, this.#limits);
    let settle = (/** @type {any} */ _outcome) => {};
    const outcome = new Promise((resolve) => (settle = resolve));
    const run = new HostRun(this.#native, checked, settle);
    this.#runs.set(id, run);
    try {
      run.start();
    } catch (error) {
      this.#runs.delete(id);
      throw error;
    }
    return new RunHandle(outcome, (reason) => run.terminate(reason), run.logs);
  }

  /**
   * @param {number} [count]
   * @returns {Promise<void>}
   */
  async prewarm(count = 1) {
    checkNumber(count, 'count', { min: 0, max: 10_000 });
    const request = this.#nextPrewarm++;
    return new Promise((resolve) => {
      this.#prewarms.set(request, () => resolve(undefined));
      this.#native.prewarm(request, count);
    });
  }

  stats() {
    return this.#native.stats();
  }

  /** @returns {Promise<void>} */
  dispose() {
    this.#disposal ??= new Promise((resolve) => {
      this.#closed.announce = () => resolve(undefined);
      this.#native.close();
    });
    return this.#disposal;
  }

  [asyncDispose]() {
    return this.dispose();
  }
}

module.exports = { IsolatePool };
