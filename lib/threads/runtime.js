'use strict';
// The runtime: threads of agents over a store.

const { randomUUID } = require('node:crypto');
const { EventEmitter } = require('node:events');

const { checkNumber, checkRecord, checkString } = require('../checks/options.js');
const { createStarter } = require('../run-code/create-run-code.js');
const { Library } = require('./definitions/library.js');
const { ThreadError } = require('./base/errors.js');
const { Hooks } = require('./run/hooks.js');
const { newOwner, retireOwner } = require('./run/process-identity.js');
const { Scheduler } = require('./run/scheduler.js');
const { Subagents } = require('./run/subagents.js');
const { Tools } = require('./run/tools.js');
const { createHandler } = require('./serve/handler.js');
const { EnvCipher, checkEnv, keyBeside, readKey } = require('./state/env.js');
const { EnvLookup } = require('./state/env-lookup.js');
const { prepareAttachments } = require('./state/files.js');
const { toJson } = require('./state/json-value.js');
const { clearStop, enqueue, enqueueMessage } = require('./state/queue.js');
const { Snapshots } = require('./state/snapshots.js');
const { checkMessage } = require('./state/thread-messages.js');
const { ThreadState } = require('./state/thread-state.js');
const { OF_THREAD, keys } = require('./store/keys.js');
const { isDatabase, openStore } = require('./store/open-store.js');
const { unlistThread } = require('./store/thread-list.js');
const { newThreadRecord } = require('./store/thread-record.js');

/** @typedef {import('./parts.js').Parts} Parts */

/** @type {import('./parts.js').Limits} */
const DEFAULT_LIMITS = Object.freeze({
  leaseMs: 10_000,
  pollMs: 2000,
  activeThreads: 1000,
  stepsPerExecution: 250,
  firstChunkMs: 120_000,
  stallMs: 45_000,
  retryDelayMs: 1000,
});

/** How long others can see that a thread was deleted. */
const DELETED_FOR_MS = 10 * 60_000;

const OPTIONS = [
  'store',
  'agents',
  'prompts',
  'models',
  'hooks',
  'tools',
  'effects',
  'handlers',
  'endpoints',
  'limits',
  'encryptionKey',
  'host',
];

class ThreadRuntime {
  #parts;
  #isClosed = false;
  /** @type {ReturnType<typeof createHandler>[]} */
  #handlers = [];

  /** @param {Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {any} given */
  async createThread(given) {
    this.#checkOpen();
    const options = checkRecord(given ?? {}, 'createThread', [
      'agent',
      'env',
      'envTypes',
      'arguments',
      'userId',
      'tags',
      'properties',
    ]);
    const { store, library, cipher, hooks, state } = this.#parts;
    const agent = library.agent(checkString(options.agent, 'agent'));
    const env = checkEnv(options.env, options.envTypes);
    const record = newThreadRecord(
      {
        id: randomUUID(),
        agent_name: agent.name,
        user_id: options.userId ?? null,
        tags: options.tags ?? [],
        arguments: plainRecord(options.arguments, 'arguments'),
        properties: plainRecord(options.properties, 'properties'),
      },
      store.now(),
    );
    const hasEnv = Object.keys(env.values).length + Object.keys(env.types).length > 0;
    const sealed = hasEnv ? cipher().seal(env) : undefined;
    await store.transact([], (_values, batch) => {
      // This may be decided twice.
      store.putThread(batch, { ...record });
      if (sealed !== undefined) batch.put(keys.env(record.id), { sealed });
    });
    const thread = /** @type {import('./parts.js').ThreadState} */ (await state(record.id));
    await hooks.run('after_thread_created', thread);
    return thread;
  }

  /** @param {string} id */
  async thread(id) {
    this.#checkOpen();
    return this.#parts.state(checkString(id, 'id'));
  }

  /**
   * @param {string} id
   * @param {any} given
   */
  async send(id, given) {
    this.#checkOpen();
    const message = { role: 'user', ...given };
    checkMessage(message, ['user', 'assistant']);
    const { content, role, attachments, silent = false, metadata = null } = message;
    const { store, scheduler } = this.#parts;
    const prepared = await prepareAttachments(store, id, attachments ?? []);
    const queued = await store.change(id, (change) => {
      if (role === 'user') clearStop(change);
      const refs = prepared.map((place) => place(change));
      return enqueueMessage(change, {
        ...{ role, content, silent, metadata, source: 'send' },
        ...(refs.length > 0 && { attachments: refs }),
      });
    });
    scheduler.wake(id);
    return { messageId: queued.id };
  }

  /**
   * Goes on where a thread was stopped, with the side that is given.
   *
   * @param {string} id
   * @param {'a' | 'b'} [side]
   */
  async continue(id, side = 'a') {
    this.#checkOpen();
    const { store, scheduler } = this.#parts;
    await store.change(id, (change) => {
      clearStop(change);
      enqueue(change, { kind: 'continue', side });
    });
    scheduler.wake(id);
  }

  /** @param {string} id */
  async stop(id) {
    this.#checkOpen();
    return this.#parts.scheduler.stop(id);
  }

  /**
   * Deletes a thread with everything it has, and its children before it.
   *
   * @param {string} id
   * @returns {Promise<boolean>}
   */
  async deleteThread(id) {
    this.#checkOpen();
    const { store, scheduler } = this.#parts;
    const thread = await store.get(keys.thread(id));
    if (thread === undefined) return false;
    await scheduler.terminate(id);
    for (const { value } of await store.list(`child/${id}/`)) {
      await this.deleteThread(value.reference);
    }
    await scheduler.idle(id);
    await store.transact([keys.thread(id)], ([current], batch) => {
      if (current === undefined) return;
      batch.delete(keys.thread(id));
      noteDeleted(store, batch, current);
      for (const kind of OF_THREAD) batch.deleteAll(`${kind}/${id}/`);
      if (current.parent !== null) batch.delete(keys.child(current.parent, id));
    });
    return true;
  }

  /**
   * Subagents of a thread that wait for variables (section 7.5).
   *
   * @param {string} id
   */
  variableRequests(id) {
    this.#checkOpen();
    const { subagents } = this.#parts;
    return {
      get: async (/** @type {string} */ request) =>
        (await subagents.variableRequest(id, request)) ?? null,
      complete: (/** @type {string} */ request, /** @type {Record<string, string>} */ env) =>
        subagents.completeRequest(id, request, checkEnv(env).values),
    };
  }

  /** @param {string} [id] */
  async idle(id) {
    this.#checkOpen();
    return this.#parts.scheduler.idle(id);
  }

  /** @param {{ tokens: string[] | Record<string, { user?: string }>, page?: boolean }} options */
  handler(options) {
    this.#checkOpen();
    const handler = createHandler(this.#parts, this, options);
    this.#handlers.push(handler);
    return handler;
  }

  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const handler of this.#handlers) handler.close();
    const { scheduler, store, owner } = this.#parts;
    await scheduler.close();
    await store.close();
    retireOwner(owner);
  }

  [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    return this.close();
  }

  #checkOpen() {
    if (this.#isClosed) throw new ThreadError('ERR_ISOBOX_THREAD_CLOSED', 'The runtime is closed');
  }
}

/**
 * @param {any} given
 * @returns {Promise<InstanceType<typeof ThreadRuntime>>}
 */
async function createThreadRuntime(given) {
  const options = checkRecord(given, 'createThreadRuntime', OPTIONS);
  const address = checkString(options.store, 'store');
  const limits = readLimits(options.limits);
  const givenKey = options.encryptionKey === undefined ? undefined : readKey(options.encryptionKey);
  const library = new Library(options);
  const startCode = createStarter({ host: options.host });
  const store = await openStore(address);
  /** @type {import('./parts.js').EnvCipher | undefined} */
  let cipher;
  const snapshots = new Snapshots(store);
  /** @type {Parts} */
  const parts = /** @type {any} */ ({
    store,
    library,
    limits,
    startCode,
    owner: newOwner(),
    events: new EventEmitter().setMaxListeners(0),
    cipher: () => (cipher ??= new EnvCipher(givenKey ?? keyOf(address))),
    state: async (
      /** @type {string} */ id,
      /** @type {import('./state/inner.js').View} */ view = {},
    ) => {
      const snapshot = await snapshots.load(id);
      return snapshot === null ? null : new ThreadState({ parts, snapshot, ...view });
    },
  });
  parts.env = new EnvLookup(parts);
  parts.hooks = new Hooks(parts);
  parts.tools = new Tools(parts);
  parts.subagents = new Subagents(parts);
  parts.scheduler = new Scheduler(parts);
  await parts.scheduler.start();
  return new ThreadRuntime(parts);
}

/**
 * @param {import('./parts.js').Store} store
 * @param {import('./parts.js').Batch} batch
 * @param {import('./store/thread-record.js').ThreadRecord} thread
 */
function noteDeleted(store, batch, thread) {
  const { id, user_id, touched } = thread;
  const now = store.now();
  batch.delete(keys.touched(touched, id));
  unlistThread(batch, thread);
  batch.put(keys.deleted(now, id), { user_id });
  batch.deleteBefore('deleted/', keys.deleted(now - DELETED_FOR_MS * 1000, ''));
}

/** @param {string} address */
function keyOf(address) {
  if (!isDatabase(address)) return keyBeside(address);
  throw new ThreadError(
    'ERR_ISOBOX_THREAD_ENV',
    'Variables in a database are encrypted with a key of yours: give createThreadRuntime an encryptionKey of 32 bytes',
  );
}

/** @param {any} given */
function readLimits(given) {
  const limits = checkRecord(given, 'limits', Object.keys(DEFAULT_LIMITS));
  for (const [name, value] of Object.entries(limits)) {
    checkNumber(value, `limits.${name}`, { min: 1, max: 2 ** 31 - 1 });
  }
  return { ...DEFAULT_LIMITS, ...limits };
}

/**
 * @param {unknown} value
 * @param {string} name
 */
function plainRecord(value = {}, name) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${name} must be an object`);
  }
  return JSON.parse(toJson(value));
}

module.exports = { ThreadRuntime, createThreadRuntime };
