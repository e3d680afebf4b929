'use strict';
// One guest that is given scripts, one after the other, for as long as it keeps its limits.

const { IsolatePool } = require('../pool.js');
const { printLog } = require('./run-file.js');

/** @typedef {import('./load-tools.js').Tools} Tools */
/** @typedef {{ ok: boolean, value?: unknown, text?: string }} Answer `text` in the place of a value that cannot leave the guest */

const NAMESPACE = 'isobox:repl';

/** The guest's own program: it runs what it is given, and tells what came of it. */
const DRIVER = `
const { next } = globalThis[${JSON.stringify(NAMESPACE)}];
delete globalThis[${JSON.stringify(NAMESPACE)}];
const evaluate = eval;
const describe = (value) => {
  try {
    if (typeof value === 'function') return '[Function' + (value.name ? ': ' + value.name : '') + ']';
    return value instanceof Error ? value.name + ': ' + value.message : String(value);
  } catch (error) {
    return '[' + typeof value + ']';
  }
};
const give = async (answer) => {
  const { value } = answer;
  if (typeof value !== 'function' && !(value instanceof Error)) {
    try {
      return await next(answer);
    } catch {}
  }
  return next({ ok: answer.ok, text: describe(value) });
};
let script = await next();
for (;;) {
  let answer;
  try {
    answer = { ok: true, value: await evaluate(script) };
    if (answer.value !== undefined) globalThis._ = answer.value;
  } catch (error) {
    answer = { ok: false, value: error };
  }
  script = await give(answer);
}`;

class ReplSession {
  #timeoutMs;
  #pool = new IsolatePool({ threads: 1, warm: { target: 0 } });
  #stop = new AbortController();
  /** @type {(script: string) => void} */
  #hand = () => {};
  /** @type {(answer: Answer) => void} */
  #tell = () => {};
  #isReady;
  #outcome;

  /** @param {{ tools: Tools, timeout: number, memory: number }} options */
  constructor({ tools, timeout, memory }) {
    this.#timeoutMs = timeout;
    /** @type {() => void} */
    let ready = () => {};
    this.#isReady = new Promise((resolve) => (ready = () => resolve(undefined)));
    const next = (/** @type {Answer | undefined} */ answer) => {
      if (answer === undefined) ready();
      else this.#tell(answer);
      return new Promise((resolve) => (this.#hand = resolve));
    };
    const { signal } = this.#stop;
    const withContext =
      (/** @type {import('./load-tools.js').Tool} */ tool) => (/** @type {unknown} */ input) =>
        tool(input, /** @type {any} */ ({ signal }));
    const wrap = (/** @type {Record<string, import('./load-tools.js').Tool>} */ all) =>
      Object.fromEntries(Object.entries(all).map(([name, tool]) => [name, withContext(tool)]));
    this.#outcome = this.#pool.run({
      source: DRIVER,
      filename: '<repl>',
      values: 'clone',
      intrinsics: { codeGeneration: true },
      namespaces: {
        ...Object.fromEntries(
          Object.entries(tools.namespaces).map(([name, all]) => [name, wrap(all)]),
        ),
        [NAMESPACE]: { next },
      },
      globals: wrap(tools.globals),
      limits: { memoryBytes: memory },
      signal,
      onLog: printLog,
    });
  }

  /**
   * @param {string} script an expression that gives a promise
   * @returns {Promise<Answer | import('../../types/index.js').RunOutcome>} an outcome, with a cause, when it has ended the guest
   */
  async evaluate(script) {
    await Promise.race([this.#isReady, this.#outcome]);
    const answered = new Promise((resolve) => (this.#tell = resolve));
    const timer = setTimeout(
      () => this.stop(`It took more than the ${this.#timeoutMs} ms of --timeout`),
      this.#timeoutMs,
    );
    this.#hand(script);
    try {
      return await Promise.race([answered, this.#outcome]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {string} reason */
  stop(reason) {
    this.#stop.abort(new Error(reason));
  }

  async close() {
    this.stop('The session is closed');
    await this.#pool.dispose();
  }
}

module.exports = { ReplSession };
