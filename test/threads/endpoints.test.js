'use strict';
// Endpoints of a developer's own, beside the REST paths of a thread.

const { THREAD_SECTIONS } = require('../../lib/threads/definitions/endpoints.js');
const { serve } = require('./served.js');
const {
  call,
  createThreadRuntime,
  defineThreadEndpoint,
  defineTool,
  newDirectory,
  say,
} = require('./support.js');

test('2: an endpoint reads and changes its thread, and can start an execution', async () => {
  const endpoints = {
    'GET /summary': defineThreadEndpoint(async (request, state) => ({
      thread: state.threadId,
      value: await state.getValue('k'),
      word: new URL(request.url).searchParams.get('word'),
    })),
    'POST /notes/:name': defineThreadEndpoint(async (request, state, params) => {
      const { text } = await request.json();
      await state.setValue('k', text);
      await state.queueMessage({ role: 'user', content: `${params.name}: ${text}` });
      return new Response(`noted ${params.name}`, { status: 201, headers: { 'x-note': text } });
    }),
    'GET /notes/all': defineThreadEndpoint(() => 'all of them'),
    'GET /notes/:name': defineThreadEndpoint((_request, _state, params) => params.name),
  };
  const { ask, thread, runtime } = await serve([say('Hello.')], { options: { endpoints } });
  const at = `/threads/${thread.threadId}`;
  const posted = await ask('POST', `/api${at}/notes/first`, { text: 'hi' });
  expect(posted).toMatchObject({ status: 201, body: 'noted first' });
  expect(posted.headers.get('x-note')).toBe('hi');
  await runtime.idle();
  const { messages } = await thread.getMessages();
  expect(messages.map(({ content }) => content)).toEqual(['first: hi', 'Hello.']);
  expect(await ask('GET', `${at}/summary?word=w`)).toMatchObject({
    status: 200,
    body: { thread: thread.threadId, value: 'hi', word: 'w' },
  });
  // Words win over placeholders, in whatever order they are given.
  expect((await ask('GET', `${at}/notes/all`)).body).toBe('all of them');
  expect((await ask('GET', `${at}/notes/a%20b`)).body).toBe('a b');
});

test('an endpoint stands beside the execution: state.execution is null', async () => {
  const held = {};
  const tool = defineTool({
    description: 'd',
    execute: () => new Promise((resolve) => (held.goOn = resolve)),
  });
  const endpoints = {
    'GET /look': defineThreadEndpoint((_request, state) => ({ execution: state.execution })),
  };
  const { ask, thread, runtime } = await serve([call('tool'), say('done')], {
    options: { endpoints, tools: { tool } },
  });
  await runtime.send(thread.threadId, { content: 'go' });
  while (held.goOn === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(thread.execution).not.toBe(null);
  expect((await ask('GET', `/threads/${thread.threadId}/look`)).body).toEqual({ execution: null });
  held.goOn('x');
  await runtime.idle();
});

test('endpoints are for those who may see the thread; other methods and paths are refused', async () => {
  const endpoints = { 'GET /look': defineThreadEndpoint(() => 'seen') };
  const { ask, thread } = await serve([say('x')], { options: { endpoints } });
  const at = `/threads/${thread.threadId}`;
  expect((await ask('GET', `${at}/look`, undefined, '')).status).toBe(401);
  expect((await ask('GET', '/threads/nope/look')).status).toBe(404);
  expect((await ask('POST', `${at}/look`)).status).toBe(405);
  expect((await ask('GET', `${at}/look/more`)).status).toBe(404);
});

test('an endpoint that throws is answered with 500, and is in the log', async () => {
  const endpoints = {
    'GET /fail': defineThreadEndpoint(() => {
      throw new Error('no luck');
    }),
    'POST /late': defineThreadEndpoint(async (_request, state) => {
      await state.terminate();
      await state.setValue('k', 1);
    }),
  };
  const { ask, thread } = await serve([say('x')], { options: { endpoints } });
  const failed = await ask('GET', `/threads/${thread.threadId}/fail`);
  expect(failed).toMatchObject({
    status: 500,
    body: { error: 'The endpoint GET /fail failed: no luck' },
  });
  expect(await thread.getLogs()).toMatchObject([{ error_origin: 'endpoint:GET /fail' }]);
  expect((await ask('POST', `/threads/${thread.threadId}/late`)).status).toBe(409);
});

test.each([
  ['GET summary', "must be a method and a path, such as 'GET /reports/:id'"],
  ['FETCH /summary', 'must be a method and a path'],
  ['GET /:anything', 'must begin with a word of its own'],
  ...THREAD_SECTIONS.map((section) => [`GET /${section}/x`, 'these are taken']),
])('an endpoint cannot be called %s', async (name, text) => {
  const endpoints = { [name]: defineThreadEndpoint(() => 1) };
  await expect(createThreadRuntime({ store: newDirectory(), endpoints })).rejects.toMatchObject({
    code: 'ERR_ISOBOX_THREAD_DEFINITION',
    message: expect.stringContaining(text),
  });
});

test('what is no function is no endpoint', () => {
  expect(() => defineThreadEndpoint(/** @type {any} */ ('text'))).toThrow(
    'execute must be a function',
  );
});
