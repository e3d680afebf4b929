'use strict';
// Takes up an execution that its process left in the middle: by a crash, a lost lease or a close.

const { readHistory, removeMessage } = require('../state/messages.js');
const { finish, readLog } = require('./finish.js');
const { putLog } = require('./logs.js');
const { storeAnswer } = require('./tool-step.js');

/** How often one step may be taken up again before it is given up: it may be what ends the process. */
const MAX_RESUMES = 5;

const UNKNOWN_HANDLING =
  'The handler was interrupted while it ran, and its outcome is unknown. It was not run again';

const UNKNOWN_OUTCOME =
  'The tool was interrupted while it ran, and its outcome is unknown: it may or may not have taken effect. ' +
  'It was not run again. Find out what happened before you repeat it.';

/** @param {import('../parts.js').Flow} flow */
async function recover(flow) {
  const { record } = flow;
  record.resumes += 1;
  if (record.resumes > MAX_RESUMES) {
    await finish(flow, {
      code: 'step_error',
      error: `The step was interrupted ${MAX_RESUMES} times and is given up`,
    });
    return;
  }
  if (record.phase === 'model') await forgetRequest(flow, { error_type: 'interrupted_incomplete' });
  else if (record.phase === 'handler') {
    await finish(flow, { code: 'step_error', error: UNKNOWN_HANDLING, isFailure: true });
  } else if (record.started !== null) {
    const call = record.calls[record.next];
    await storeAnswer(flow, call, { status: 'error', text: UNKNOWN_OUTCOME, code: 'interrupted' });
  } else await flow.write((change) => flow.save(change));
}

/**
 * A model request that came to nothing: its row goes, its log is closed, and the step is ready again.
 *
 * @param {import('../parts.js').Flow} flow
 * @param {object} about the log
 */
async function forgetRequest(flow, about) {
  const { record } = flow;
  const { store } = flow.parts;
  const row = (await readHistory(store, flow.id)).find(({ id }) => id === record.messageId);
  const log = await readLog(flow);
  await flow.write((change) => {
    if (row !== undefined) removeMessage(change, row);
    if (log !== undefined) putLog(change, { ...log, ...about, is_complete: true });
    Object.assign(record, { phase: 'ready', messageId: null });
    flow.save(change);
  });
}

module.exports = { recover };
