'use strict';
// What a child tells its parent: results, failures, messages in between, and its status. A report and the end of the
// session it is about are one transaction.

const { prepareCopies } = require('../state/files.js');
const { addMessage, newMessage } = require('../state/messages.js');
const { enqueueMessage } = require('../state/queue.js');
const { keys } = require('../store/keys.js');
const { roleOf, otherSide } = require('./sides.js');

/** @typedef {import('../store/store.js').Change} Change */

class SubagentReports {
  /** @param {import('../parts.js').Parts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /**
   * @param {import('../parts.js').Flow} flow of the child
   * @param {import('./finish.js').End} end
   * @param {import('../../../types/threads.js').Message[]} history
   * @returns {Promise<(((change: Change) => void) & { reads: string[], parent: string }) | undefined>}
   */
  async prepareReport(flow, end, history) {
    const { store } = this.parts;
    const { parent, link } = await store.thread(flow.id);
    if (parent === null || link === null) return undefined;
    const { text, isFailure } = this.#outcome(flow, end, history);
    const copies = await prepareCopies(store, flow.id, end.attachments ?? []);
    const report = (/** @type {Change} */ change) => {
      const [parentThread, entry] = change.values;
      const status = isFailure ? 'error' : 'success';
      change.thread.link = { ...link, waitFor: null };
      noteHandoff(change, parent, isFailure);
      if (!link.resumable && change.thread.terminated === null) {
        change.thread.terminated = change.tick();
      }
      const isOver = change.thread.terminated !== null;
      if (entry !== undefined) {
        const settled = end.status ?? (isFailure ? 'failed' : 'idle');
        change.batch.put(keys.child(parent, flow.id), {
          ...entry,
          status: isOver ? 'terminated' : settled,
        });
      }
      if (parentThread === undefined || parentThread.terminated !== null) return;
      const above = this.#changeOf(change, parentThread);
      if (link.waitFor !== null) {
        const attachments = copies.map((copy) => copy(above));
        change.batch.put(keys.outcome(parent, link.waitFor), { status, text, attachments });
      } else if (!link.explicit && end.notify !== false) {
        enqueueReport(above, flow.id, link.owner, {
          kind: isFailure ? 'failure' : 'result',
          content: reportText(flow.id, entry, isFailure, text),
          attachments: copies.map((copy) => copy(above)),
        });
      }
      store.putThread(change.batch, parentThread);
      change.batch.wakes.add(parent);
    };
    return Object.assign(report, {
      parent,
      reads: [keys.thread(parent), keys.child(parent, flow.id)],
    });
  }

  /**
   * @param {import('../parts.js').Flow} flow
   * @param {import('./finish.js').End} end
   * @param {import('../../../types/threads.js').Message[]} history
   */
  #outcome(flow, end, history) {
    if (end.isFailure) return { text: end.result ?? end.error ?? end.code, isFailure: true };
    if (end.result !== undefined) return { text: end.result, isFailure: false };
    const { sideA, sideB } = this.parts.library.agent(flow.state.agentId);
    const hasSessionTools = [sideA, sideB].some((side) => side?.sessionStop ?? side?.sessionFail);
    const isBroken = ['aborted', 'aborted_by_user', 'step_error', 'repeated_tool_error'].includes(
      end.code,
    );
    if (hasSessionTools || isBroken) {
      return { text: `The session ended without a result: ${end.code}`, isFailure: true };
    }
    const last = history
      .filter(
        ({ depth, silent, role, content }) => depth === 0 && !silent && role !== 'tool' && content,
      )
      .at(-1);
    return { text: last?.content ?? '', isFailure: false };
  }

  /** @param {string} parent */
  wakeParent(parent) {
    this.parts.scheduler.wake(parent);
  }

  /**
   * @param {Change} change
   * @param {import('../store/thread-record.js').ThreadRecord} thread another one of the same transaction
   * @returns {Change}
   */
  #changeOf({ batch }, thread) {
    return { thread, values: [], batch, tick: () => this.parts.store.tick(thread) };
  }

  /**
   * @param {import('../parts.js').Batch} batch
   * @param {string | null} parent
   * @param {any} entry
   */
  putTerminated(batch, parent, entry) {
    if (parent !== null) {
      batch.put(keys.child(parent, entry.reference), { ...entry, status: 'terminated' });
    }
  }

  /**
   * @param {string} id
   * @param {string} text
   */
  async notifyParent(id, text) {
    const { store, scheduler } = this.parts;
    const { parent, link } = await store.thread(id);
    if (parent === null || link === null) return;
    const entry = await store.get(keys.child(parent, id));
    await store.change(parent, (change) =>
      enqueueReport(change, id, link.owner, {
        kind: 'message',
        content: `Message of subagent ${entry?.threadName ?? ''} (reference ${id}):\n${text}`,
        attachments: [],
      }),
    );
    scheduler.wake(parent);
  }

  /**
   * @param {string} id
   * @param {string} text
   */
  async setStatus(id, text) {
    const { store } = this.parts;
    const put = await this.prepareStatus(id, text);
    if (put === null) return;
    await store.change(id, (change) => put(change), { reads: put.reads });
  }

  /**
   * @param {string} id
   * @param {string} text
   * @returns {Promise<(((change: Change) => void) & { reads: string[] }) | null>} for a transaction of the child
   */
  async prepareStatus(id, text) {
    const { parent } = await this.parts.store.thread(id);
    if (parent === null) return null;
    const put = (/** @type {Change} */ change) => {
      const [entry] = change.values;
      if (entry === undefined) return;
      change.batch.put(keys.child(parent, id), { ...entry, status: text });
      addMessage(
        change,
        newMessage({
          role: 'system',
          content: `Status: ${text}`,
          silent: true,
          metadata: {
            status_kind: 'subagent_event',
            subagent_event: 'status',
            parent_thread_id: parent,
          },
        }),
      );
    };
    return Object.assign(put, { reads: [keys.child(parent, id)] });
  }
}

/**
 * @param {Change} parent
 * @param {string} child
 * @param {'a' | 'b'} owner
 * @param {{ kind: string, content: string, attachments: any[] }} report
 */
function enqueueReport(parent, child, owner, { kind, content, attachments }) {
  enqueueMessage(parent, {
    // Written as by the other side, so that the owner answers.
    role: roleOf(otherSide(owner)),
    content: [content, ...attachments.map(({ path }) => path)].join('\n'),
    silent: true,
    metadata: { status_kind: 'subagent_event', subagent_event: kind, subagent_id: child },
    ...(attachments.length > 0 && { attachments }),
    source: 'subagent',
  });
}

/**
 * @param {string} id
 * @param {any} entry
 * @param {boolean} isFailure
 * @param {string} text
 */
function reportText(id, entry, isFailure, text) {
  const who = `Subagent ${entry?.threadName ?? ''} (reference ${id})`;
  return `${who} ${isFailure ? 'failed' : 'has a result'}:\n${text}`;
}

/**
 * @param {Change} change
 * @param {string} parent
 * @param {boolean} isFailure
 */
function noteHandoff(change, parent, isFailure) {
  addMessage(
    change,
    newMessage({
      role: 'system',
      content: `The ${isFailure ? 'failure' : 'result'} was given to the parent.`,
      silent: true,
      metadata: {
        status_kind: 'subagent_event',
        subagent_event: 'parent_handoff',
        handoff_kind: isFailure ? 'failure' : 'result',
        parent_thread_id: parent,
      },
    }),
  );
}

module.exports = { SubagentReports };
