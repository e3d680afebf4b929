'use strict';
// What happens in threads, as it happens, over WebSockets.

const net = require('node:net');

const { WebSocket } = require('ws');

const { connect, serve } = require('./served.js');
const { call, defineTool, say } = require('./support.js');

test('12: the stream of a thread has its rows, pieces of text, events and logs', async () => {
  const tool = defineTool({
    description: 'd',
    execute: (state) => state.emit('progress', { done: 0.5 }),
  });
  const { thread, port, runtime } = await serve([call('tool'), say('Hello.')], {
    options: { tools: { tool } },
  });
  const {
    socket,
    frames: seen,
    until,
  } = await connect(port, `/threads/${thread.threadId}/stream?token=secret&logs=1`);
  await runtime.send(thread.threadId, { content: 'Hi' });
  await until(({ eventType }) => eventType === 'stopped');
  expect(seen[0]).toEqual({ type: 'connected', thread_id: thread.threadId });
  const rows = seen
    .filter(({ type }) => type === 'message_data')
    .map(({ data }) => `${data.role} ${data.status}`);
  expect(rows.slice(0, 3)).toEqual(['user completed', 'assistant pending', 'assistant completed']);
  expect(seen.filter(({ type }) => type === 'event').map(({ eventType }) => eventType)).toEqual(
    expect.arrayContaining([
      'step_started',
      'llm_request',
      'llm_response',
      'tool_started',
      'progress',
      'tool_completed',
      'step_completed',
      'stopped',
    ]),
  );
  expect(seen.find(({ eventType }) => eventType === 'progress').data).toEqual({ done: 0.5 });
  expect(seen.some(({ type }) => type === 'log_data')).toBe(true);
  socket.terminate();
});

test('streams are for those with a token, and of threads there are', async () => {
  const { thread, port } = await serve([say('x')]);
  const statusOf = (path) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
      socket.on('open', () => resolve(101));
      socket.on('error', () => {});
    });
  expect(await statusOf(`/threads/${thread.threadId}/stream`)).toBe(401);
  expect(await statusOf('/threads/nope/stream?token=secret')).toBe(404);
  expect(await statusOf(`/threads/${thread.threadId}/other?token=secret`)).toBe(404);
});

test('a reader who does not read loses pieces, then the connection; the thread goes on', async () => {
  const { thread, port, runtime } = await serve([say('x')]);
  const socket = net.connect(port, '127.0.0.1');
  socket.write(
    `GET /threads/${thread.threadId}/stream?token=secret HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  const ended = new Promise((resolve) => socket.once('close', resolve));
  const text = 'x'.repeat(2 ** 20);
  for (let index = 0; index < 40; index += 1) thread.emit('flood', { text });
  await runtime.send(thread.threadId, { content: 'still here?' });
  await runtime.idle(thread.threadId);
  expect((await thread.getMessages()).total).toBe(2);
  socket.resume();
  await ended;
});

describe('the stream of all threads', () => {
  test('12: tells of threads that are created, go on, change and are deleted', async () => {
    const { ask, port, runtime } = await serve([say('Hello.')]);
    const { frames, until, socket } = await connect(port, '/api/stream?token=secret');
    const { threadId: id } = (await ask('POST', '/threads', { agent_id: 'helper' })).body;
    const about = (type) => until((frame) => frame.type === type && frame.thread_id === id);
    expect((await about('thread_created')).data).toMatchObject({ id, agent_name: 'helper' });
    await runtime.send(id, { content: 'Hi' });
    await until(({ data }) => data?.last_message_preview === 'Hello.' && !data.executing);
    expect((await about('thread_activity')).data).toMatchObject({ id });
    await ask('PATCH', `/threads/${id}`, { tags: ['t'] });
    await until(({ type, data }) => type === 'thread_updated' && data.tags[0] === 't');
    await ask('DELETE', `/threads/${id}`);
    expect(await about('thread_deleted')).toEqual({ type: 'thread_deleted', thread_id: id });
    const own = frames.filter(({ thread_id }) => thread_id === id).map(({ type }) => type);
    expect(own.filter((type) => type === 'thread_created')).toHaveLength(1);
    socket.terminate();
  });

  test('tells a user of that user alone', async () => {
    const tokens = { a: { user: 'ada' }, b: { user: 'bob' } };
    const { ask, port } = await serve([say('x')], {}, tokens);
    const bob = await connect(port, '/stream?token=b');
    const create = async (token) =>
      (await ask('POST', '/threads', { agent_id: 'helper' }, token)).body.threadId;
    const ada = await create('a');
    await ask('DELETE', `/threads/${ada}`, undefined, 'a');
    const own = await create('b');
    await bob.until(({ thread_id }) => thread_id === own);
    expect(bob.frames.filter(({ thread_id }) => thread_id === ada)).toEqual([]);
    bob.socket.terminate();
  });
});
