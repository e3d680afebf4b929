'use strict';
// Puts a model request together: the system prompt, the history as this side sees it, and the tools on offer.

const { readHistory } = require('../state/messages.js');
const { keys } = require('../store/keys.js');
const { normalPart } = require('../definitions/define-prompt.js');
const { roleOf } = require('./sides.js');

/** @typedef {import('../../../types/threads.js').Message} Message */
/** @typedef {import('../../../types/threads.js').ModelMessage} ModelMessage */

const DEFAULT_IMAGE_THRESHOLD = 10;
const MAX_INCLUDES = 32;

/**
 * @param {import('../parts.js').Flow} flow
 * @param {any} prompt
 * @param {{ rows: Message[], values: Record<string, unknown> }} [inner] of a prompt that is run as a tool
 */
async function assemble(flow, prompt, inner) {
  const { library, hooks, tools, store } = flow.parts;
  const { state, record } = flow;
  const model = library.model(prompt.model);
  const text = await systemText(flow, prompt, inner?.values ?? {});
  const system = await hooks.pass('after_system_message', state, text);
  const history = inner?.rows ?? selectRows(await readHistory(store, flow.id), prompt, record);
  const own = inner === undefined ? roleOf(record.side) : 'assistant';
  const rows = pairCalls(await hooks.pass('filter_messages', state, history), own);
  const shown = await Promise.all(
    rows.map((row, index) =>
      toModelMessage(flow, row, showsImages(model, prompt, rows.length - index)),
    ),
  );
  const llm = shown.filter((message) => message !== null);
  const messages = await hooks.pass('prefilter_llm_history', state, [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...llm,
  ]);
  const offer = await tools.offer(state, prompt);
  if (flow.execution !== null) flow.execution.messageHistory = messages;
  const request = {
    messages,
    ...(offer.length > 0 && { tools: offer }),
    ...(offer.length > 0 && { toolChoice: prompt.toolChoice ?? 'auto' }),
    ...(prompt.parallelToolCalls !== undefined && { parallelToolCalls: prompt.parallelToolCalls }),
    ...(prompt.reasoning !== undefined && { reasoning: prompt.reasoning }),
    ...((prompt.providerOptions ?? model.providerOptions) !== undefined && {
      providerOptions: { ...model.providerOptions, ...prompt.providerOptions },
    }),
  };
  return {
    model,
    request,
    log: {
      model_name: model.name,
      request_body: JSON.stringify(withoutData(request)),
      system_prompt: system,
      message_history_length: messages.length,
      tools_available: offer.map(({ name }) => name),
    },
  };
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {any} prompt
 * @param {Record<string, unknown>} own
 */
async function systemText(flow, prompt, own) {
  const text = await partsText(flow, prompt, prompt.prompt, []);
  const values = { ...flow.state.arguments, ...flow.record.values, ...own };
  return text.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (placeholder, name) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {any} prompt
 * @param {any} text a string or parts
 * @param {string[]} path the prompts that include this one
 * @returns {Promise<string>}
 */
async function partsText(flow, prompt, text, path) {
  if (typeof text === 'string') return text;
  if (path.includes(prompt.name) || path.length > MAX_INCLUDES) {
    throw new Error(`The prompt '${prompt.name}' includes itself`);
  }
  const texts = await Promise.all(
    text.map(async (/** @type {any} */ given) => {
      const part = /** @type {NonNullable<ReturnType<typeof normalPart>>} */ (normalPart(given));
      if (part.type === 'text') return part.content;
      if (part.type === 'env') {
        return flow.parts.env.findForPrompt(flow.state, prompt, part.property);
      }
      const inner = flow.parts.library.prompt(part.prompt);
      return partsText(flow, inner, inner.prompt, [...path, prompt.name]);
    }),
  );
  return texts.join('');
}

/**
 * The rows of the current turn, and before them what the prompt asks for.
 *
 * @param {Message[]} history
 * @param {any} prompt
 * @param {import('./flow-record.js').FlowRecord} record
 */
function selectRows(history, prompt, record) {
  const rows = history.filter(({ depth, status }) => depth === 0 && status === 'completed');
  return rows
    .filter(({ created_at, role }) => {
      if (created_at >= record.turnStart) return true;
      if (role === 'tool') return prompt.includePastTools === true && prompt.includeChat === true;
      return prompt.includeChat === true;
    })
    .map((row) => {
      const isPast = row.created_at < record.turnStart && prompt.includePastTools !== true;
      return isPast && row.tool_calls ? { ...row, tool_calls: undefined } : row;
    });
}

/**
 * The rows as one side sees them: the other side's calls and results are left out, and so is a call without its result,
 * or a result without its call.
 *
 * @param {Message[]} rows
 * @param {'assistant' | 'user'} own
 */
function pairCalls(rows, own) {
  const answered = new Set(
    rows.filter(({ role }) => role === 'tool').map((row) => row.tool_call_id),
  );
  const visible = new Set();
  const kept = rows.map((row) => {
    const calls = row.role === own && row.tool_calls ? JSON.parse(row.tool_calls) : [];
    const paired = calls.filter((/** @type {any} */ { id }) => answered.has(id));
    for (const { id } of paired) visible.add(id);
    return { row, calls: paired };
  });
  return kept
    .filter(({ row, calls }) => {
      if (row.role === 'tool') return visible.has(row.tool_call_id);
      return calls.length > 0 || (row.content ?? '') !== '' || (row.attachments?.length ?? 0) > 0;
    })
    .map(({ row, calls }) => ({ ...row, calls, isOwn: row.role === own }));
}

/**
 * @param {any} model
 * @param {any} prompt
 * @param {number} age of the row, the newest is 1
 */
function showsImages(model, prompt, age) {
  const threshold = prompt.recentImageThreshold ?? DEFAULT_IMAGE_THRESHOLD;
  return model.capabilities?.supportsImages === true && age <= threshold;
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {ReturnType<typeof pairCalls>[number]} row
 * @param {boolean} withImages
 * @returns {Promise<ModelMessage | null>}
 */
async function toModelMessage(flow, row, withImages) {
  if (row.role === 'system') return { role: 'system', content: row.content ?? '' };
  if (row.role === 'tool') {
    return { role: 'tool', content: row.content ?? '', tool_call_id: row.tool_call_id };
  }
  if (row.isOwn) {
    return {
      role: 'assistant',
      content: row.content ?? '',
      ...(row.calls.length > 0 && { tool_calls: row.calls }),
    };
  }
  const attachments = row.attachments ?? [];
  if (attachments.length === 0) return { role: 'user', content: row.content ?? '' };
  const listed = attachments.map(
    ({ path, name, mimeType, size }) => `- ${path} (${name}, ${mimeType}, ${size} bytes)`,
  );
  const text = [row.content ?? '', `Attached files:\n${listed.join('\n')}`]
    .filter(Boolean)
    .join('\n\n');
  const images = withImages
    ? attachments.filter(({ mimeType }) => mimeType.startsWith('image/'))
    : [];
  if (images.length === 0) return { role: 'user', content: text };
  const parts = await Promise.all(
    images.map(async ({ path, mimeType }) => {
      const bytes = await flow.parts.store.getBytes(keys.blob(flow.id, path));
      return (
        bytes && { type: /** @type {const} */ ('image'), mimeType, data: bytes.toString('base64') }
      );
    }),
  );
  return {
    role: 'user',
    content: [{ type: 'text', text }, ...parts.filter((part) => part !== undefined)],
  };
}

/** A request for the log: without the bytes of images. @param {any} request */
function withoutData(request) {
  return {
    ...request,
    messages: request.messages.map((/** @type {any} */ message) =>
      Array.isArray(message.content)
        ? {
            ...message,
            content: message.content.map((/** @type {any} */ part) =>
              part.data === undefined ? part : { ...part, data: `${part.data.length} characters` },
            ),
          }
        : message,
    ),
  };
}

module.exports = { assemble };
