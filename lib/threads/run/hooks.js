'use strict';
// Hooks: functions of the developer that see or change what happens in a thread.

const { messageOf } = require('../base/errors.js');
const { readResult, toResult } = require('./function-tool.js');
const { noteError } = require('./logs.js');

class Hooks {
  #parts;

  /** @param {import('../parts.js').Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * The hooks of the prompt that is at work; of the agent, when the prompt names none.
   *
   * @param {import('../parts.js').ThreadIdentity} state
   * @param {string} event
   * @returns {any[]}
   */
  #of(state, event) {
    return this.#named(state.agentId, state.execution?.promptPath.at(-1), event);
  }

  /**
   * @param {string} agentName
   * @param {string | undefined} promptName by default that of side A
   * @param {string} event
   * @returns {any[]}
   */
  #named(agentName, promptName, event) {
    const { library } = this.#parts;
    const agent = library.agents.get(agentName);
    const prompt = library.prompts.get(promptName ?? agent?.sideA.prompt);
    const ids = prompt?.hooks ?? agent?.hooks ?? [];
    return ids
      .map((/** @type {string} */ id) => library.hooks.get(id))
      .filter((/** @type {any} */ one) => one.hook === event);
  }

  /**
   * @param {string} agentName
   * @param {string} event
   * @returns {boolean} whether a thread of that agent has such a hook while it is at rest
   */
  has(agentName, event) {
    return this.#named(agentName, undefined, event).length > 0;
  }

  /**
   * Tells; what hooks return is not looked at.
   *
   * @param {string} event
   * @param {import('../parts.js').ThreadIdentity} state
   * @param {...unknown} args
   */
  async run(event, state, ...args) {
    for (const hook of this.#of(state, event)) {
      try {
        await hook.execute(state, ...args);
      } catch (error) {
        await this.#note(state, hook, error);
      }
    }
  }

  /**
   * Passes a value from hook to hook. One that throws, or gives nothing, leaves it as it was.
   *
   * @template T
   * @param {string} event
   * @param {import('../parts.js').ThreadIdentity} state
   * @param {T} value
   * @param {...unknown} before the arguments ahead of the value
   * @returns {Promise<T>}
   */
  async pass(event, state, value, ...before) {
    let current = value;
    for (const hook of this.#of(state, event)) {
      try {
        current = (await hook.execute(state, ...before, current)) ?? current;
      } catch (error) {
        if (/** @type {any} */ (error)?.block === true) throw error;
        await this.#note(state, hook, error);
      }
    }
    return current;
  }

  /**
   * What became of a tool call: null when a hook wants the call forgotten.
   *
   * @param {import('../parts.js').ThreadIdentity} state
   * @param {import('../../../types/threads.js').ToolCall} call
   * @param {import('./tools.js').Answer} answer
   * @returns {Promise<import('./tools.js').Answer | null>}
   */
  async afterToolCall(state, call, answer) {
    const event = answer.status === 'error' ? 'after_tool_call_failure' : 'after_tool_call_success';
    let current = answer;
    for (const hook of this.#of(state, event)) {
      try {
        const next = await hook.execute(state, call, toResult(current));
        if (next === null) return null;
        if (next !== undefined) current = { ...current, ...readResult(next) };
      } catch (error) {
        await this.#note(state, hook, error);
      }
    }
    return current;
  }

  /**
   * A result as it is stored.
   *
   * @param {import('../parts.js').ThreadIdentity} state
   * @param {import('../../../types/threads.js').ToolCall} call
   * @param {import('./tools.js').Answer} answer
   * @returns {Promise<import('./tools.js').Answer>}
   */
  async beforeStoreResult(state, call, answer) {
    const result = toResult(answer);
    const next = await this.pass('before_store_tool_result', state, result, call);
    return next === result ? answer : { ...answer, ...readResult(next) };
  }

  /**
   * @param {import('../parts.js').ThreadIdentity} state
   * @param {import('../../../types/threads.js').Message} message
   * @param {{ mayRefuse?: boolean }} [options] a throw refuses the message
   */
  async beforeCreate(state, message, { mayRefuse = false } = {}) {
    let current = message;
    for (const hook of this.#of(state, 'before_create_message')) {
      try {
        const next = (await hook.execute(state, { ...current })) ?? current;
        current = { ...current, ...next, id: current.id };
      } catch (error) {
        if (mayRefuse) throw error;
        await this.#note(state, hook, error);
      }
    }
    return current;
  }

  /**
   * @param {import('../parts.js').ThreadIdentity} state
   * @param {any} hook
   * @param {unknown} error
   */
  #note(state, hook, error) {
    return noteError(this.#parts.store, state.threadId, {
      error: messageOf(error),
      error_type: 'hook_error',
      error_origin: `hook:${hook.id}`,
    });
  }
}

module.exports = { Hooks };
