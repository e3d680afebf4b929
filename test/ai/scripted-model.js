'use strict';
// A model of the AI SDK that says what a script tells it to, and remembers what it was asked.

const { MockLanguageModelV3, simulateReadableStream } = require('ai/test');

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/**
 * @param {string | { code: string }} turn a text that ends the talk, or code to call the tool `code` with
 * @param {number} i
 * @returns {import('@ai-sdk/provider').LanguageModelV3Text | import('@ai-sdk/provider').LanguageModelV3ToolCall}
 */
function contentOf(turn, i) {
  return typeof turn === 'string'
    ? { type: 'text', text: turn }
    : { type: 'tool-call', toolCallId: `call-${i}`, toolName: 'code', input: JSON.stringify(turn) };
}

/** @param {(string | { code: string })[]} script one turn after the other */
function scriptedModel(script) {
  const turns = script.map((turn, i) => ({
    content: contentOf(turn, i),
    /** @type {import('@ai-sdk/provider').LanguageModelV3FinishReason} */
    finishReason: {
      unified: typeof turn === 'string' ? 'stop' : 'tool-calls',
      raw: undefined,
    },
  }));
  let generated = 0;
  let streamed = 0;
  return new MockLanguageModelV3({
    async doGenerate() {
      const { content, finishReason } = turns[generated++];
      return { content: [content], finishReason, usage, warnings: [] };
    },
    async doStream() {
      const { content, finishReason } = turns[streamed++];
      /** @type {import('@ai-sdk/provider').LanguageModelV3StreamPart[]} */
      const parts =
        content.type === 'text'
          ? [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: content.text },
              { type: 'text-end', id: 't' },
            ]
          : [content];
      /** @type {import('@ai-sdk/provider').LanguageModelV3StreamPart[]} */
      const chunks = [
        { type: 'stream-start', warnings: [] },
        ...parts,
        { type: 'finish', finishReason, usage },
      ];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
}

/** @param {any} model @returns {any[]} the outputs of tools that the model was shown, in its last prompt */
function outputsShown(model) {
  const calls = [...model.doGenerateCalls, ...model.doStreamCalls];
  return calls
    .at(-1)
    .prompt.filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content.map(({ output }) => output));
}

module.exports = { outputsShown, scriptedModel };
