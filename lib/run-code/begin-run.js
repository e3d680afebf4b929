'use strict';
// One call of runCode, from its arguments to its ending.

const { messageOf, safely } = require('../foreign-text.js');
const { bytesOfCurrentCall } = require('../host-run.js');
const { SourceError } = require('../source/source-error.js');
const { InvalidOptions, badArguments, readOptions } = require('./options.js');
const { ReportLog } = require('./report-log.js');
const { endingOf, reasonOf, terminatedEnding } = require('./result.js');
const { snapshot } = require('./snapshot.js');
const { erasedSources, sourcesAtOnce } = require('./sources.js');

/**
 * @typedef {Pick<import('../../types/index.js').IsolatePool, 'run'>} IsolatePool
 * @typedef {import('./options.js').RunPlan} RunPlan
 * @typedef {import('./sources.js').RunnableSources} RunnableSources
 * @typedef {import('./code-execution.js').ExecutionSide} ExecutionSide
 *
 * @typedef {object} RunSettings
 * @property {() => IsolatePool} pool
 * @property {import('../../types/index.js').Web} [web]
 * @property {number} memoryLimitBytes
 * @property {number} maxMemoryLimitBytes
 */

// Tried in order behind a path without an extension.
const SUFFIXES = [
  '',
  '.ts',
  '.tsx',
  '.js',
  '.mjs',
  '.json',
  '/index.ts',
  '/index.tsx',
  '/index.js',
];

/**
 * @param {unknown} source
 * @param {unknown} options
 * @param {RunSettings} settings
 * @param {(AbortSignal | undefined)[]} signals each of them terminates the run
 * @returns {(side: ExecutionSide) => (reason: string) => void}
 */
function beginRun(source, options, settings, signals) {
  return (side) => {
    const run = new Run(settings, side);
    run.begin(source, options, signals);
    return (reason) => run.stop(reason);
  };
}

class Run {
  #settings;
  #side;
  /** @type {import('../../types/index.js').RunHandle | undefined} */
  #handle;
  /** Why it was stopped from outside; the first reason counts. @type {string | undefined} */
  #stopReason;
  #hasEnded = false;
  /** @type {(() => void)[]} */
  #releases = [];

  /**
   * @param {RunSettings} settings
   * @param {ExecutionSide} side
   */
  constructor(settings, side) {
    this.#settings = settings;
    this.#side = side;
  }

  /**
   * @param {unknown} source
   * @param {unknown} options
   * @param {(AbortSignal | undefined)[]} signals
   */
  begin(source, options, signals) {
    try {
      const plan = readOptions(source, options, this.#settings);
      this.#listen(signals);
      if (this.#hasEnded) return;
      const sources = sourcesAtOnce(plan);
      if (sources === null) this.#launchLater(plan);
      else this.#launch(plan, sources);
    } catch (error) {
      this.#refuse(error);
    }
  }

  /**
   * Values cross when the guest starts, but are what they were when runCode was called.
   *
   * @param {RunPlan} plan
   */
  #launchLater(plan) {
    const { args, globals, imports } = plan;
    const held = { ...plan, ...snapshot({ args, globals, imports }) };
    erasedSources(plan).then(
      (sources) => this.#launch(held, sources),
      (error) => this.#refuse(error),
    );
  }

  /** @param {string} reason */
  stop(reason) {
    if (this.#hasEnded || this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    if (this.#handle === undefined) {
      this.#end(terminatedEnding(reason));
    } else {
      // The pool answers within 50 ms, with everything the guest has logged.
      this.#handle.terminate(reason);
    }
  }

  /** @param {(AbortSignal | undefined)[]} signals */
  #listen(signals) {
    for (const signal of signals) {
      if (signal === undefined) continue;
      const onAbort = () => this.stop(reasonOf(signal.reason));
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#releases.push(() => signal.removeEventListener('abort', onAbort));
    }
  }

  /**
   * @param {RunPlan} plan
   * @param {RunnableSources} sources
   */
  #launch(plan, sources) {
    if (this.#hasEnded) return;
    let handle;
    try {
      handle = this.#settings.pool().run(this.#request(plan, sources));
    } catch (error) {
      return this.#refuse(asInvalidOptions(error));
    }
    this.#handle = handle;
    handle.then((outcome) => {
      const wasStopped = this.#stopReason !== undefined;
      this.#end(wasStopped ? terminatedEnding(this.#stopReason) : endingOf(outcome, plan, sources));
    });
  }

  /**
   * @param {RunPlan} plan
   * @param {RunnableSources} sources
   * @returns {import('../../types/index.js').RunRequest}
   */
  #request(plan, sources) {
    const { filename, entryPath, exportName, args, imports, globals, memoryLimitBytes } = plan;
    const bindings = Object.assign(Object.create(null), globals);
    if (plan.report !== undefined) bindings.report = this.#makeReport(plan.report);
    return {
      source: sources.entry,
      kind: 'module',
      filename,
      values: 'clone',
      web: this.#settings.web,
      bindings,
      console: 'console' in globals ? 'none' : { mode: 'entries', scope: 'lexical' },
      intrinsics: { queueMicrotask: !('queueMicrotask' in globals) },
      module: {
        entryPath,
        metaUrlPrefix: 'sandbox:',
        exportName,
        arguments: args,
        suffixes: SUFFIXES,
        sources: sources.modules,
        imports,
      },
      limits: { memoryBytes: memoryLimitBytes },
      onLog: (entry) => {
        entry.timestamp = Math.floor(entry.timestamp);
        this.#side.logs.push(entry);
      },
      liveLogs: false,
    };
  }

  /** @param {(value: unknown) => unknown} callback */
  #makeReport(callback) {
    const log = new ReportLog(this.#side.reports);
    return (/** @type {unknown} */ value) => {
      const broken = log.add(value, bytesOfCurrentCall());
      if (broken === undefined) return callback(value);
      this.stop(`Code execution terminated: ${broken}`);
      return undefined;
    };
  }

  /** @param {any} error found before anything ran */
  #refuse(error) {
    this.#end({ status: 'link_error', error: describeRefusal(error) });
  }

  /** @param {import('./result.js').Ending} ending */
  #end(ending) {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const release of this.#releases) release();
    this.#side.settle(ending);
  }
}

/**
 * @param {any} error that the pool threw for a request: its own, or what a getter of the caller's threw
 */
function asInvalidOptions(error) {
  const message = messageOf(error);
  const code = safely(() => error.code);
  if (code !== 'ERR_ISOBOX_NOT_TRANSFERABLE') return new InvalidOptions(message);
  if (message.startsWith('arguments: ')) return badArguments(message.slice('arguments: '.length));
  return new InvalidOptions(`SerializationError: value is not transferable: ${message}`);
}

/**
 * @param {any} error ours, the type eraser's, or whatever the caller's own getters threw
 * @returns {import('../../types/run-code.js').CodeExecutionError}
 */
function describeRefusal(error) {
  const isOurs = safely(() => error instanceof InvalidOptions || error instanceof SourceError);
  /** @type {any} */
  const refusal = isOurs
    ? error
    : new InvalidOptions(`runCode cannot read its options: ${messageOf(error)}`);
  const { name, message, stack, line, column, filename, specifier } = refusal;
  const place = { line, column, filename, specifier };
  const known = Object.entries(place).filter(([, value]) => value !== undefined);
  return { name, message, stack, ...Object.fromEntries(known) };
}

module.exports = { beginRun };
