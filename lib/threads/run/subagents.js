'use strict';
// Subagents as tools: how a model starts them and speaks to them. subagent-children.js makes them, and what they report
// is in subagent-reports.js.

const { once } = require('node:events');

const { prepareCopies } = require('../state/files.js');
const { enqueueMessage } = require('../state/queue.js');
const { keys } = require('../store/keys.js');
const { takeImmediateEnv } = require('./immediate.js');
const { SUBAGENT_CREATE, SUBAGENT_MESSAGE } = require('./names.js');
const { SubagentChildren } = require('./subagent-children.js');

/** @typedef {import('../parts.js').Flow} Flow */
/** @typedef {import('./tools.js').Answer} Answer */
/** @typedef {import('./tools.js').Target} Target */
/** @typedef {import('../store/store.js').Change} Change */
/** @typedef {import('../../../types/threads.js').ToolCall} ToolCall */

const WAIT_MS = 250;

/** @param {string} text @param {Partial<Answer>} [more] @returns {Answer} */
const failure = (text, more) => ({ status: 'error', text, ...more });

/**
 * @param {string} event
 * @param {string} child
 */
const subagentEvent = (event, child) => ({
  status_kind: 'subagent_event',
  subagent_event: event,
  subagent_id: child,
});

class Subagents extends SubagentChildren {
  /**
   * @param {Flow} flow
   * @param {Target[]} resumable
   * @param {ToolCall} call
   * @param {Record<string, any>} args
   * @param {boolean} isTop
   * @returns {Promise<Answer | null>}
   */
  async runLifecycleTool(flow, resumable, call, args, isTop) {
    if (call.function.name === SUBAGENT_MESSAGE) {
      return this.#message(flow, resumable, call, args, isTop);
    }
    const target = resumable.find(({ name }) => name === args.agent);
    if (target === undefined) {
      return failure(`agent must be one of ${resumable.map(({ name }) => name).join(', ')}`);
    }
    if (typeof args.name !== 'string' || args.name.trim() === '') {
      return failure('name must be a text that is not blank: people see the subagent under it');
    }
    if (typeof args.message !== 'string') return failure('message must be a text');
    const given = args.arguments ?? {};
    const { library } = this.parts;
    const prompt = library.prompt(target.definition.sideA.prompt);
    const checked = await library
      .schemaOf(prompt.requiredSchema, target.name)
      ?.check(given, 'arguments');
    if (checked?.ok === false) {
      return failure(`The arguments are not valid: ${checked.reason}`, {
        code: 'subagent_arguments_required',
        data: { agent: target.name, required: requiredOf(library, prompt) },
      });
    }
    return this.#create(flow, call, isTop, {
      target,
      name: args.name,
      message: args.message,
      attachments: args.attachments ?? [],
      args: given,
      env: {},
    });
  }

  /**
   * An agent of two AIs, called by its name.
   *
   * @param {Flow} flow
   * @param {Target} target
   * @param {ToolCall} call
   * @param {Record<string, any>} args
   * @param {boolean} isTop
   * @returns {Promise<Answer | null>}
   */
  call(flow, target, call, args, isTop) {
    const { entry, definition } = target;
    const { initUserMessageProperty, initAttachmentsProperty, initAgentNameProperty } = entry;
    const value =
      initUserMessageProperty === undefined
        ? (args.message ?? args)
        : args[initUserMessageProperty];
    const name = initAgentNameProperty === undefined ? undefined : args[initAgentNameProperty];
    return this.#create(flow, call, isTop, {
      target,
      name:
        typeof name === 'string' && name.trim() !== ''
          ? name
          : (definition.title ?? definition.name),
      message: typeof value === 'string' ? value : JSON.stringify(value ?? args),
      attachments: args[initAttachmentsProperty ?? 'attachments'] ?? [],
      args,
      env: {},
    });
  }

  /**
   * @param {Flow} flow
   * @param {ToolCall} call
   * @param {boolean} isTop
   * @param {import('./subagent-children.js').Wish} wish
   * @returns {Promise<Answer | null>}
   */
  async #create(flow, call, isTop, wish) {
    const { target } = wish;
    const isBlocking = target.entry.blocking !== false;
    if (flow.record.created?.callId === call.id) {
      return this.#after(flow, call, flow.record.created);
    }
    const refusal = this.#tooMany(flow.state, target);
    if (refusal !== undefined) return refusal;
    const own = await takeImmediateEnv(flow, call);
    const given = { ...wish, env: { ...wish.env, ...own.values } };
    const missing = this.missingVariables(target.definition.name, given.env);
    if (missing.length > 0) return this.askForVariables(flow, call, given, missing);
    const spawn = await this.prepareChild(
      flow.id,
      flow.record.side,
      given,
      isBlocking ? call.id : null,
    );
    const created = { callId: call.id, child: spawn.id, wait: isBlocking };
    await flow.write(
      (change) => {
        spawn.place(change);
        own.remove(change);
        if (isTop) flow.record.created = created;
        flow.save(change);
      },
      [...own.reads],
    );
    await this.started(flow.state, spawn.id);
    return this.#after(flow, call, created);
  }

  /**
   * @param {Flow} flow
   * @param {ToolCall} call
   * @param {{ child: string, wait: boolean }} created
   * @returns {Promise<Answer | null>}
   */
  async #after(flow, call, { child, wait }) {
    if (wait) return this.#outcome(flow, call, child);
    return {
      status: 'success',
      text: `The subagent works on it. Reference: ${child}\nIts result arrives as a message.`,
      marks: subagentEvent('running', child),
    };
  }

  /**
   * @param {Flow} flow
   * @param {ToolCall} call
   * @param {string} child
   * @returns {Promise<Answer | null>} null when the execution was ended
   */
  async #outcome(flow, call, child) {
    const { store, events, scheduler } = this.parts;
    const place = keys.outcome(flow.id, call.id);
    const signal = /** @type {AbortSignal} */ (flow.execution?.abortSignal);
    flow.waiting(true);
    try {
      for (;;) {
        const outcome = await store.get(place);
        if (outcome !== undefined) {
          return {
            status: outcome.status,
            text: `${outcome.text}\n\nReference: ${child}`,
            attachments: outcome.attachments,
            marks: subagentEvent(outcome.status === 'error' ? 'failure' : 'result', child),
            apply: ({ batch }) => batch.delete(place),
          };
        }
        if (signal.aborted) return null;
        const thread = await store.get(keys.thread(child));
        const isOver = thread === undefined || thread.terminated !== null;
        if (
          isOver &&
          (await store.get(keys.flow(child))) === undefined &&
          !(await store.get(place))
        ) {
          return failure(`The subagent ${child} was terminated before it had a result`);
        }
        scheduler.wake(child);
        await once(events, 'rest', {
          signal: AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]),
        }).catch(() => {});
      }
    } finally {
      flow.waiting(false);
    }
  }

  /**
   * @param {import('../parts.js').ThreadState} state
   * @param {Target} target
   * @returns {Answer | undefined}
   */
  #tooMany(state, { entry, definition }) {
    const max = entry.resumable?.maxInstances;
    const live = state.children.filter(
      (one) => one.name === definition.name && one.status !== 'terminated',
    );
    if (max === undefined || live.length < max) return undefined;
    const references = live
      .map((one) => `${one.reference} (${one.threadName}, ${one.status})`)
      .join('; ');
    return failure(
      `There may be ${max} instances of ${definition.name} at once, and there are ${live.length}: ${references}. ` +
        `Send one of them a message with ${SUBAGENT_MESSAGE} instead`,
      { code: 'subagent_max_instances' },
    );
  }

  /**
   * @param {Flow} flow
   * @param {Target[]} resumable
   * @param {ToolCall} call
   * @param {Record<string, any>} args
   * @param {boolean} isTop
   * @returns {Promise<Answer | null>}
   */
  async #message(flow, resumable, call, args, isTop) {
    const { store, scheduler } = this.parts;
    if (flow.record.created?.callId === call.id) {
      return this.#after(flow, call, flow.record.created);
    }
    const entry = flow.state.children.find(({ reference }) => reference === args.referenceId);
    const target = resumable.find(({ definition }) => definition.name === entry?.name);
    if (entry === undefined || target === undefined) {
      const known = flow.state.children.filter((one) => one.status !== 'terminated');
      return failure(
        `There is no subagent ${args.referenceId}. There are: ` +
          (known.map((one) => `${one.reference} (${one.threadName})`).join('; ') || 'none'),
      );
    }
    if (entry.status === 'terminated') {
      return failure(
        `The subagent ${entry.reference} is terminated. Start another with ${SUBAGENT_CREATE}`,
      );
    }
    if (typeof args.message !== 'string') return failure('message must be a text');
    const copies = await prepareCopies(store, flow.id, args.attachments ?? []);
    const wait = target.entry.blocking !== false;
    const created = { callId: call.id, child: entry.reference, wait };
    const isSent = await flow.write(
      (change) => {
        const [child, current] = change.values;
        if (child === undefined || child.terminated !== null) return false;
        const inner = {
          thread: child,
          values: [],
          batch: change.batch,
          tick: () => store.tick(child),
        };
        const refs = copies.map((copy) => copy(inner));
        if (wait) child.link.waitFor = call.id;
        enqueueMessage(inner, {
          role: child.link.receives,
          content: args.message,
          metadata: {
            status_kind: 'subagent_event',
            subagent_event: 'parent_message',
            parent_thread_id: flow.id,
          },
          ...(refs.length > 0 && { attachments: refs }),
          source: 'parent',
        });
        store.putThread(change.batch, child);
        change.batch.put(keys.child(flow.id, child.id), { ...current, status: 'running' });
        if (isTop) flow.record.created = created;
        flow.save(change);
        return true;
      },
      [keys.thread(entry.reference), keys.child(flow.id, entry.reference)],
    );
    if (!isSent) return failure(`The subagent ${entry.reference} is terminated`);
    scheduler.wake(entry.reference);
    return this.#after(flow, call, created);
  }
}

/**
 * @param {import('../parts.js').Library} library
 * @param {any} prompt
 */
function requiredOf(library, prompt) {
  return library.schemaOf(prompt.requiredSchema, prompt.name)?.jsonSchema.required ?? [];
}

module.exports = { Subagents };
