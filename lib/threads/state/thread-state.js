'use strict';
// What tools, hooks, effects and callers of the runtime hold of a thread.

const { randomUUID } = require('node:crypto');

const { ThreadError } = require('../base/errors.js');
const { cancelEffect, scheduleEffect } = require('./effects.js');
const { readEnv, refuse: refuseEnv } = require('./env.js');
const { changeThread, innerOf } = require('./inner.js');
const { enqueue } = require('./queue.js');
const { ThreadMessages } = require('./thread-messages.js');
const { getValue, setValue } = require('./values.js');

class ThreadState extends ThreadMessages {
  /** @type {Record<string, unknown>} */
  #context = {};

  get context() {
    return this.execution?.context ?? this.#context;
  }

  set context(context) {
    const { execution } = this;
    if (execution === null) this.#context = context;
    else execution.context = context;
  }

  // Tools and agents

  /**
   * @param {string} name
   * @param {object} [args]
   */
  async queueTool(name, args = {}) {
    innerOf(this).parts.tools.checkUse(this.execution, name);
    const call = newCall(name, args);
    await changeThread(this, (change) => enqueue(change, { kind: 'tool', call }));
    innerOf(this).parts.scheduler.wake(this.threadId);
    return { id: call.id };
  }

  /**
   * Runs a tool now and gives its result; nothing is stored.
   *
   * @param {string} name
   * @param {object} [args]
   */
  invokeTool(name, args = {}) {
    return innerOf(this).parts.tools.invoke(this, newCall(name, args));
  }

  /** @param {string} name hands the thread to another agent, whose side A goes on */
  async runAgent(name) {
    innerOf(this).parts.library.agent(name);
    await changeThread(this, (change) => {
      change.thread.agent_name = name;
      enqueue(change, { kind: 'continue', side: 'a' });
    });
    innerOf(this).parts.scheduler.wake(this.threadId);
  }

  /** @param {string} name */
  async loadAgent(name) {
    return innerOf(this).parts.library.agent(name);
  }

  /** @param {string} name */
  async loadPrompt(name) {
    return innerOf(this).parts.library.prompt(name);
  }

  /** @param {string} name */
  async loadModel(name) {
    return innerOf(this).parts.library.model(name);
  }

  async getAgentNames() {
    return [...innerOf(this).parts.library.agents.keys()];
  }

  async getPromptNames() {
    return [...innerOf(this).parts.library.prompts.keys()];
  }

  async getModelNames() {
    return [...innerOf(this).parts.library.models.keys()];
  }

  /**
   * @param {string} source
   * @param {import('../../../types/run-code.js').CodeExecutionOptions | null} [options]
   */
  runCode(source, options) {
    return innerOf(this).parts.startCode(source, options, this.execution?.abortSignal);
  }

  // Values and variables

  /** @param {string} key */
  getValue(key) {
    return getValue(innerOf(this).parts.store, this.threadId, key);
  }

  /**
   * @param {string} key
   * @param {unknown} value
   */
  async setValue(key, value) {
    const changed = await setValue(
      innerOf(this).parts.store,
      this.threadId,
      key,
      value,
      innerOf(this).token,
    );
    if (changed) this.emit('kv_changed', { key });
  }

  /** @param {string} name */
  async env(name) {
    const value = await innerOf(this).parts.env.find(this, name);
    if (value === undefined) throw refuseEnv(`The variable ${name} is not set`);
    return value;
  }

  /** @param {string} name */
  async envType(name) {
    const { types } = await readEnv(
      innerOf(this).parts.store,
      innerOf(this).parts.cipher(),
      this.threadId,
    );
    return types[name] ?? 'secret';
  }

  /**
   * @param {string} name
   * @param {string} value
   * @param {{ type?: 'text' | 'secret' }} [options]
   */
  setEnv(name, value, { type } = {}) {
    return innerOf(this).parts.env.set(this.threadId, name, value, type, innerOf(this).token);
  }

  // Other threads

  /** @param {string} text */
  async notifyParent(text) {
    await innerOf(this).parts.subagents.notifyParent(
      this.threadId,
      filledText(text, 'notifyParent'),
    );
  }

  /** @param {string} text */
  async setStatus(text) {
    await innerOf(this).parts.subagents.setStatus(this.threadId, filledText(text, 'setStatus'));
  }

  /** @param {{ result?: string, notifyParent?: boolean, status?: string }} [end] */
  stopSession(end = {}) {
    const { execution } = this;
    if (execution === null) {
      throw new ThreadError(
        'ERR_ISOBOX_THREAD_REQUEST',
        'stopSession: the thread does not execute',
      );
    }
    execution.endSession(end);
  }

  /** @param {string} reference */
  async getChildThread(reference) {
    if (!innerOf(this).snapshot.children.has(reference)) return null;
    return innerOf(this).parts.state(reference);
  }

  async getParentThread() {
    const { parent } = innerOf(this).snapshot.thread;
    return parent === null ? null : innerOf(this).parts.state(parent);
  }

  // Effects, logs, the end

  /**
   * @param {string} name
   * @param {unknown} [args]
   * @param {number} [delayMs]
   */
  async scheduleEffect(name, args = {}, delayMs = 0) {
    const effect = await scheduleEffect(
      innerOf(this).parts,
      this.threadId,
      name,
      args,
      delayMs,
      innerOf(this).token,
    );
    this.emit('effect_changed', { id: effect.id });
    innerOf(this).parts.scheduler.wakeAt(effect.scheduledAt, this.threadId);
    return effect.id;
  }

  /** @param {string} [name] */
  async getScheduledEffects(name) {
    const rows = await innerOf(this).parts.store.list(`effect/${this.threadId}/`);
    return rows
      .map(({ value }) => value)
      .filter((one) => one.status === 'pending' && (name === undefined || one.name === name))
      .map(({ id, name: own, args, scheduledAt, createdAt }) => ({
        id,
        name: own,
        args,
        scheduledAt,
        createdAt,
      }));
  }

  /** @param {string} id */
  removeScheduledEffect(id) {
    return cancelEffect(
      innerOf(this).parts.store,
      this.threadId,
      id,
      'agent_canceled',
      innerOf(this).token,
    );
  }

  /** @param {{ limit?: number, offset?: number, order?: 'asc' | 'desc' }} [options] */
  async getLogs({ limit = 100, offset = 0, order = 'asc' } = {}) {
    const page = { reverse: true, limit: offset + limit };
    const rows = await innerOf(this).parts.store.list(`log/${this.threadId}/`, page);
    const newest = rows.slice(offset).map(({ value }) => value);
    return order === 'desc' ? newest : newest.reverse();
  }

  terminate() {
    return innerOf(this).parts.scheduler.terminate(this.threadId);
  }
}

/**
 * @param {unknown} text
 * @param {string} method
 */
function filledText(text, method) {
  if (typeof text === 'string' && text.trim() !== '') return text;
  throw new ThreadError('ERR_ISOBOX_THREAD_REQUEST', `${method} takes a text that is not blank`);
}

/**
 * @param {string} name
 * @param {object} args
 * @returns {import('../../../types/threads.js').ToolCall}
 */
function newCall(name, args) {
  if (typeof name !== 'string' || name === '') throw new TypeError('A tool must have a name');
  return {
    id: `call_${randomUUID()}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args ?? {}) },
    queued_at: Date.now() * 1000,
  };
}

module.exports = { ThreadState };
