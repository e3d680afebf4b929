'use strict';
// One step of a side that code plays: a handler gets the last message of the other side, at most once, and may answer it.

const { isRecord } = require('../../checks/options.js');
const { messageOf } = require('../base/errors.js');
const { addMessage, newMessage, readHistory } = require('../state/messages.js');
const { finish } = require('./finish.js');
const { addLog, putLog } = require('./logs.js');
const { roleOf } = require('./sides.js');
const { unlessEnded } = require('./tools.js');

/**
 * @param {import('../parts.js').Flow} flow
 * @param {{ handler: string }} side
 */
async function runHandlerStep(flow, side) {
  const { library, store, hooks } = flow.parts;
  const { record, state } = flow;
  const role = roleOf(record.side);
  const { execute } = library.handler(side.handler);
  const rows = (await readHistory(store, flow.id)).filter(
    (row) => row.depth === 0 && !row.silent && row.status === 'completed' && row.content !== null,
  );
  const message = rows.findLast((row) => row.role === (role === 'user' ? 'assistant' : 'user'));
  const log = await flow.write((change) => {
    record.steps.all += 1;
    record.steps[record.side] += 1;
    const begun = addLog(change, {
      kind: 'handler_execution',
      handler_name: side.handler,
      message_id: message?.id,
      is_complete: false,
    });
    Object.assign(record, { phase: 'handler', messageId: null, logId: begun.id });
    flow.save(change);
    return begun;
  });
  let answer;
  try {
    answer = await unlessEnded(flow, call(execute, state, message));
  } catch (error) {
    await flow.write((change) =>
      putLog(change, { ...log, error: messageOf(error), error_type: 'handler_execution_error' }),
    );
    await finish(flow, { code: 'step_error', error: messageOf(error), isFailure: true });
    return;
  }
  // The execution was ended meanwhile.
  if (answer === null) return;
  if (answer.content === undefined) {
    await finish(flow, { code: 'handler_idle' });
    return;
  }
  const draft = await hooks.beforeCreate(state, newMessage({ role, content: answer.content }));
  const stored = await flow.write((change) => {
    const row = addMessage(change, draft);
    putLog(change, { ...log, is_complete: true });
    Object.assign(record, {
      ...{ phase: 'tools', messageId: row.id, content: row.content, calls: [], next: 0 },
      ...{ started: null, created: null, results: [] },
    });
    flow.save(change);
    return row;
  });
  await hooks.run('after_create_message', state, stored);
}

/**
 * @param {Function} execute
 * @param {import('../parts.js').ThreadState} state
 * @param {import('../../../types/threads.js').Message | undefined} message
 * @returns {Promise<{ content?: string }>} without content when there is nothing to say
 */
async function call(execute, state, message) {
  const given = await execute(state, message ?? null);
  const content = isRecord(given) ? given.content : given;
  if (content === undefined || content === null) return {};
  if (typeof content !== 'string') {
    throw new TypeError('A handler gives a text, { content }, or nothing');
  }
  return content.trim() === '' ? {} : { content };
}

module.exports = { runHandlerStep };
