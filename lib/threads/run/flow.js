'use strict';
// One thread at work, under a lease: it starts from what is queued, goes step by step, and is at rest again when nothing
// is left. Everything it knows is in the store before it goes on, so that another process can take over at any point.

const { isFatal, messageOf, unknownThread } = require('../base/errors.js');
const { keys } = require('../store/keys.js');
const messages = require('../state/messages.js');
const { dequeue } = require('../state/queue.js');
const { findDueEffect, runDueEffect } = require('./effect-run.js');
const { Execution } = require('./execution.js');
const { newRecord } = require('./flow-record.js');
const { finish, interrupt } = require('./finish.js');
const { runHandlerStep } = require('./handler-step.js');
const { runImmediate } = require('./immediate.js');
const { leaseEnd, takeLease } = require('./lease.js');
const { runModelStep } = require('./model-step.js');
const { recover } = require('./recovery.js');
const { answererOf, roleOf, sideOf } = require('./sides.js');
const { reachedCap, settleStep } = require('./stop-conditions.js');
const { runCalls } = require('./tool-step.js');

/** @typedef {import('./flow-record.js').FlowRecord} FlowRecord */

class Flow {
  /** Null at rest. @type {import('../parts.js').Execution | null} */
  execution = null;
  /** @type {FlowRecord | null} */
  #record = null;
  /** @type {'closing' | 'fenced' | null} */
  #left = null;
  #seenWork = -1;
  #waits = false;
  #isReleased = false;

  /** Rows that were taken up with the lease. @type {import('../../../types/threads.js').Message[]} */
  #fresh = [];
  /** Of the lease. */
  token = 0;
  /** Under the lease. @type {import('../parts.js').ThreadState} */
  state = /** @type {any} */ (undefined);

  /**
   * @param {import('../parts.js').Parts} parts
   * @param {string} id the thread's
   */
  constructor(parts, id) {
    this.parts = parts;
    this.id = id;
  }

  /** While a child is awaited: such a flow takes no room. */
  get waits() {
    return this.#waits;
  }

  /** @param {boolean} waits */
  waiting(waits) {
    this.#waits = waits;
  }

  /** @returns {FlowRecord} while there is one */
  get record() {
    return /** @type {FlowRecord} */ (this.#record);
  }

  /**
   * Takes the lease. What is queued is taken up in the same transaction, unless something comes before it: an execution to
   * go on with, an effect, or a hook that sees messages first.
   *
   * @returns {Promise<boolean>} false when another process has the thread
   */
  async claim() {
    const { store } = this.parts;
    const before = await store.thread(this.id);
    const rows = (await this.#queueIsNext(before)) ? await messages.readQueue(store, this.id) : [];
    const places = [keys.thread(this.id), keys.flow(this.id), ...rows.map(({ key }) => key)];
    const fresh = await store.transact(places, ([thread, record, ...values], batch) => {
      this.#record = null;
      if (thread === undefined) throw unknownThread(this.id);
      const token = takeLease(this.parts, thread);
      if (token === null) return null;
      this.token = token;
      const change = { thread, values, batch, tick: () => store.tick(thread) };
      const isFree = record === undefined && thread.terminated === null && !thread.stopped;
      const created = isFree ? this.#takeUp(change, rows) : [];
      store.putThread(batch, thread);
      return created;
    });
    if (fresh === null) return false;
    this.#fresh = fresh;
    this.#seenWork = before.work;
    this.state = /** @type {import('../parts.js').ThreadState} */ (
      await this.parts.state(this.id, { token: this.token })
    );
    return true;
  }

  /** @param {import('../store/thread-record.js').ThreadRecord} thread */
  async #queueIsNext({ agent_name: agent, work }) {
    const { store, hooks } = this.parts;
    if (work === 0 || hooks.has(agent, 'before_create_message')) return false;
    return (await findDueEffect(store, this.id)) === undefined;
  }

  /** Until there is nothing left to do. */
  async run() {
    const { store } = this.parts;
    if (this.#record !== null) {
      this.#begin(this.record);
      await this.#created(this.#fresh);
      await this.#steps();
    }
    while (this.#left === null && !this.#isReleased) {
      const thread = await store.thread(this.id);
      this.#seenWork = thread.work;
      const record = await store.get(keys.flow(this.id));
      if (record !== undefined) {
        // What is queued has not been looked at yet.
        this.#seenWork = -1;
        this.#begin(record);
        if (thread.stopped) this.execution?.abort('user_stop');
        if (thread.terminated !== null) this.execution?.abort('terminated');
        await recover(this);
        await this.#steps();
      } else if (!(await this.#startWork(thread)) && (await this.#release())) return;
    }
    if (this.#left === 'closing' && !this.#isReleased) await this.#release();
  }

  /** @param {import('../store/thread-record.js').ThreadRecord} thread */
  async #startWork(thread) {
    if (thread.terminated !== null) return false;
    if (await runDueEffect(this)) return true;
    if (thread.stopped || !(await this.drain())) return false;
    await this.#steps();
    return true;
  }

  /** @param {FlowRecord} record */
  #begin(record) {
    this.#record = record;
    this.execution = new Execution(record.id);
    this.showExecution();
  }

  /** Step by step, until the record is gone or the flow has to leave. */
  async #steps() {
    while (this.#record !== null && this.#left === null) {
      const reason = this.execution?.abortSignal.aborted ? this.execution.stoppedBy : undefined;
      if (reason === 'user_stop' || reason === 'terminated') await interrupt(this, reason);
      else await this.#step();
    }
    if (this.#record === null) this.execution = null;
  }

  /** What goes wrong in a step ends the execution; a store or a lease that is gone ends the flow. */
  async #step() {
    try {
      await (this.isInTools() ? this.#toolPhase() : this.#modelPhase());
    } catch (error) {
      if (isFatal(error) || this.#record === null) throw error;
      await finish(this, { code: 'step_error', error: messageOf(error), isFailure: true });
    }
  }

  async #modelPhase() {
    await this.drain();
    if (this.isInTools()) return;
    const side = sideOf(this.parts.library.agent(this.state.agentId), this.record.side);
    if (side.handler === undefined) await runImmediate(this);
    if (this.isInTools() || this.execution?.abortSignal.aborted) return;
    const cap = await reachedCap(this);
    if (cap !== undefined) await finish(this, { code: cap });
    else if (side.handler === undefined) await runModelStep(this);
    else await runHandlerStep(this, side);
  }

  /** Calls are to be run before the next request. */
  isInTools() {
    return this.record.phase === 'tools';
  }

  async #toolPhase() {
    if (await runCalls(this)) await settleStep(this);
  }

  /**
   * Moves all that is queued into the history, in one transaction with the record of this flow. The first row decides
   * who plays. Queued tools become one row with their calls.
   *
   * @returns {Promise<boolean>} whether there was anything
   */
  async drain() {
    const { store, hooks } = this.parts;
    const { work } = await store.thread(this.id);
    const rows = await messages.readQueue(store, this.id);
    this.#seenWork = work;
    if (rows.length === 0) return false;
    for (const { item } of rows) {
      if (item.kind === 'message') {
        item.message = await hooks.beforeCreate(this.state, item.message);
      }
    }
    const added = await this.write(
      (change) => this.#takeUp(change, rows),
      rows.map(({ key }) => key),
    );
    if (this.#record === null) return false;
    if (this.execution === null) this.#begin(this.record);
    await this.#created(added);
    return true;
  }

  /**
   * @param {import('../store/store.js').Change} change its values are the rows, as they are now
   * @param {Awaited<ReturnType<typeof messages.readQueue>>} rows
   * @returns {import('../../../types/threads.js').Message[]}
   */
  #takeUp(change, rows) {
    const present = rows.filter((_row, index) => change.values[index] !== undefined);
    if (present.length === 0) return [];
    for (const row of present) dequeue(change, row);
    const items = present.map(({ item }) => item);
    const created = items
      .filter(({ kind }) => kind === 'message')
      .map(({ message }) => messages.addMessage(change, message));
    const start = created[0]?.created_at ?? change.tick();
    this.#record ??= newRecord(start);
    const [first] = items;
    const side = first.kind === 'message' ? answererOf(first.message.role) : first.side;
    if (side !== undefined) this.record.side = side;
    const calls = items.filter(({ kind }) => kind === 'tool').map(({ call }) => call);
    if (calls.length > 0) created.push(this.addCalls(change, calls));
    change.batch.put(keys.due(this.record.dueAt, this.id, 'flow'), 0);
    this.save(change);
    return created;
  }

  /** @param {import('../../../types/threads.js').Message[]} rows */
  async #created(rows) {
    for (const row of rows) await this.parts.hooks.run('after_create_message', this.state, row);
  }

  /**
   * A row with calls that no model made; they are run before the next request.
   *
   * @param {import('../store/store.js').Change} change
   * @param {import('../../../types/threads.js').ToolCall[]} calls
   */
  addCalls(change, calls) {
    const row = messages.addMessage(
      change,
      messages.newMessage({
        role: roleOf(this.record.side),
        tool_calls: JSON.stringify(calls),
        metadata: { status_kind: 'runtime_tool_invocation' },
      }),
    );
    Object.assign(this.record, {
      phase: 'tools',
      messageId: row.id,
      logId: null,
      content: null,
      calls,
      next: 0,
      started: null,
      results: [],
    });
    return row;
  }

  /** The record as `state.execution` tells it. */
  showExecution() {
    if (this.execution === null || this.#record === null) return;
    const { side, steps } = this.#record;
    Object.assign(this.execution, {
      currentSide: side,
      stepCount: steps.all,
      sideAStepCount: steps.a,
      sideBStepCount: steps.b,
    });
  }

  /**
   * @template T
   * @param {(change: import('../store/store.js').Change) => T} decide
   * @param {string[]} [reads]
   * @param {{ quiet?: boolean }} [options]
   */
  write(decide, reads = [], { quiet = false } = {}) {
    const before = JSON.stringify(this.#record);
    let isAgain = false;
    return this.parts.store.change(
      this.id,
      (change) => {
        // An engine may decide twice: the second time the record is as it was.
        if (isAgain) this.#record = Object.assign(this.#record ?? {}, JSON.parse(before));
        isAgain = true;
        return decide(change);
      },
      { token: this.token, reads, terminated: true, quiet },
    );
  }

  /** @param {import('../store/store.js').Change} change */
  save({ batch }) {
    batch.put(keys.flow(this.id), this.record);
    this.showExecution();
  }

  /**
   * The execution is over. With nothing else to do, the thread is given back in the same transaction.
   *
   * @param {import('../store/store.js').Change} change
   */
  remove({ thread, batch }) {
    batch.delete(keys.flow(this.id));
    batch.delete(keys.due(this.record.dueAt, this.id, 'flow'));
    this.#isReleased = thread.work === this.#seenWork;
    if (this.#isReleased) thread.lease = null;
  }

  /** After `remove` is durable. */
  forget() {
    this.#record = null;
  }

  /** @returns {Promise<boolean>} false when work has come in meanwhile */
  #release() {
    return this.write(({ thread }) => {
      if (this.#left === null && thread.work !== this.#seenWork) return false;
      thread.lease = null;
      return true;
    });
  }

  /** A sign of life, and a look at what others want of the thread. */
  async renew() {
    const wish = await this.write(
      ({ thread }) => {
        if (thread.lease !== null) thread.lease.expires = leaseEnd(this.parts);
        return { stopped: thread.stopped, terminated: thread.terminated !== null };
      },
      [],
      { quiet: true },
    );
    if (wish.terminated) this.abort('terminated');
    else if (wish.stopped) this.abort('user_stop');
  }

  /** @param {'user_stop' | 'terminated' | 'closing' | 'fenced'} reason */
  abort(reason) {
    if (reason === 'closing' || reason === 'fenced') this.#left ??= reason;
    this.execution?.abort(reason);
  }
}

module.exports = { Flow };
