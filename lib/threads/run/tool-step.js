'use strict';
// The calls of a step, one after the other. That a call has begun is in the store before it runs, and its result before
// the next one does.

const { prepareAttachments, prepareCopies } = require('../state/files.js');
const { addMessage, newMessage, putMessage, readMessage } = require('../state/messages.js');
const { messageOf } = require('../base/errors.js');
const { readLog } = require('./finish.js');
const { putLog } = require('./logs.js');
const { sideOf } = require('./sides.js');

/** @typedef {import('../../../types/threads.js').ToolCall} ToolCall */
/** @typedef {import('./tools.js').Answer} Answer */

/**
 * @param {import('../parts.js').Flow} flow
 * @returns {Promise<boolean>} false when the execution was ended in between
 */
async function runCalls(flow) {
  const { record, parts } = flow;
  const execution = /** @type {import('../parts.js').Execution} */ (flow.execution);
  while (record.next < record.calls.length) {
    if (execution.abortSignal.aborted) return false;
    const call = record.calls[record.next];
    if (record.started !== call.id && !parts.tools.isAtomic(call)) {
      await flow.write((change) => {
        record.started = call.id;
        flow.save(change);
      });
    }
    const tool = call.function.name;
    parts.events.emit('telemetry', { threadId: flow.id, type: 'tool_started', tool });
    execution.toolCallId = call.id;
    const answer = await parts.tools.answer(flow, call);
    execution.toolCallId = null;
    if (answer === null) return false;
    await storeAnswer(flow, call, answer);
    parts.events.emit('telemetry', {
      threadId: flow.id,
      type: 'tool_completed',
      tool,
      status: answer.status,
    });
  }
  return !execution.abortSignal.aborted;
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {ToolCall} call
 * @param {Answer} given
 */
async function storeAnswer(flow, call, given) {
  const { hooks, store, library, subagents } = flow.parts;
  const { record, state } = flow;
  const checked = await checkSessionFiles(flow, call, given);
  const judged = await hooks.afterToolCall(state, call, checked);
  const answer = judged === null ? checked : await hooks.beforeStoreResult(state, call, judged);
  const { answer: final, attachments } = await prepareFiles(flow, answer);
  const side = sideOf(library.agent(state.agentId), record.side);
  const isStatus = side.sessionStatus?.name === call.function.name && final.status === 'success';
  const status = isStatus
    ? await subagents.prepareStatus(flow.id, statusText(side.sessionStatus, call, final))
    : null;
  const log = await readLog(flow);
  const asked = judged === null ? await readMessage(store, flow.id, record.messageId ?? '') : null;
  const draft = await hooks.beforeCreate(state, toolRow(call, final));
  const row = await flow.write(
    (change) => {
      const refs = attachments.map((place) => place(change));
      /** @type {import('../../../types/threads.js').Message | null} */
      let added = null;
      if (judged === null) forgetCall(change, asked, call);
      else {
        const listed = refs.map(({ path }) => path).join('\n');
        added = addMessage(change, {
          ...draft,
          ...(refs.length > 0 && {
            attachments: refs,
            content: [draft.content, `Attached files:\n${listed}`].filter(Boolean).join('\n\n'),
          }),
        });
      }
      if (log !== undefined) putLog(change, withResult(log, call, final, change.thread.clock));
      status?.(change);
      final.apply?.(change);
      noteResult(record, call, final);
      flow.save(change);
      return added;
    },
    [...(status?.reads ?? []), ...(final.reads ?? [])],
  );
  if (row !== null) await hooks.run('after_create_message', state, row);
}

/**
 * @param {import('./flow-record.js').FlowRecord} record
 * @param {ToolCall} call
 * @param {Answer} answer
 */
function noteResult(record, call, answer) {
  record.results.push({
    callId: call.id,
    name: call.function.name,
    status: answer.status,
    args: parseObject(call.function.arguments),
    text: answer.text,
  });
  if (answer.handoff !== undefined) record.handoff = answer.handoff;
  if (answer.status === 'error') {
    const text = answer.text.replace(/\d+/g, '#');
    record.sameError = {
      text,
      count: record.sameError.text === text ? record.sameError.count + 1 : 1,
    };
  } else record.sameError = { text: '', count: 0 };
  Object.assign(record, { next: record.next + 1, started: null, created: null });
}

/**
 * A session tool that names files which are not there has failed, so that the session goes on.
 *
 * @param {import('../parts.js').Flow} flow
 * @param {ToolCall} call
 * @param {Answer} answer
 * @returns {Promise<Answer>}
 */
async function checkSessionFiles(flow, call, answer) {
  const { library, store } = flow.parts;
  const side = sideOf(library.agent(flow.state.agentId), flow.record.side);
  for (const binding of [side.sessionStop, side.sessionFail]) {
    if (binding?.name !== call.function.name || answer.status === 'error') continue;
    if (binding.attachmentsProperty === undefined) continue;
    try {
      const paths = parseObject(call.function.arguments)[binding.attachmentsProperty];
      await prepareCopies(store, flow.id, paths ?? []);
    } catch (error) {
      return { status: 'error', text: messageOf(error) };
    }
  }
  return answer;
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {Answer} answer
 */
async function prepareFiles(flow, answer) {
  const already = answer.placed ?? [];
  try {
    const attachments = await prepareAttachments(
      flow.parts.store,
      flow.id,
      answer.attachments ?? [],
    );
    return { answer, attachments: [...already, ...attachments] };
  } catch (error) {
    return {
      answer: { ...answer, status: /** @type {const} */ ('error'), text: messageOf(error) },
      attachments: [],
    };
  }
}

/**
 * @param {ToolCall} call
 * @param {Answer} answer
 */
function toolRow(call, { status, text, code, data, marks }) {
  const isError = status === 'error';
  return newMessage({
    role: 'tool',
    name: call.function.name,
    tool_call_id: call.id,
    content: isError ? `Error: ${text}` : text,
    tool_status: status,
    ...((code !== undefined || data !== undefined || marks !== undefined) && {
      metadata: {
        ...marks,
        ...(code !== undefined && { error_code: code }),
        ...(data !== undefined && { error_data: data }),
      },
    }),
  });
}

/**
 * @param {import('../store/store.js').Change} change
 * @param {import('../../../types/threads.js').Message | null} asked
 * @param {ToolCall} call
 */
function forgetCall(change, asked, call) {
  if (asked === null) return;
  const calls = JSON.parse(asked.tool_calls ?? '[]').filter(
    (/** @type {ToolCall} */ { id }) => id !== call.id,
  );
  putMessage(change, {
    ...asked,
    tool_calls: calls.length > 0 ? JSON.stringify(calls) : undefined,
  });
}

/**
 * @param {import('../../../types/threads.js').LogRow} log
 * @param {ToolCall} call
 * @param {Answer} answer
 * @param {number} timestamp
 */
function withResult(log, call, { status, text, stack }, timestamp) {
  const result = {
    tool_call_id: call.id,
    tool_name: call.function.name,
    content: text,
    status,
    timestamp,
    ...(stack !== undefined && { stack }),
  };
  return { ...log, tool_results: [...(log.tool_results ?? []), result] };
}

/**
 * @param {any} binding
 * @param {ToolCall} call
 * @param {Answer} answer
 */
function statusText(binding, call, answer) {
  const mapped =
    binding.messageProperty && parseObject(call.function.arguments)[binding.messageProperty];
  return typeof mapped === 'string' ? mapped : answer.text;
}

/**
 * @param {string} text
 * @returns {Record<string, any>}
 */
function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

module.exports = { runCalls, storeAnswer };
