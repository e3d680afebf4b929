'use strict';
// `isobox threads`: a folder of definitions, served.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { BIN, isobox, useFiles } = require('../cli/command.js');

const THREADS = JSON.stringify(path.join(__dirname, '..', '..', 'lib', 'threads', 'index.mjs'));

const definitions = (side = '') => ({
  'agents/models/small.mjs': `import { defineModel } from ${THREADS};
    const generate = async ({ messages }) => messages.at(-1).role === 'tool'
      ? { content: 'It is ' + messages.at(-1).content, finishReason: 'stop' }
      : { content: null, finishReason: 'tool_calls', toolCalls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{}' } }] };
    export default defineModel({ name: 'small', model: 's', provider: () => ({ name: 's', specificationVersion: '1', generate }) });`,
  'agents/tools/add.mjs': `import { defineTool } from ${THREADS};
    export default defineTool({ description: 'Adds.', execute: () => '5' });`,
  'agents/prompts/main.mjs': `import { definePrompt } from ${THREADS};
    export default definePrompt({ name: 'main', toolDescription: 'd', prompt: 'x', model: 'small', tools: ['add'] });`,
  'agents/api/count/[what].get.mjs': `import { defineThreadEndpoint } from ${THREADS};
    export default defineThreadEndpoint(async (_request, state, { what }) => ({ [what]: (await state.getMessages()).total }));`,
  'agents/agents/helper.mjs': `export default { name: 'helper', sideA: { prompt: 'main' ${side} } };`,
});

const good = useFiles(definitions());
const bad = useFiles(definitions(', maxSteps: -1'));
const broken = useFiles({ ...definitions(), 'agents/tools/add.mjs': 'export default {' });

/** Starts the command and gives its address. */
async function start(store) {
  const child = spawn(process.execPath, [
    BIN,
    'threads',
    good,
    '--port',
    '0',
    '--store',
    store,
    '--token',
    'secret',
  ]);
  const url = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text) => resolve(text.trim()));
    child.stderr.setEncoding('utf8').once('data', (text) => reject(new Error(text)));
  });
  /** @type {(method: string, place: string, body?: object) => Promise<any>} */
  const ask = async (method, place, body) => {
    const response = await fetch(`${url}${place}`, {
      method,
      headers: { authorization: 'Bearer secret' },
      body: body && JSON.stringify(body),
    });
    return response.json();
  };
  const ended = new Promise((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  );
  return { child, ask, ended, url };
}

async function messagesOf(ask, id, count) {
  for (;;) {
    const { messages } = await ask('GET', `/api/threads/${id}/messages`);
    if (messages.length >= count && messages.every(({ status }) => status === 'completed')) {
      return messages;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('serves threads that survive the process', async () => {
  const store = path.join(good, 'store');
  const first = await start(store);
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const { threadId } = await first.ask('POST', '/threads', { agent_id: 'helper' });
  await first.ask('POST', `/threads/${threadId}/messages`, { content: '2 + 3?' });
  expect((await messagesOf(first.ask, threadId, 4)).at(-1).content).toBe('It is 5');
  expect(await first.ask('GET', `/threads/${threadId}/count/rows`)).toEqual({ rows: 4 });
  first.child.kill('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');
  const second = await start(store);
  await second.ask('POST', `/threads/${threadId}/messages`, { content: 'and again?' });
  expect(await messagesOf(second.ask, threadId, 8)).toHaveLength(8);
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(143);
  expect(fs.readdirSync(store)).toContain('threads.mdb');
});

test.each([
  ['a bad definition', () => bad, ["agent 'helper'", 'sideA.maxSteps must be a whole number']],
  ['a file that does not parse', () => broken, ['agents/tools/add.mjs']],
  [
    'a folder without definitions',
    () => path.join(good, 'agents', 'tools'),
    ['There are no definitions'],
  ],
])('%s ends it with a message and no stack', async (_name, folder, texts) => {
  const { code, stdout, stderr } = await isobox([
    'threads',
    folder(),
    '--store',
    path.join(good, 'other'),
    '--token',
    't',
  ]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  for (const text of texts) expect(stderr).toContain(text);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('a token and a store are asked for', async () => {
  expect((await isobox(['threads', good])).stderr).toContain(
    "required option '-s, --store <place>'",
  );
});
