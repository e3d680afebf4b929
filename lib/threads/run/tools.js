'use strict';
// The tools of a prompt: what is offered to the model, and what becomes of a call. Nothing a tool does ends the loop:
// every failure is an answer.

const { ThreadError, isFatal, messageOf } = require('../base/errors.js');
const { isLifecycleTool, lifecycleTools } = require('./lifecycle-tools.js');
const { EMPTY_ANSWER } = require('./names.js');
const { runFunctionTool, toResult } = require('./function-tool.js');
const { runPromptTool } = require('./prompt-tool.js');
const { sideOf } = require('./sides.js');

/** @typedef {import('../../../types/threads.js').ToolCall} ToolCall */
/** @typedef {import('../parts.js').ThreadState} ThreadState */
/** @typedef {import('../parts.js').Flow} Flow */

/**
 * @typedef {object} Answer
 * @property {'success' | 'error'} status
 * @property {string} text
 * @property {any[]} [attachments] as a tool gives them
 * @property {((change: import('../store/store.js').Change) => any)[]} [placed] files that are ready to be written
 * @property {string} [code] of an error
 * @property {unknown} [data] of an error
 * @property {string} [stack] for the log
 * @property {Record<string, any>} [marks] metadata of the row
 * @property {import('./flow-record.js').FlowRecord['handoff']} [handoff]
 * @property {(change: import('../store/store.js').Change) => void} [apply] what belongs into the transaction of the result
 * @property {string[]} [reads] for `apply`
 *
 * @typedef {{ name: string, entry: any, kind: 'tool' | 'prompt' | 'agent', definition: any }} Target
 */

/** @param {string} text @param {Partial<Answer>} [more] @returns {Answer} */
const failure = (text, more) => ({ status: 'error', text, ...more });

const OPEN_SCHEMA = { type: 'object', properties: {} };
const MESSAGE_SCHEMA = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'What is to be done.' },
    attachments: { type: 'array', items: { type: 'string' }, description: 'Paths of files.' },
  },
};

class Tools {
  #parts;
  /** What each execution runs now. @type {WeakMap<object, Target>} */
  #current = new WeakMap();

  /** @param {import('../parts.js').Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {import('../parts.js').Execution | null} execution */
  entryOf(execution) {
    return execution === null ? undefined : this.#current.get(execution)?.entry;
  }

  /**
   * @param {import('../parts.js').Execution | null} execution
   * @param {string} name
   */
  checkUse(execution, name) {
    if (this.#parts.library.resolveTool(name) === undefined) {
      throw new ThreadError('ERR_ISOBOX_THREAD_UNKNOWN', `There is no tool '${name}'`);
    }
    const current = execution === null ? undefined : this.#current.get(execution);
    const uses = current?.definition.uses;
    if (uses !== undefined && !uses.includes(name)) {
      throw new ThreadError(
        'ERR_ISOBOX_THREAD_REQUEST',
        `The tool '${current?.name}' may not use '${name}': add it to its uses`,
      );
    }
  }

  /**
   * @param {ThreadState} state
   * @param {any} prompt
   * @returns {Promise<Target[]>} without what its flag disables
   */
  async #targets(state, prompt) {
    const { library, env } = this.#parts;
    const targets = [];
    for (const entry of prompt.tools) {
      const found = library.resolveTool(entry.agent ?? entry.name);
      if (found !== undefined && (await env.isEnabled(state, entry))) {
        targets.push({ name: entry.name, entry, ...found });
      }
    }
    return targets;
  }

  /**
   * @param {ThreadState} state
   * @param {any} prompt
   * @returns {Promise<{ name: string, description: string, parameters: any }[]>}
   */
  async offer(state, prompt) {
    const targets = await this.#targets(state, prompt);
    const resumable = targets.filter(({ entry }) => entry.resumable && !entry.hidden);
    return [
      ...targets
        .filter(({ entry }) => !entry.resumable)
        .map((target) => ({
          name: target.name,
          description:
            target.definition.description && target.kind === 'tool'
              ? target.definition.description
              : (target.definition.toolDescription ?? ''),
          parameters:
            this.#schemaFor(target)?.jsonSchema ??
            (target.kind === 'agent' ? MESSAGE_SCHEMA : OPEN_SCHEMA),
        })),
      ...(resumable.length > 0 ? lifecycleTools(state, resumable) : []),
    ];
  }

  /** @param {Target} target */
  #schemaFor({ kind, definition, name }) {
    const { library } = this.#parts;
    if (kind === 'tool') return library.schemaOf(definition.args, name);
    const prompt = kind === 'prompt' ? definition : library.prompt(definition.sideA.prompt);
    return library.schemaOf(prompt.requiredSchema, name);
  }

  /**
   * A call that only the runtime carries out, in one transaction: interrupted, it has happened or it has not.
   *
   * @param {ToolCall} call
   */
  isAtomic({ function: { name } }) {
    return isLifecycleTool(name) || this.#parts.library.resolveTool(name)?.kind === 'agent';
  }

  /**
   * @param {Flow} flow
   * @param {ToolCall} call
   * @returns {Promise<Answer | null>} null when the execution was ended meanwhile
   */
  async answer(flow, call) {
    const { library } = this.#parts;
    const side = sideOf(library.agent(flow.state.agentId), flow.record.side);
    const prompt = library.sidePrompt(side);
    // What code has queued need not be on offer to the model.
    const isQueued = flow.record.logId === null;
    return unlessEnded(flow, this.run(flow, prompt, call, { isTop: true, isQueued }));
  }

  /**
   * @param {Flow} flow
   * @param {any} prompt whose tools count
   * @param {ToolCall} call
   * @param {{ isTop: boolean, isQueued?: boolean }} how whether the call is one of the step's own
   * @returns {Promise<Answer | null>}
   */
  async run(flow, prompt, call, { isTop, isQueued = false }) {
    try {
      const { name } = call.function;
      if (name === EMPTY_ANSWER) {
        return failure(
          'The answer had neither text nor tool calls. Answer with text or call a tool',
        );
      }
      const targets = await this.#targets(flow.state, prompt);
      const args = readArguments(call);
      if (typeof args === 'string') return failure(args);
      const resumable = targets.filter(
        ({ entry }) => entry.resumable && (isQueued || !entry.hidden),
      );
      if (isLifecycleTool(name) && resumable.length > 0) {
        return await this.#parts.subagents.runLifecycleTool(flow, resumable, call, args, isTop);
      }
      const target =
        targets.find((one) => one.name === name && !one.entry.resumable) ??
        (isQueued ? this.#queued(name) : undefined);
      if (target === undefined) {
        const names =
          (await this.offer(flow.state, prompt)).map((one) => one.name).join(', ') || 'none';
        return failure(`The tool '${name}' is not offered here. There are: ${names}`);
      }
      return await this.#perform(flow, target, call, args, isTop);
    } catch (error) {
      if (isFatal(error)) throw error;
      return failure(messageOf(error), { stack: error instanceof Error ? error.stack : undefined });
    }
  }

  /** @param {string} name @returns {Target | undefined} */
  #queued(name) {
    const found = this.#parts.library.resolveTool(name);
    return found && { name, entry: { name }, ...found };
  }

  /**
   * @param {Flow} flow
   * @param {Target} target
   * @param {ToolCall} call
   * @param {Record<string, any>} given
   * @param {boolean} isTop
   * @returns {Promise<Answer | null>}
   */
  async #perform(flow, target, call, given, isTop) {
    const checked = await this.#schemaFor(target)?.check(given, 'args');
    if (checked?.ok === false) return failure(`The arguments are not valid: ${checked.reason}`);
    const args = /** @type {Record<string, any>} */ (checked === undefined ? given : checked.value);
    if (target.kind === 'tool') {
      return this.#within(flow.execution, target, () => runFunctionTool(flow.state, target, args));
    }
    if (target.kind === 'prompt') return runPromptTool(flow, target, call, args);
    if (target.definition.type === 'dual_ai') {
      return this.#parts.subagents.call(flow, target, call, args, isTop);
    }
    const { initUserMessageProperty: property } = target.entry;
    const message = property === undefined ? null : args[property];
    return {
      status: 'success',
      text: `The thread is handed to ${target.definition.name}.`,
      handoff: {
        agent: target.definition.name,
        arguments: args,
        message: message === null || message === undefined ? null : String(message),
      },
    };
  }

  /**
   * @template T
   * @param {import('../parts.js').Execution | null} execution
   * @param {Target} target
   * @param {() => Promise<T>} perform
   */
  async #within(execution, target, perform) {
    if (execution === null) return perform();
    const outer = this.#current.get(execution);
    this.#current.set(execution, target);
    try {
      return await perform();
    } finally {
      if (outer === undefined) this.#current.delete(execution);
      else this.#current.set(execution, outer);
    }
  }

  /**
   * `state.invokeTool`: runs a function tool now, and stores nothing.
   *
   * @param {ThreadState} state
   * @param {ToolCall} call
   * @returns {Promise<import('../../../types/threads.js').ToolResult>}
   */
  async invoke(state, call) {
    const { name } = call.function;
    const answer = await this.#invoke(state, name, JSON.parse(call.function.arguments));
    return toResult(answer);
  }

  /**
   * @param {ThreadState} state
   * @param {string} name
   * @param {Record<string, any>} given
   * @returns {Promise<Answer>}
   */
  async #invoke(state, name, given) {
    try {
      this.checkUse(state.execution, name);
      const target = /** @type {Target} */ (this.#queued(name));
      if (target.kind !== 'tool') {
        return failure(`'${name}' is a ${target.kind}: use queueTool, which runs it in the thread`);
      }
      const checked = await this.#schemaFor(target)?.check(given, 'args');
      if (checked?.ok === false) return failure(`The arguments are not valid: ${checked.reason}`);
      const args = /** @type {Record<string, any>} */ (
        checked === undefined ? given : checked.value
      );
      return await this.#within(state.execution, target, () =>
        runFunctionTool(state, target, args),
      );
    } catch (error) {
      return failure(messageOf(error));
    }
  }
}

/**
 * @param {ToolCall} call
 * @returns {Record<string, any> | string} the arguments, or what is wrong with them
 */
function readArguments(call) {
  const text = call.function.arguments.trim() || '{}';
  try {
    const args = JSON.parse(text);
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) return args;
    return 'The arguments must be a JSON object';
  } catch (error) {
    return `The arguments are not JSON: ${messageOf(error)}`;
  }
}

/**
 * A tool that does not listen to its signal is left behind; its writes are refused once the lease is gone. When the
 * runtime closes, a tool may finish.
 *
 * @template T
 * @param {Flow} flow
 * @param {Promise<T>} promise
 * @returns {Promise<T | null>}
 */
async function unlessEnded(flow, promise) {
  const execution = /** @type {import('../parts.js').Execution} */ (flow.execution);
  const signal = execution.abortSignal;
  /** @type {() => void} */
  let listener = () => {};
  const ended = new Promise((resolve) => {
    listener = () => {
      if (execution.stoppedBy !== 'closing') resolve(null);
    };
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  });
  promise.catch(() => {});
  try {
    return /** @type {T | null} */ (await Promise.race([promise, ended]));
  } finally {
    signal.removeEventListener('abort', listener);
  }
}

module.exports = { Tools, unlessEnded };
