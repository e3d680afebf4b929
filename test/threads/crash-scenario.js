'use strict';
// What runs while the process is killed: two calls in one step, a subagent that is waited for, a queued tool, and an
// answer. Run as a program, it kills itself ahead of the transaction whose number it is given.

const fs = require('node:fs');

const threads = require('../../lib/threads/index.js');

const { createThreadRuntime, defineAgent, defineModel, definePrompt, defineTool } = threads;

const call = (...pairs) => ({
  content: null,
  finishReason: 'tool_calls',
  toolCalls: pairs.map(([name, args, id]) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  })),
});
const say = (content) => ({ content, finishReason: 'stop' });

/** A model that knows what to do from what it is sent, whatever happened to its earlier answers. */
function answer({ messages }) {
  const results = messages.filter(({ role }) => role === 'tool').length;
  if (messages[0].content === 'You check.') return say('Go on.');
  if (messages[0].content === 'You research.') {
    return call(['report', { summary: 'found' }, `r${results + 1}`]);
  }
  if (results < 2) return call(['charge', { n: 1 }, 'c1'], ['charge', { n: 2 }, 'c2']);
  if (results < 3) return call(['researcher', { task: 'look' }, 'c3']);
  return say('All done.');
}

/**
 * @param {string} store
 * @param {string} effects a file with a line for every time a tool really ran
 */
function definitions(store, effects) {
  const charge = (state) => {
    fs.appendFileSync(effects, `${state.execution.toolCallId}\n`);
    return 'charged';
  };
  const provider = {
    name: 'p',
    specificationVersion: '1',
    generate: async (request) => answer(request),
  };
  const prompt = (name, text, tools) =>
    definePrompt({
      name,
      toolDescription: 'd',
      prompt: text,
      model: 'm',
      includeChat: true,
      includePastTools: true,
      tools,
    });
  return {
    store,
    models: [defineModel({ name: 'm', model: 'm', provider: () => provider })],
    prompts: [
      prompt('main', 'You work.', [
        'charge',
        { name: 'researcher', initUserMessageProperty: 'task' },
      ]),
      prompt('research', 'You research.', ['report']),
      prompt('peer', 'You check.', []),
    ],
    tools: {
      charge: defineTool({ description: 'Charges.', args: { type: 'object' }, execute: charge }),
      report: defineTool({
        description: 'Reports.',
        args: { type: 'object' },
        execute: () => 'reported',
      }),
    },
    agents: [
      defineAgent({ name: 'worker', sideA: { prompt: 'main' } }),
      defineAgent({
        name: 'researcher',
        type: 'dual_ai',
        exposeAsTool: true,
        toolDescription: 'Finds out.',
        sideA: { prompt: 'research', sessionStop: { name: 'report', messageProperty: 'summary' } },
        sideB: { prompt: 'peer' },
      }),
    ],
  };
}

async function main([store, effects, threadId, killAt, engineModule, engineName]) {
  const runtime = await createThreadRuntime(definitions(store, effects));
  const { prototype } = require(engineModule)[engineName];
  const { transact } = prototype;
  let count = 0;
  prototype.transact = function counted(...args) {
    count += 1;
    if (count === Number(killAt)) process.kill(process.pid, 'SIGKILL');
    return transact.apply(this, args);
  };
  await runtime.send(threadId, { content: 'go' });
  fs.writeSync(1, 'acknowledged\n');
  await runtime.idle(threadId);
  fs.writeSync(1, `${count} transactions\n`);
  await runtime.close();
}

if (require.main === module) main(/** @type {any} */ (process.argv.slice(2)));

module.exports = { definitions };
