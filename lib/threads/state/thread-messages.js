'use strict';
// The message methods of a ThreadState.

const { ThreadError } = require('../base/errors.js');
const { keys } = require('../store/keys.js');
const { prepareAttachments } = require('./files.js');
const { changeThread, innerOf } = require('./inner.js');
const messages = require('./messages.js');
const { enqueueMessage } = require('./queue.js');
const { ThreadFiles } = require('./thread-files.js');

/** @param {string} text */
const badMessage = (text) => new ThreadError('ERR_ISOBOX_THREAD_REQUEST', `A message ${text}`);

/** @param {string} id */
const unknownMessage = (id) =>
  new ThreadError('ERR_ISOBOX_THREAD_UNKNOWN', `There is no message ${id} in the history`);

class ThreadMessages extends ThreadFiles {
  /** @param {Parameters<typeof messages.listMessages>[2]} [options] */
  getMessages(options) {
    return messages.listMessages(innerOf(this).parts.store, this.threadId, options);
  }

  /** @param {string} id */
  getMessage(id) {
    return messages.readMessage(innerOf(this).parts.store, this.threadId, id);
  }

  /** @param {any} given */
  async injectMessage(given) {
    checkMessage(given, ['system', 'user', 'assistant']);
    const { role, content, silent = false, attachments } = given;
    const metadata = this.#mark(given.metadata);
    const prepared = await this.#prepare(attachments);
    const message = await innerOf(this).parts.hooks.beforeCreate(
      this,
      messages.newMessage({ role, content, silent, metadata }),
      { mayRefuse: true },
    );
    const row = await changeThread(this, (change) =>
      messages.addMessage(change, { ...message, ...attach(prepared, change) }),
    );
    await innerOf(this).parts.hooks.run('after_create_message', this, row);
    return row;
  }

  /**
   * @param {string} id
   * @param {{ content?: string, silent?: boolean, metadata?: object }} updates metadata is merged
   */
  async updateMessage(id, updates) {
    const old = await this.getMessage(id);
    if (old === null) throw unknownMessage(id);
    const wanted = await innerOf(this).parts.hooks.pass('before_update_message', this, updates, id);
    const place = keys.message(this.threadId, old.created_at);
    const row = await changeThread(
      this,
      (change) => {
        const [current] = change.values;
        if (current === undefined) throw unknownMessage(id);
        const metadata = wanted.metadata && { ...current.metadata, ...wanted.metadata };
        const { content = current.content, silent = current.silent } = wanted;
        const updated = { ...current, content, silent, metadata: metadata ?? current.metadata };
        messages.putMessage(change, updated);
        return updated;
      },
      [place],
    );
    await innerOf(this).parts.hooks.run('after_update_message', this, row);
    return row;
  }

  /**
   * Also takes back a queued message. What belongs to it goes with it: results of its tool calls, attached files.
   *
   * @param {string} id
   */
  async deleteMessage(id) {
    const { store } = innerOf(this).parts;
    const queued = (await messages.readQueue(store, this.threadId)).find(
      ({ item }) => item.message?.id === id,
    );
    const row = queued?.item.message ?? (await this.getMessage(id));
    if (row === null) return false;
    const calls = JSON.parse(row.tool_calls ?? '[]').map((/** @type {any} */ call) => call.id);
    const history = await messages.readHistory(store, this.threadId);
    const gone = [
      ...history.filter((one) => one.id === id),
      ...history.filter(
        ({ role, tool_call_id }) => role === 'tool' && calls.includes(tool_call_id),
      ),
    ];
    const reads =
      queued === undefined
        ? gone.map((one) => keys.message(this.threadId, one.created_at))
        : [queued.key];
    return changeThread(
      this,
      (change) => {
        if (change.values[0] === undefined) return false;
        if (queued !== undefined) {
          change.batch.delete(queued.key);
          change.batch.delete(keys.due(queued.at, this.threadId, 'queue'));
        }
        for (const one of gone) messages.removeMessage(change, one);
        for (const { path } of [row, ...gone].flatMap(
          ({ attachments = [] }) => attachments ?? [],
        )) {
          change.batch.delete(keys.file(this.threadId, path));
          change.batch.delete(keys.blob(this.threadId, path));
        }
        return true;
      },
      reads,
    );
  }

  /** @param {any} given */
  async queueMessage(given) {
    checkMessage(given, ['user', 'assistant']);
    const { role, content, silent = false, attachments } = given;
    const metadata = this.#mark(given.metadata);
    const prepared = await this.#prepare(attachments);
    const message = await changeThread(this, (change) =>
      enqueueMessage(change, {
        ...{ role, content, silent, metadata, source: 'queueMessage' },
        ...attach(prepared, change),
      }),
    );
    innerOf(this).parts.scheduler.wake(this.threadId);
    return { id: message.id };
  }

  /** @param {Record<string, any> | null} [metadata] */
  #mark(metadata = null) {
    const { marks } = innerOf(this);
    return marks === undefined ? metadata : { ...metadata, ...marks };
  }

  /** @param {unknown} attachments */
  #prepare(attachments) {
    return prepareAttachments(
      innerOf(this).parts.store,
      this.threadId,
      attachments === null ? undefined : attachments,
    );
  }
}

/**
 * @param {Awaited<ReturnType<typeof prepareAttachments>>} prepared
 * @param {import('../store/store.js').Change} change
 */
function attach(prepared, change) {
  return prepared.length === 0 ? {} : { attachments: prepared.map((place) => place(change)) };
}

/**
 * @param {any} given
 * @param {string[]} roles
 */
function checkMessage(given, roles) {
  if (typeof given !== 'object' || given === null) throw badMessage('must be an object');
  if (!roles.includes(given.role)) throw badMessage(`has a role of ${roles.join(', ')}`);
  if (typeof given.content !== 'string') throw badMessage('has content of text');
}

module.exports = { ThreadMessages, checkMessage };
