// The code tool with version 7 of the AI SDK, which is made of ES modules alone. Prints what the model and the tools saw.
import * as ai from 'ai7';
import { MockLanguageModelV4, simulateReadableStream } from 'ai7/test';
import { codeTool } from 'isobox/ai';
import * as v from 'valibot';
import { z } from 'zod';

/** The tests are about what happens, in any version: their types are those of version 6. @type {any} */
const { generateText, isStepCount, jsonSchema, streamText, tool } = ai;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function scriptedModel(code) {
  /** @type {any[]} */
  const turns = [
    { type: 'tool-call', toolCallId: 'call-0', toolName: 'code', input: JSON.stringify({ code }) },
    { type: 'text', text: 'done' },
  ];
  const finish = (content) => ({
    unified: content.type === 'text' ? 'stop' : 'tool-calls',
    raw: undefined,
  });
  /** @type {any} */
  const answers = {
    async doGenerate() {
      const content = turns.shift();
      return { content: [content], finishReason: finish(content), usage, warnings: [] };
    },
    async doStream() {
      const content = turns.shift();
      const parts =
        content.type === 'text'
          ? ['start', 'delta', 'end'].map((step) => ({
              type: `text-${step}`,
              id: 't',
              ...(step === 'delta' && { delta: content.text }),
            }))
          : [content];
      const chunks = [
        { type: 'stream-start', warnings: [] },
        ...parts,
        { type: 'finish', finishReason: finish(content), usage },
      ];
      return { stream: simulateReadableStream({ chunks }) };
    },
  };
  return new MockLanguageModelV4(answers);
}

async function say(code, options) {
  const model = scriptedModel(code);
  const tools = { code: codeTool(options) };
  const { text } = await generateText({ model, tools, stopWhen: isStepCount(3), prompt: 'go' });
  const [shown] = /** @type {any[]} */ (model.doGenerateCalls)
    .at(-1)
    .prompt.filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content.map(({ output }) => output));
  return { text, ...shown };
}

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const schemas = [z.object({ city: z.string() }), v.object({ city: v.string() }), jsonSchema(city)];
const fitting = [];
const refused = [];
for (const inputSchema of schemas) {
  const tools = { weather: tool({ inputSchema, execute: async ({ city: name }) => name.length }) };
  fitting.push(await say('return tools.weather({ city: "Oslo" })', { tools }));
  refused.push(await say('return tools.weather({ city: 5 })', { tools }));
}

const pay = tool({
  inputSchema: z.object({ sum: z.number() }),
  needsApproval: async ({ sum }) => sum > 1,
  execute: async ({ sum }, { toolCallId }) => `paid ${sum} for ${toolCallId}`,
});
const payments = [];
for (const answer of [true, false]) {
  const asked = [];
  const approve = (request) => asked.push(request.toolName) > 0 && answer;
  payments.push(await say('return tools.pay({ sum: 5 })', { tools: { pay }, approve }));
}

const slow = tool({
  inputSchema: z.object({}),
  execute: () => new Promise((resolve) => setTimeout(resolve, 50)),
});
const { stream } = streamText({
  model: scriptedModel('console.log("one"); await tools.slow({}); console.log("two"); return 3'),
  tools: { code: codeTool({ tools: { slow }, streamLogs: true }) },
  stopWhen: isStepCount(3),
  prompt: 'go',
});
const streamed = [];
for await (const part of stream) {
  if (part.type === 'tool-result') streamed.push([Boolean(part.preliminary), part.output]);
}

const described = codeTool({
  tools: { slow: tool({ ...slow, description: () => 'Takes its time.' }) },
}).description;
console.log(JSON.stringify({ fitting, refused, payments, streamed, described }));
