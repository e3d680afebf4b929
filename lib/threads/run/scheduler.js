'use strict';
// Finds threads with work to do and runs them, each under a lease: one flow per thread, whoever asks for it and in
// whichever process.

const { once } = require('node:events');

const { ThreadError, messageOf } = require('../base/errors.js');
const { keys, readTimed } = require('../store/keys.js');
const { readQueue } = require('../state/messages.js');
const { Flow } = require('./flow.js');
const { isGone } = require('./process-identity.js');

const RETRY_MS = 1000;
const LOOK_LIMIT = 10_000;
const CLOSE_GRACE_MS = 5000;
const MAX_TIMER_MS = 2 ** 31 - 1;

class Scheduler {
  #parts;
  /** @type {Map<string, import('../parts.js').Flow | null>} null while the lease is being taken */
  #flows = new Map();
  /** Threads that got work while their flow was ending. @type {Set<string>} */
  #again = new Set();
  #closed = false;
  /** Work was left because there was no room. */
  #isFull = false;
  /** @type {Promise<void> | undefined} */
  #polling;
  /** @type {{ at: number, timer: NodeJS.Timeout } | undefined} */
  #alarm;
  /** @type {NodeJS.Timeout | undefined} */
  #poll;
  /** @type {NodeJS.Timeout | undefined} */
  #renewal;

  /** @param {import('../parts.js').Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** Takes up what was left undone. */
  async start() {
    const { limits, store } = this.#parts;
    store.listen((id) => this.#heard(id));
    this.#poll = setInterval(() => void this.poll(), limits.pollMs).unref();
    this.#renewal = setInterval(() => this.#renew(), limits.leaseMs / 3).unref();
    await this.poll();
  }

  /** @param {string} id */
  executionOf(id) {
    return this.#flows.get(id)?.execution ?? null;
  }

  /** How many threads are at work here. */
  get active() {
    return this.#flows.size;
  }

  /** @param {string} id a thread that has work now, already in the store */
  wake(id) {
    if (this.#closed) return;
    if (this.#flows.has(id)) {
      this.#again.add(id);
      return;
    }
    // What does not fit is looked for when others are done.
    if (this.#working() >= this.#parts.limits.activeThreads) {
      this.#isFull = true;
      return;
    }
    this.#flows.set(id, null);
    void this.#run(id);
  }

  /**
   * @param {number} at microseconds
   * @param {string} id
   */
  wakeAt(at, id) {
    const { store } = this.#parts;
    if (at <= store.now()) this.wake(id);
    else this.#setAlarm(at);
  }

  /** Looks for work of any thread. */
  poll() {
    if (this.#closed) return Promise.resolve();
    this.#polling ??= this.#look()
      .catch((error) => this.#report('The store could not be searched for work', error))
      .finally(() => (this.#polling = undefined));
    return this.#polling;
  }

  async #look() {
    const { store } = this.#parts;
    const now = store.now();
    const seen = new Set();
    for (const { key } of await store.list('due/', {
      before: keys.due(now + 1, '', ''),
      limit: LOOK_LIMIT,
      unlocked: true,
    })) {
      seen.add(readTimed(key).id);
    }
    for (const id of seen) if (!this.#flows.has(id)) this.wake(id);
    const [next] = await store.list('due/', { from: keys.due(now + 1, '', ''), limit: 1 });
    if (next !== undefined) this.#setAlarm(readTimed(next.key).at);
  }

  /** @param {number} at */
  #setAlarm(at) {
    if (this.#closed || (this.#alarm !== undefined && this.#alarm.at <= at)) return;
    clearTimeout(this.#alarm?.timer);
    const ms = Math.min(
      MAX_TIMER_MS,
      Math.max(0, Math.ceil((at - this.#parts.store.now()) / 1000)),
    );
    const timer = setTimeout(() => {
      this.#alarm = undefined;
      void this.poll();
    }, ms);
    this.#alarm = { at, timer };
  }

  #working() {
    let count = 0;
    for (const flow of this.#flows.values()) if (!flow?.waits) count += 1;
    return count;
  }

  /** @param {string} id */
  async #run(id) {
    try {
      const flow = new Flow(this.#parts, id);
      if ((await flow.claim()) && !this.#closed) {
        this.#flows.set(id, flow);
        await flow.run();
      }
    } catch (error) {
      this.#failed(id, error);
    } finally {
      this.#flows.delete(id);
      this.#parts.events.emit('rest', id);
      if (this.#again.delete(id)) this.wake(id);
      else if (this.#isFull) {
        this.#isFull = false;
        void this.poll();
      }
    }
  }

  /**
   * @param {string} id
   * @param {unknown} error
   */
  #failed(id, error) {
    const code = error instanceof ThreadError ? error.code : '';
    if (code === 'ERR_ISOBOX_THREAD_FENCED' || code === 'ERR_ISOBOX_THREAD_UNKNOWN') return;
    if (this.#closed) return;
    this.#report(`Thread ${id} could not go on; it is tried again`, error);
    setTimeout(() => this.wake(id), RETRY_MS).unref();
  }

  /**
   * @param {string} text
   * @param {unknown} error
   */
  #report(text, error) {
    if (this.#closed) return;
    process.emitWarning(`${text}: ${messageOf(error)}`, { code: 'ISOBOX_THREADS' });
  }

  #renew() {
    for (const [id, flow] of this.#flows) {
      flow?.renew().catch((/** @type {any} */ error) => {
        if (error?.code === 'ERR_ISOBOX_THREAD_FENCED') flow.abort('fenced');
        else this.#report(`The lease of thread ${id} could not be renewed`, error);
      });
    }
  }

  /** @param {string} id another process has changed the thread */
  #heard(id) {
    const flow = this.#flows.get(id);
    if (flow) void flow.renew().catch(() => {});
    else this.wake(id);
  }

  /**
   * Ends what the thread does now, and parks what is queued until the next message of a user.
   *
   * @param {string} id
   */
  async stop(id) {
    const { store } = this.#parts;
    const rows = await readQueue(store, id);
    await store.change(id, ({ thread, batch }) => {
      thread.stopped = true;
      for (const { at } of rows) batch.delete(keys.due(at, id, 'queue'));
      batch.wakes.add(id);
    });
    this.#flows.get(id)?.abort('user_stop');
  }

  /** @param {string} id */
  async terminate(id) {
    const { store, subagents } = this.#parts;
    const rows = await readQueue(store, id);
    const effects = await store.list(`effect/${id}/`);
    const { parent } = await store.thread(id);
    const reads = parent === null ? [] : [keys.child(parent, id)];
    await store.change(
      id,
      (change) => {
        const { thread, batch, tick, values } = change;
        if (thread.terminated !== null) return;
        thread.terminated = tick();
        for (const { at } of rows) batch.delete(keys.due(at, id, 'queue'));
        for (const { value } of effects.filter((one) => one.value.status === 'pending')) {
          batch.put(keys.effect(id, value.id), { ...value, status: 'agent_canceled' });
          batch.delete(keys.due(value.scheduledAt, id, value.id));
        }
        if (values[0] !== undefined) subagents.putTerminated(batch, parent, values[0]);
        batch.wakes.add(id);
      },
      { reads, terminated: true },
    );
    const flow = this.#flows.get(id);
    flow?.abort('terminated');
    // Somebody else's flow ends at its next sign of life; one that nobody runs is ended here.
    if (!flow) this.wake(id);
  }

  /**
   * @param {string} [id]
   * @returns {Promise<void>} resolved when nothing is under way or due, of the thread and its children
   */
  async idle(id) {
    const { events } = this.#parts;
    for (;;) {
      const isIdle = id === undefined ? await this.#allIdle() : await this.#isIdle(id);
      if (isIdle || this.#closed) return;
      const timer = new AbortController();
      const again = setTimeout(() => timer.abort(), 100);
      await once(events, 'rest', { signal: timer.signal }).catch(() => {});
      clearTimeout(again);
    }
  }

  async #allIdle() {
    const { store } = this.#parts;
    if (this.#flows.size > 0) return false;
    const due = await store.list('due/', { before: keys.due(store.now() + 1, '', '') });
    for (const { key } of due) {
      const thread = await store.get(keys.thread(readTimed(key).id));
      const isElsewhere =
        thread?.lease && thread.lease.owner !== this.#parts.owner && !isGone(thread.lease.owner);
      if (!isElsewhere) {
        void this.poll();
        return false;
      }
    }
    return this.#flows.size === 0;
  }

  /**
   * @param {string} id
   * @returns {Promise<boolean>}
   */
  async #isIdle(id) {
    const { store } = this.#parts;
    if (this.#flows.has(id)) return false;
    const thread = await store.get(keys.thread(id));
    if (thread === undefined) return true;
    if ((await store.get(keys.flow(id))) !== undefined) return false;
    if (thread.terminated === null && !thread.stopped) {
      if ((await store.list(`queue/${id}/`, { limit: 1 })).length > 0) return false;
      const effects = await store.list(`effect/${id}/`);
      const now = store.now();
      const isDue = (/** @type {any} */ { value }) =>
        ['pending', 'processing'].includes(value.status) && value.scheduledAt <= now;
      if (effects.some(isDue)) return false;
    }
    for (const { value } of await store.list(`child/${id}/`)) {
      if (!(await this.#isIdle(value.reference))) return false;
    }
    return !this.#flows.has(id);
  }

  async close() {
    this.#closed = true;
    clearInterval(this.#poll);
    clearInterval(this.#renewal);
    clearTimeout(this.#alarm?.timer);
    for (const flow of this.#flows.values()) flow?.abort('closing');
    const until = Date.now() + CLOSE_GRACE_MS;
    while (this.#flows.size > 0 && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await this.#polling;
  }
}

module.exports = { Scheduler };
