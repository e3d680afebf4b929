'use strict';
// A prompt that is called as a tool: one model request in the same thread, one level deeper, and the tools it calls.

const { prepareAttachments } = require('../state/files.js');
const { addMessage, newMessage, readHistory } = require('../state/messages.js');
const { assemble } = require('./context.js');
const { addLog, putLog } = require('./logs.js');
const { callModel } = require('./model-call.js');

/** @typedef {import('./tools.js').Answer} Answer */

/**
 * @param {import('../parts.js').Flow} flow
 * @param {import('./tools.js').Target} target
 * @param {import('../../../types/threads.js').ToolCall} call
 * @param {Record<string, any>} args
 * @returns {Promise<Answer>}
 */
async function runPromptTool(flow, { entry, definition: prompt }, call, args) {
  const execution = /** @type {import('../parts.js').Execution} */ (flow.execution);
  execution.promptPath.push(prompt.name);
  const depth = execution.promptPath.length - 1;
  const place = { depth, parent_id: flow.record.messageId, metadata: { tool_call_id: call.id } };
  try {
    const question = await ask(flow, entry, args, place);
    const chat = prompt.includeChat === true ? await pastChat(flow) : [];
    const context = await assemble(flow, prompt, { rows: [...chat, question], values: args });
    const log = await flow.write((change) =>
      addLog(change, {
        ...context.log,
        prompt_name: prompt.name,
        parent_log_id: flow.record.logId,
        is_complete: false,
      }),
    );
    const outcome = await callModel(flow, context, { log, onText: () => {}, onLog: () => {} });
    if (outcome.aborted) throw new Error('The execution was ended');
    if (outcome.answer === undefined) return { status: 'error', text: outcome.error };
    const { content, toolCalls } = outcome.answer;
    await flow.write((change) => {
      putLog(change, outcome.log);
      addMessage(
        change,
        newMessage({
          ...place,
          role: 'assistant',
          content,
          prompt: prompt.name,
          ...(toolCalls.length > 0 && { tool_calls: JSON.stringify(toolCalls) }),
        }),
      );
    });
    const results = await runInnerCalls(flow, prompt, toolCalls, place);
    return summarise(entry, content, toolCalls, results);
  } finally {
    execution.promptPath.pop();
  }
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {any} entry
 * @param {Record<string, any>} args
 * @param {object} place
 */
async function ask(flow, entry, args, place) {
  const { initUserMessageProperty: property, initAttachmentsProperty: files } = entry;
  const message = property === undefined ? args : args[property];
  const content = typeof message === 'string' ? message : JSON.stringify(message ?? args);
  const paths = files === undefined ? [] : [args[files] ?? []].flat();
  const attachments = await prepareAttachments(flow.parts.store, flow.id, paths);
  return flow.write((change) =>
    addMessage(
      change,
      newMessage({
        ...place,
        role: 'user',
        content,
        ...(attachments.length > 0 && { attachments: attachments.map((attach) => attach(change)) }),
      }),
    ),
  );
}

/** @param {import('../parts.js').Flow} flow */
async function pastChat(flow) {
  const rows = await readHistory(flow.parts.store, flow.id);
  return rows.filter(
    ({ depth, status, role }) => depth === 0 && status === 'completed' && role !== 'tool',
  );
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {any} prompt
 * @param {import('../../../types/threads.js').ToolCall[]} calls
 * @param {object} place
 * @returns {Promise<Answer[]>}
 */
async function runInnerCalls(flow, prompt, calls, place) {
  const answers = [];
  for (const call of calls) {
    const answer = await flow.parts.tools.run(flow, prompt, call, { isTop: false });
    if (answer === null) throw new Error('The execution was ended');
    const attachments = await prepareAttachments(
      flow.parts.store,
      flow.id,
      answer.attachments ?? [],
    );
    await flow.write((change) => {
      addMessage(
        change,
        newMessage({
          ...place,
          role: 'tool',
          name: call.function.name,
          tool_call_id: call.id,
          content: answer.status === 'error' ? `Error: ${answer.text}` : answer.text,
          tool_status: answer.status,
          ...(attachments.length > 0 && {
            attachments: attachments.map((attach) => attach(change)),
          }),
        }),
      );
      answer.apply?.(change);
    }, answer.reads);
    answers.push(answer);
  }
  return answers;
}

/**
 * @param {any} entry
 * @param {string | null} content
 * @param {import('../../../types/threads.js').ToolCall[]} calls
 * @param {Answer[]} answers
 * @returns {Answer}
 */
function summarise(entry, content, calls, answers) {
  const hasError = answers.some(({ status }) => status === 'error');
  const texts = entry.includeTextResponse === false || !content ? [] : [content];
  answers.forEach(({ status, text }, index) => {
    const include = status === 'error' ? entry.includeErrors : entry.includeToolCalls;
    if (include === false) return;
    const { name, arguments: args } = calls[index].function;
    texts.push(`${name}(${args}) ${status === 'error' ? 'failed' : 'gave'}: ${text}`);
  });
  return {
    status: hasError ? 'error' : 'success',
    text: texts.join('\n\n') || 'The prompt is done.',
  };
}

module.exports = { runPromptTool };
