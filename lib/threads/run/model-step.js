'use strict';
// One model request of a step: assembled, announced in the store, made, and its answer stored.

const { randomUUID } = require('node:crypto');

const { messageOf } = require('../base/errors.js');
const { addMessage, newMessage, putMessage } = require('../state/messages.js');
const { assemble } = require('./context.js');
const { finish } = require('./finish.js');
const { addLog, putLog } = require('./logs.js');
const { callModel } = require('./model-call.js');
const { EMPTY_ANSWER } = require('./names.js');
const { roleOf, sideOf } = require('./sides.js');

/** @param {import('../parts.js').Flow} flow */
async function runModelStep(flow) {
  const { library, hooks, events } = flow.parts;
  const { record, state } = flow;
  const agent = library.agent(state.agentId);
  const side = sideOf(agent, record.side);
  const execution = /** @type {import('../parts.js').Execution} */ (flow.execution);
  execution.promptPath = [side.prompt];
  const prompt = library.sidePrompt(side);

  /** @type {Awaited<ReturnType<typeof assemble>>} */
  let context;
  try {
    context = await assemble(flow, prompt);
  } catch (error) {
    await refuse(flow, error);
    return;
  }
  const draft = await hooks.beforeCreate(
    state,
    newMessage({ role: roleOf(record.side), status: 'pending', prompt: prompt.name }),
  );
  const { row, log } = await flow.write((change) => {
    record.steps.all += 1;
    record.steps[record.side] += 1;
    const added = addMessage(change, { ...draft, status: 'pending' });
    const begun = addLog(change, {
      ...context.log,
      message_id: added.id,
      prompt_name: prompt.name,
      is_complete: false,
    });
    Object.assign(record, { phase: 'model', messageId: added.id, logId: begun.id });
    flow.save(change);
    return { row: added, log: begun };
  });
  events.emit('telemetry', {
    threadId: flow.id,
    type: 'step_started',
    step: record.steps.all,
    side: record.side,
  });

  const outcome = await callModel(flow, context, {
    log,
    onText: (chunk) =>
      events.emit('chunk', { threadId: flow.id, message_id: row.id, depth: 0, chunk }),
    onLog: (next) => (record.logId = next.id),
  });
  if (outcome.aborted) return;
  if (outcome.answer === undefined) {
    await finish(flow, { code: 'step_error', error: outcome.error, isFailure: true });
    return;
  }
  await storeResponse(flow, { row, side, log: outcome.log, answer: outcome.answer });
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {{ row: import('../../../types/threads.js').Message, side: any, log: import('../../../types/threads.js').LogRow, answer: import('./model-call.js').Answer }} step
 */
async function storeResponse(flow, { row, side, log, answer }) {
  const { hooks } = flow.parts;
  const { record, state } = flow;
  const isEmpty = (answer.content ?? '').trim() === '' && answer.toolCalls.length === 0;
  const calls = isEmpty ? [emptyCall()] : answer.toolCalls;
  const content = stopToolContent(side, calls) ?? answer.content;
  const updates = await hooks.pass(
    'before_update_message',
    state,
    {
      content,
      ...(calls.length > 0 && { tool_calls: JSON.stringify(calls) }),
      ...(answer.reasoning && { reasoning_content: answer.reasoning }),
    },
    row.id,
  );
  const completed = { ...row, ...updates, status: /** @type {const} */ ('completed') };
  await flow.write((change) => {
    putMessage(change, completed);
    putLog(change, { ...log, tools_called: calls.map((call) => call.function.name) });
    Object.assign(record, {
      phase: 'tools',
      logId: log.id,
      content: completed.content,
      calls,
      next: 0,
      started: null,
      created: null,
      results: [],
    });
    flow.save(change);
  });
  await hooks.run('after_update_message', state, completed);
  await hooks.run('after_create_message', state, completed);
}

/**
 * @param {any} side
 * @param {import('../../../types/threads.js').ToolCall[]} calls
 * @returns {string | undefined} the argument of a stopTool that is the message
 */
function stopToolContent(side, calls) {
  const call = calls.find((one) => one.function.name === side.stopTool);
  if (call === undefined) return undefined;
  try {
    const value = JSON.parse(call.function.arguments)[side.stopToolResponseProperty];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @returns {import('../../../types/threads.js').ToolCall} */
function emptyCall() {
  return {
    id: `call_${randomUUID()}`,
    type: 'function',
    function: { name: EMPTY_ANSWER, arguments: '{}' },
  };
}

/**
 * A request that could not be put together; a hook may have forbidden it.
 *
 * @param {import('../parts.js').Flow} flow
 * @param {unknown} error
 */
async function refuse(flow, error) {
  if (/** @type {any} */ (error)?.block !== true) {
    await finish(flow, { code: 'step_error', error: messageOf(error), isFailure: true });
    return;
  }
  await flow.write((change) =>
    addMessage(change, newMessage({ role: roleOf(flow.record.side), content: messageOf(error) })),
  );
  await finish(flow, { code: 'hook_blocked' });
}

module.exports = { runModelStep };
