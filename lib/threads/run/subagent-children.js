'use strict';
// Makes the children of threads: all a child is made of is one transaction of its parent. A child that needs variables
// which nobody has given waits for them.

const { randomUUID } = require('node:crypto');

const { ThreadError } = require('../base/errors.js');
const { readEnv } = require('../state/env.js');
const { prepareCopies } = require('../state/files.js');
const { addMessage, newMessage } = require('../state/messages.js');
const { enqueueMessage } = require('../state/queue.js');
const { keys } = require('../store/keys.js');
const { newThreadRecord } = require('../store/thread-record.js');
const { SubagentReports } = require('./subagent-reports.js');

/** @typedef {import('../parts.js').Flow} Flow */
/** @typedef {import('./tools.js').Answer} Answer */
/** @typedef {import('./tools.js').Target} Target */
/** @typedef {import('../store/store.js').Change} Change */
/** @typedef {import('../../../types/threads.js').ToolCall} ToolCall */

/**
 * @typedef {object} ParentLink
 * @property {string | null} waitFor the parent's call that waits for this session
 * @property {boolean} resumable
 * @property {boolean} explicit the parent is told only what code tells it
 * @property {'a' | 'b'} owner the parent's side
 * @property {'user' | 'assistant'} receives the role of messages from the parent
 *
 * @typedef {object} Wish what a child is to be
 * @property {Target} target
 * @property {string} name
 * @property {string} message
 * @property {unknown} attachments paths of the parent
 * @property {Record<string, any>} args
 * @property {Record<string, string>} env scoped values for the child alone
 */

class SubagentChildren extends SubagentReports {
  /**
   * Everything a child is made of, for one transaction of its parent.
   *
   * @param {string} parent
   * @param {'a' | 'b'} owner
   * @param {Wish} wish
   * @param {string | null} waitFor
   */
  async prepareChild(parent, owner, { target, name, message, attachments, args, env }, waitFor) {
    const { store, cipher, env: lookup } = this.parts;
    const { entry, definition } = target;
    const id = randomUUID();
    const copies = await prepareCopies(store, parent, attachments);
    const inherited =
      (await store.get(keys.env(parent))) && (await readEnv(store, cipher(), parent));
    const scoped = new Set(
      lookup
        .graphOf(definition.name)
        .filter((one) => one.scoped)
        .map((one) => one.name),
    );
    const values = Object.fromEntries(
      Object.entries(inherited?.values ?? {}).filter(([key]) => !scoped.has(key)),
    );
    const types = {
      ...inherited?.types,
      ...Object.fromEntries(Object.keys(env).map((key) => [key, /** @type {const} */ ('secret')])),
    };
    const receives = entry.resumable?.receives_messages === 'side_b' ? 'assistant' : 'user';
    /** @type {ParentLink} */
    const link = {
      waitFor,
      resumable: Boolean(entry.resumable),
      explicit: entry.resumable?.parentCommunication === 'explicit',
      owner,
      receives,
    };
    const place = (/** @type {Change} */ { thread, batch, tick }) => {
      const record = newThreadRecord(
        {
          id,
          agent_name: definition.name,
          user_id: thread.user_id,
          tags: [`name:${name}`],
          arguments: args,
          parent,
          link,
        },
        store.now(),
      );
      const child = { thread: record, values: [], batch, tick: () => store.tick(record) };
      const all = { values: { ...values, ...env }, types };
      if (Object.keys(all.values).length > 0) {
        batch.put(keys.env(id), { sealed: cipher().seal(all) });
      }
      addMessage(
        child,
        newMessage({
          role: 'system',
          content: `This thread works for another one, as ${name}.`,
          silent: true,
          metadata: {
            status_kind: 'subagent_event',
            subagent_event: 'created',
            parent_thread_id: parent,
          },
        }),
      );
      const refs = copies.map((copy) => copy(child));
      enqueueMessage(child, {
        role: receives,
        content: message,
        ...(refs.length > 0 && { attachments: refs }),
        source: 'parent',
      });
      store.putThread(batch, record);
      batch.put(keys.child(parent, id), {
        reference: id,
        name: definition.name,
        title: definition.title ?? definition.name,
        description: definition.toolDescription ?? definition.description ?? '',
        owner,
        resumable: link.resumable,
        blocking: entry.blocking !== false,
        parentCommunication: link.explicit ? 'explicit' : 'implicit',
        threadName: name,
        initialArguments: args,
        createdAt: tick(),
        status: 'running',
      });
    };
    return { id, place };
  }

  /**
   * @param {string} agent
   * @param {Record<string, string>} env
   * @returns {any[]} the scoped variables that the child needs and nobody has given
   */
  missingVariables(agent, env) {
    return this.parts.env
      .graphOf(agent)
      .filter((one) => one.scoped === true && one.required === true && env[one.name] === undefined);
  }

  /**
   * @param {Flow} flow
   * @param {ToolCall} call
   * @param {Wish} wish
   * @param {any[]} missing
   * @returns {Promise<Answer>}
   */
  async askForVariables(flow, call, { target, env: _env, ...wish }, missing) {
    const requestId = randomUUID();
    const agent = target.definition.name;
    const described = missing.map(({ name, type, description }) => ({ name, type, description }));
    const data = {
      request_id: requestId,
      endpoint: `/threads/${flow.id}/variables/${requestId}`,
      required: described,
      missing: described.map(({ name }) => name),
      agent,
    };
    await flow.write(({ batch }) =>
      batch.put(keys.request(flow.id, requestId), {
        ...data,
        status: 'pending',
        call_id: call.id,
        side: flow.record.side,
        entry: target.entry,
        wish,
      }),
    );
    return /** @type {Answer} */ ({
      status: 'error',
      text:
        `The subagent ${agent} needs variables that are not set: ${data.missing.join(', ')}. ` +
        `A person can give them at ${data.endpoint}; it starts then. Do not ask for their values here`,
      code: 'subagent_env_required',
      data,
    });
  }

  /**
   * @param {string} parent
   * @param {string} requestId
   * @returns {Promise<any>} undefined when there is none
   */
  async variableRequest(parent, requestId) {
    const found = await this.parts.store.get(keys.request(parent, requestId));
    if (found === undefined) return undefined;
    const { request_id, endpoint, required, missing, agent, status } = found;
    return { request_id, endpoint, required, missing, agent, status };
  }

  /**
   * Gives the variables a subagent waits for, and starts it.
   *
   * @param {string} parent
   * @param {string} requestId
   * @param {Record<string, string>} env
   */
  async completeRequest(parent, requestId, env) {
    const { store, library } = this.parts;
    const place = keys.request(parent, requestId);
    const request = await store.get(place);
    if (request === undefined) {
      throw new ThreadError('ERR_ISOBOX_THREAD_UNKNOWN', `There is no request ${requestId}`);
    }
    const missing = this.missingVariables(request.agent, env).map(({ name }) => name);
    if (missing.length > 0) {
      throw new ThreadError(
        'ERR_ISOBOX_THREAD_ENV',
        `Variables are missing: ${missing.join(', ')}`,
      );
    }
    const target = {
      name: request.agent,
      entry: request.entry,
      kind: /** @type {const} */ ('agent'),
      definition: library.agent(request.agent),
    };
    const spawn = await this.prepareChild(
      parent,
      request.side,
      { ...request.wish, target, env },
      null,
    );
    await store.change(
      parent,
      (change) => {
        if (change.values[0] === undefined) {
          throw new ThreadError('ERR_ISOBOX_THREAD_UNKNOWN', `The request ${requestId} is done`);
        }
        spawn.place(change);
        change.batch.delete(place);
      },
      { reads: [place] },
    );
    const state = await this.parts.state(parent);
    if (state !== null) await this.started(state, spawn.id);
    return { request_id: requestId, child_thread_id: spawn.id, status: 'success' };
  }

  /**
   * @param {import('../parts.js').ThreadState} state
   * @param {string} child
   */
  async started(state, child) {
    const { hooks, scheduler } = this.parts;
    const childState = await this.parts.state(child);
    if (childState !== null) {
      await hooks.run('after_subagent_created', state, childState);
      await hooks.run('after_thread_created', childState);
    }
    scheduler.wake(child);
  }
}

module.exports = { SubagentChildren };
