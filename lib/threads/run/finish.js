'use strict';
// The end of an execution: for a reason that is recorded, in one transaction with what a parent is told of it.

const {
  addMessage,
  newMessage,
  putMessage,
  readHistory,
  removeMessage,
} = require('../state/messages.js');
const { keys } = require('../store/keys.js');
const { addLog, putLog } = require('./logs.js');
const { roleOf } = require('./sides.js');

/**
 * @typedef {object} End
 * @property {string} code the `stopReasonCode`
 * @property {string} [result] for the parent
 * @property {unknown} [attachments] paths
 * @property {boolean} [isFailure]
 * @property {string} [status] for the parent's registry
 * @property {boolean} [notify] false: the parent gets no message
 * @property {string} [error] what went wrong, for people
 */

/**
 * @param {import('../parts.js').Flow} flow
 * @param {End} end
 */
async function finish(flow, end) {
  const { store, subagents, events } = flow.parts;
  const { record } = flow;
  const history = await readHistory(store, flow.id);
  const pending = history.find(({ id, status }) => id === record.messageId && status === 'pending');
  const log = await readLog(flow);
  const report = await subagents.prepareReport(flow, end, history);
  await flow.write((change) => {
    const unanswered = record.phase === 'tools' ? record.calls.slice(record.next) : [];
    for (const call of unanswered) addUnanswered(change, call, end.code);
    const last = lastRow(change, history, pending, end, roleOf(record.side));
    if (last !== undefined) {
      putMessage(change, { ...last, metadata: { ...last.metadata, stopReasonCode: end.code } });
    }
    if (log !== undefined) putLog(change, { ...log, stopReasonCode: end.code, is_complete: true });
    if (end.error !== undefined || log === undefined) {
      addLog(change, {
        kind: 'execution_end',
        stopReasonCode: end.code,
        ...(end.error !== undefined && { error: end.error, error_type: 'step_execution_error' }),
      });
    }
    change.thread.turns = 0;
    report?.(change);
    flow.remove(change);
  }, report?.reads);
  flow.forget();
  if (report) subagents.wakeParent(report.parent);
  events.emit('telemetry', {
    threadId: flow.id,
    type: 'stopped',
    reason: end.code,
    side: record.side,
  });
}

/**
 * The row that carries the reason. A request that failed leaves a visible row that says so.
 *
 * @param {import('../store/store.js').Change} change
 * @param {import('../../../types/threads.js').Message[]} history
 * @param {import('../../../types/threads.js').Message | undefined} pending
 * @param {End} end
 * @param {'assistant' | 'user'} role
 */
function lastRow(change, history, pending, end, role) {
  if (end.error === undefined) {
    if (pending !== undefined) removeMessage(change, pending);
    return history.filter((row) => row !== pending && row.depth === 0 && !row.silent).at(-1);
  }
  const failure = {
    content: `The execution failed: ${end.error}`,
    status: /** @type {const} */ ('failed'),
  };
  if (pending !== undefined) return { ...pending, ...failure };
  return addMessage(change, newMessage({ role, ...failure }));
}

/**
 * @param {import('../store/store.js').Change} change
 * @param {import('../../../types/threads.js').ToolCall} call
 * @param {string} code
 */
function addUnanswered(change, call, code) {
  addMessage(
    change,
    newMessage({
      role: 'tool',
      name: call.function.name,
      tool_call_id: call.id,
      content: `Error: the execution ended (${code}) before this call had a result`,
      tool_status: 'error',
    }),
  );
}

/**
 * The thread was stopped or terminated: what was under way is closed, so that calls and results pair.
 *
 * @param {import('../parts.js').Flow} flow
 * @param {'user_stop' | 'terminated'} reason
 */
async function interrupt(flow, reason) {
  const isStop = reason === 'user_stop';
  const { events } = flow.parts;
  const log = await readLog(flow);
  if (log !== undefined && !log.is_complete) {
    await flow.write((change) =>
      putLog(change, {
        ...log,
        is_complete: true,
        error_type: isStop ? 'user_interrupted' : 'terminated',
      }),
    );
  }
  await flow.write((change) => {
    addMessage(
      change,
      newMessage({
        role: 'system',
        content: isStop ? 'The execution was stopped by the user.' : 'The thread was terminated.',
        silent: true,
        metadata: { status_kind: isStop ? 'execution_stopped' : 'thread_terminated' },
      }),
    );
  });
  await finish(flow, { code: isStop ? 'aborted_by_user' : 'aborted' });
  if (isStop) events.emit('telemetry', { threadId: flow.id, type: 'stopped_by_user' });
}

/** @param {import('../parts.js').Flow} flow */
async function readLog({ id, record, parts: { store } }) {
  if (record.logId === null) return undefined;
  const at = await store.get(keys.logId(id, record.logId));
  return at === undefined ? undefined : store.get(keys.log(id, at));
}

module.exports = { finish, interrupt, readLog };
