'use strict';
// Threads over HTTP.

const { serve } = require('./served.js');
const { defineEffect, openAgent, say } = require('./support.js');

/** A thread made over HTTP, and its path. */
async function newThread(ask, more = {}, token = 'secret') {
  const { status, body } = await ask('POST', '/threads', { agent_id: 'helper', ...more }, token);
  expect(status).toBe(200);
  return { id: body.threadId, at: `/threads/${body.threadId}` };
}

test.each(['', '/api'])('a conversation over %s/threads', async (prefix) => {
  const { ask, runtime } = await serve([say('Hello.')]);
  const { id } = await newThread(ask, {
    tags: ['t'],
    properties: { p: 1 },
    initial_messages: [{ role: 'system', content: 'note' }],
  });
  const at = `${prefix}/threads/${id}`;
  const posted = await ask('POST', `${at}/messages`, { content: 'Hi' });
  expect(posted).toMatchObject({
    status: 202,
    body: { status: 'queued', messageId: expect.any(String) },
  });
  await runtime.idle();
  const { body } = await ask('GET', `${at}/messages`);
  expect(body).toMatchObject({ total: 3, hasMore: false });
  expect(body.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
    'system: note',
    'user: Hi',
    'assistant: Hello.',
  ]);
  expect(body.messages[1].id).toBe(posted.body.messageId);
  const thread = (await ask('GET', at)).body;
  expect(thread).toMatchObject({
    id,
    agent_name: 'helper',
    tags: ['t'],
    properties: { p: 1 },
    parent: null,
    terminated: null,
    executing: false,
  });
  expect(thread.created_at).toBeLessThan(1e10);
  const { threads, hasMore } = (await ask('GET', `${prefix}/threads?limit=1&sort=created`)).body;
  expect({ first: threads[0].id, hasMore }).toEqual({ first: id, hasMore: true });
  const logs = (await ask('GET', `${at}/logs`)).body.logs;
  expect((await ask('GET', `${at}/logs/${logs[0].id}`)).body).toEqual(logs[0]);
  expect((await ask('GET', `${at}/cost`)).body).toMatchObject({ total_tokens: 5 });
  expect((await ask('PATCH', at, { tags: ['u'] })).body.tags).toEqual(['u']);
});

test('messages are changed and deleted; threads stopped, continued, terminated, deleted', async () => {
  const { ask, runtime } = await serve([say('one')]);
  const { at } = await newThread(ask);
  await ask('POST', `${at}/messages`, {
    content: 'Hi',
    attachments: [{ name: 'a.txt', mimeType: 'text/plain', data: 'aGk=' }],
  });
  await runtime.idle();
  const [first] = (await ask('GET', `${at}/messages?order=asc&limit=5&includeSilent=true`)).body
    .messages;
  const file = await ask('GET', `${at}/fs${first.attachments[0].path}`);
  expect(file).toMatchObject({ status: 200, body: 'hi' });
  expect(file.headers.get('content-disposition')).toBe('attachment');
  expect(
    (await ask('PATCH', `${at}/messages/${first.id}`, { metadata: { x: 1 } })).body.metadata,
  ).toEqual({ x: 1 });
  expect((await ask('DELETE', `${at}/messages/${first.id}`)).status).toBe(200);
  expect((await ask('DELETE', `${at}/messages/${first.id}`)).status).toBe(404);
  expect((await ask('POST', `${at}/stop`)).status).toBe(200);
  expect((await ask('POST', `${at}/continue`, { side: 'a' })).status).toBe(202);
  await runtime.idle();
  expect((await ask('POST', `${at}/terminate`)).body.terminated).toEqual(expect.any(Number));
  expect(await ask('POST', `${at}/messages`, { content: 'x' })).toMatchObject({
    status: 409,
    body: { code: 'ERR_ISOBOX_THREAD_TERMINATED' },
  });
  expect((await ask('GET', `/threads?terminated=true`)).body.total).toBe(1);
  expect((await ask('DELETE', at)).status).toBe(200);
  expect((await ask('GET', at)).status).toBe(404);
});

test('values, files and effects', async () => {
  const effects = { later: defineEffect('d', (state) => state.setValue('ran', true)) };
  const { ask, runtime, thread } = await serve([say('x')], { options: { effects } });
  const at = `/threads/${thread.threadId}`;
  expect((await ask('POST', `${at}/kv`, { key: 'a/b', value: [1] })).status).toBe(200);
  expect((await ask('GET', `${at}/kv?key=a%2Fb`)).body).toEqual({ key: 'a/b', value: [1] });
  expect((await ask('GET', `${at}/kv`)).body.values).toEqual([{ key: 'a/b', value: [1] }]);
  expect((await ask('DELETE', `${at}/kv?key=a%2Fb`)).status).toBe(200);
  expect((await ask('GET', `${at}/kv?key=a%2Fb`)).body.value).toBe(null);
  expect(await ask('POST', `${at}/kv`, { key: '', value: 1 })).toMatchObject({
    status: 400,
    body: { code: 'ERR_ISOBOX_THREAD_KEY' },
  });
  expect((await ask('PUT', `${at}/fs/notes/a.txt`, 'text')).status).toBe(201);
  expect((await ask('GET', `${at}/fs/notes`)).body.entries).toMatchObject([
    { path: '/notes/a.txt', size: 4 },
  ]);
  expect((await ask('GET', `${at}/fs`)).body.entries).toMatchObject([
    { path: '/notes', isDirectory: true },
  ]);
  expect((await ask('DELETE', `${at}/fs/notes/a.txt`)).status).toBe(200);
  expect((await ask('GET', `${at}/fs/notes/a.txt`)).status).toBe(404);
  const id = await thread.scheduleEffect('later', {}, 60_000);
  expect((await ask('GET', `${at}/effects`)).body.effects).toMatchObject([
    { id, status: 'pending' },
  ]);
  expect((await ask('POST', `${at}/effects/${id}/run`)).status).toBe(202);
  await runtime.idle();
  expect(await thread.getValue('ran')).toBe(true);
  expect((await ask('POST', `${at}/effects/${id}/cancel`)).status).toBe(409);
  expect((await ask('GET', `${at}/subagents`)).body).toEqual({ subagents: [] });
  expect((await ask('GET', `${at}/variables/nope`)).status).toBe(404);
});

test.each([
  ['no token', 'GET', '/threads', undefined, 401, ''],
  ['a wrong token', 'GET', '/threads', undefined, 401, 'guess'],
  ['no agent', 'POST', '/threads', {}, 400],
  ['an unknown agent', 'POST', '/threads', { agent_id: 'nope' }, 404],
  ['an unknown field', 'POST', '/threads', { agent_id: 'helper', agent: 1 }, 400],
  ['no JSON', 'POST', '/threads', '{', 400],
  ['no object', 'POST', '/threads', '[]', 400],
  ['an unknown thread', 'GET', '/threads/nope', undefined, 404],
  ['an unknown path', 'GET', '/nope', undefined, 404],
  ['an unknown section', 'GET', '/threads/$/nope', undefined, 404],
  ['a wrong method', 'DELETE', '/threads', undefined, 405],
  ['a path that is not well-formed', 'GET', '/threads/%E0', undefined, 400],
  ['a message without content', 'POST', '/threads/$/messages', {}, 400],
  ['a message of a wrong role', 'POST', '/threads/$/messages', { content: 'x', role: 'tool' }, 400],
  ['a bad limit', 'GET', '/threads/$/messages?limit=-1', undefined, 400],
])('%s is an answer that says so', async (...row) => {
  const [, method, path, body, status, token] = row;
  const { ask, thread } = await serve([say('x')]);
  const answer = await ask(method, path.replace('$', thread.threadId), body, token);
  expect(answer.status).toBe(status);
  expect(answer.body.error.length).toBeGreaterThan(5);
});

test('a token of a user sees the threads of that user', async () => {
  const { ask } = await serve([say('x')], {}, { a: { user: 'ada' }, b: { user: 'bob' }, root: {} });
  const { at, id } = await newThread(ask, {}, 'a');
  expect((await ask('GET', at, undefined, 'a')).body.user_id).toBe('ada');
  expect((await ask('GET', at, undefined, 'b')).status).toBe(403);
  expect((await ask('POST', `${at}/messages`, { content: 'x' }, 'b')).status).toBe(403);
  expect((await ask('GET', '/threads', undefined, 'b')).body.threads).toEqual([]);
  expect((await ask('GET', '/threads', undefined, 'a')).body.threads).toMatchObject([{ id }]);
  expect((await ask('GET', '/threads', undefined, 'root')).body.total).toBe(2);
});

test('handler takes tokens, and says so', async () => {
  const { runtime } = await openAgent([say('x')]);
  expect(() => /** @type {any} */ (runtime).handler()).toThrow('tokens must be');
  expect(() => runtime.handler({ tokens: [] })).toThrow('tokens must be');
  expect(() => runtime.handler(/** @type {any} */ ({ tokens: ['a'], token: 'b' }))).toThrow(
    "'token'",
  );
});
