'use strict';
// What a ThreadState keeps to itself: tools and hooks hold the state, and have no use for the rest.

/**
 * @typedef {object} View as whom somebody holds the state
 * @property {number} [token] the lease of the flow that holds it; without it the state is a caller's
 * @property {boolean} [isAtRest] its execution is nobody's business: the holder stands beside it
 * @property {object} [marks] metadata of every message that the holder writes
 *
 * @typedef {View & {
 *   parts: import('../parts.js').Parts,
 *   snapshot: NonNullable<Awaited<ReturnType<import('../parts.js').Snapshots['load']>>>,
 * }} Inner
 */

/** Who a thread is, and the way to change it. */
class ThreadIdentity {
  #inner;

  /** @param {Inner} inner */
  constructor(inner) {
    this.#inner = inner;
  }

  /** For the classes that make up a ThreadState. @param {InstanceType<typeof ThreadIdentity>} state */
  static innerOf(state) {
    return state.#inner;
  }

  get threadId() {
    return this.#inner.snapshot.thread.id;
  }

  get agentId() {
    return this.#inner.snapshot.thread.agent_name;
  }

  get userId() {
    return this.#inner.snapshot.thread.user_id;
  }

  /** Microseconds. */
  get createdAt() {
    return this.#inner.snapshot.thread.created_at;
  }

  get terminated() {
    return this.#inner.snapshot.thread.terminated;
  }

  get arguments() {
    return structuredClone(this.#inner.snapshot.thread.arguments);
  }

  get children() {
    return [...this.#inner.snapshot.children.values()]
      .sort((a, b) => a.createdAt - b.createdAt)
      .map((entry) => ({ ...entry }));
  }

  /** Null at rest. */
  get execution() {
    const { parts, isAtRest = false } = this.#inner;
    return isAtRest ? null : parts.scheduler.executionOf(this.threadId);
  }

  /**
   * For those who follow the thread now; not durable.
   *
   * @param {string} event
   * @param {unknown} [data]
   */
  emit(event, data) {
    this.#inner.parts.events.emit('event', {
      threadId: this.threadId,
      eventType: event,
      data,
      timestamp: Date.now(),
    });
  }
}

const { innerOf } = ThreadIdentity;

/**
 * @template T
 * @param {InstanceType<typeof ThreadIdentity>} state
 * @param {(change: import('../store/store.js').Change) => T} decide
 * @param {string[]} [reads]
 */
function changeThread(state, decide, reads = []) {
  const { parts, token } = innerOf(state);
  return parts.store.change(state.threadId, decide, { token, reads });
}

module.exports = { ThreadIdentity, changeThread, innerOf };
