'use strict';
// A language model of the AI SDK, version 2 or 3 of its interface, as a provider.

/** @typedef {import('../../../types/threads.js').ModelRequest} ModelRequest */

/** @param {NonNullable<ModelRequest['toolChoice']>} choice */
const toChoice = (choice) =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name };

class AiSdkProvider {
  specificationVersion = /** @type {const} */ ('1');
  #model;

  /** @param {any} model */
  constructor(model) {
    this.#model = model;
    this.name = String(model.provider ?? 'ai-sdk');
  }

  /** @param {ModelRequest} request */
  async generate(request) {
    const { content = [], finishReason, usage } = await this.#model.doGenerate(toOptions(request));
    const texts = (/** @type {string} */ type) =>
      content
        .filter((/** @type {any} */ part) => part.type === type)
        .map((/** @type {any} */ part) => part.text)
        .join('');
    return {
      content: texts('text') || null,
      reasoning: texts('reasoning'),
      toolCalls: content.filter((/** @type {any} */ part) => part.type === 'tool-call').map(toCall),
      ...toEnd(finishReason, usage),
    };
  }

  /** @param {ModelRequest} request */
  async *stream(request) {
    const { stream } = await this.#model.doStream(toOptions(request));
    for await (const part of stream) {
      if (part.type === 'text-delta') yield { type: 'content-delta', delta: part.delta };
      else if (part.type === 'reasoning-delta') {
        yield { type: 'reasoning-delta', delta: part.delta };
      } else if (part.type === 'tool-call') yield { type: 'tool-call', toolCall: toCall(part) };
      else if (part.type === 'finish') {
        yield { type: 'finish', ...toEnd(part.finishReason, part.usage) };
      } else if (part.type === 'error') throw part.error;
    }
  }
}

/** @param {any} part */
function toCall({ toolCallId, toolName, input }) {
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  return {
    id: toolCallId,
    type: /** @type {const} */ ('function'),
    function: { name: toolName, arguments: text || '{}' },
  };
}

/**
 * @param {any} finishReason a word, or both the SDK's word and the provider's
 * @param {any} usage numbers, or numbers by kind
 */
function toEnd(finishReason, usage = {}) {
  const total = (/** @type {any} */ tokens) =>
    typeof tokens === 'object' ? tokens?.total : tokens;
  const promptTokens = total(usage.inputTokens);
  const completionTokens = total(usage.outputTokens);
  return {
    finishReason: String(finishReason?.unified ?? finishReason).replace('tool-calls', 'tool_calls'),
    usage: {
      promptTokens,
      completionTokens,
      totalTokens: usage.totalTokens ?? (promptTokens ?? 0) + (completionTokens ?? 0),
      cachedTokens: usage.inputTokens?.cacheRead ?? usage.cachedInputTokens,
      reasoningTokens: usage.outputTokens?.reasoning ?? usage.reasoningTokens,
    },
  };
}

/** @param {ModelRequest} request */
function toOptions({ messages, tools = [], toolChoice, reasoning, providerOptions, signal }) {
  const names = new Map(
    messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((call) => [call.id, call.function.name]),
    ),
  );
  return {
    prompt: messages.map((message) => toMessage(message, names)),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        name,
        description,
        inputSchema: parameters,
      })),
    }),
    ...(toolChoice !== undefined && tools.length > 0 && { toolChoice: toChoice(toolChoice) }),
    ...(reasoning?.maxTokens !== undefined && { maxOutputTokens: reasoning.maxTokens }),
    ...(providerOptions !== undefined && { providerOptions }),
    abortSignal: signal,
  };
}

/**
 * @param {ModelRequest['messages'][number]} message
 * @param {Map<string, string>} names of tools by call
 */
function toMessage({ role, content, tool_calls = [], tool_call_id }, names) {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
  if (role === 'system') return { role, content: text };
  if (role === 'tool') {
    const id = /** @type {string} */ (tool_call_id);
    const output = { type: 'text', value: text };
    return {
      role,
      content: [{ type: 'tool-result', toolCallId: id, toolName: names.get(id), output }],
    };
  }
  const shown = parts
    .filter((part) => part.type !== 'text' || part.text !== '')
    .map((part) =>
      'data' in part ? { type: 'file', mediaType: part.mimeType, data: part.data } : part,
    );
  if (role === 'user') return { role, content: shown };
  const calls = tool_calls.map((call) => ({
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.function.name,
    input: parseArguments(call.function.arguments),
  }));
  return { role, content: [...shown, ...calls] };
}

/** @param {string} text a model may have written anything */
function parseArguments(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { arguments: text };
  }
}

module.exports = { AiSdkProvider };
