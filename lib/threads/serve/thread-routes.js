'use strict';
// The REST paths of threads: the registry, messages, what stops and goes on.

const { keys } = require('../store/keys.js');
const { HttpError, isTrue, readJson, readNumber } = require('./request.js');
const { listThreads } = require('./thread-list-route.js');
const { toRow } = require('./thread-row.js');

/**
 * @typedef {object} Ask one request
 * @property {import('../parts.js').Parts} parts
 * @property {InstanceType<typeof import('../runtime.js').ThreadRuntime>} runtime
 * @property {import('node:http').IncomingMessage} request
 * @property {import('node:http').ServerResponse} response
 * @property {URLSearchParams} query
 * @property {import('./access.js').Caller} caller
 * @property {string} id the thread's
 * @property {string} rest what follows in the path
 * @property {import('../parts.js').ThreadState} state
 *
 * @typedef {{ status?: number, body: object } | undefined} Reply undefined when the route has answered itself
 * @typedef {(ask: Ask) => Promise<Reply>} Route
 */

/** @type {Route} */
async function listAgents({ parts }) {
  const agents = [...parts.library.agents.values()].map(({ name, type, title, description }) => ({
    name,
    type,
    title,
    description,
  }));
  return { body: { agents } };
}

/** @type {Route} */
async function createThread({ parts, runtime, request, caller }) {
  const {
    agent_id,
    tags,
    env,
    env_types,
    properties,
    initial_messages = [],
    data,
    ...unknown
  } = await readJson(request);
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) throw new HttpError(400, `The field ${extra} is not known`);
  if (typeof agent_id !== 'string') throw new HttpError(400, 'agent_id is missing');
  if (!Array.isArray(initial_messages)) throw new HttpError(400, 'initial_messages must be a list');
  parts.library.agent(agent_id);
  const thread = await runtime.createThread({
    agent: agent_id,
    userId: caller.user,
    ...(tags !== undefined && { tags }),
    ...(env !== undefined && { env }),
    ...(env_types !== undefined && { envTypes: env_types }),
    ...(properties !== undefined && { properties }),
    ...(data !== undefined && { arguments: data }),
  });
  for (const message of initial_messages) await thread.injectMessage(message);
  return {
    body: { threadId: thread.threadId, agent_id, message: 'The thread is created' },
  };
}

/** @type {Route} */
async function getThread({ parts, id }) {
  return { body: toRow(parts, await parts.store.thread(id)) };
}

/** @type {Route} */
async function patchThread({ parts, id, request }) {
  const { tags, properties, ...unknown } = await readJson(request);
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) {
    throw new HttpError(400, `The field ${extra} cannot be changed; tags and properties can`);
  }
  const record = await parts.store.change(id, ({ thread }) => {
    if (Array.isArray(tags)) thread.tags = tags.map(String);
    if (properties !== undefined) thread.properties = { ...thread.properties, ...properties };
    return thread;
  });
  return { body: toRow(parts, record) };
}

/** @type {Route} */
async function deleteThread({ runtime, id }) {
  await runtime.deleteThread(id);
  return { body: { deleted: true } };
}

/** @type {Route} */
async function listMessages({ state, query }) {
  const order = query.get('order') ?? 'asc';
  if (order !== 'asc' && order !== 'desc') throw new HttpError(400, 'order must be asc or desc');
  const list = await state.getMessages({
    limit: readNumber(query, 'limit', { fallback: 100, max: 10_000 }),
    offset: readNumber(query, 'offset', { fallback: 0, max: 1e9 }),
    order,
    includeSilent: isTrue(query.get('includeSilent')),
    maxDepth: readNumber(query, 'depth', { fallback: 0, max: 100 }),
  });
  return { body: list };
}

/** @type {Route} */
async function postMessage({ runtime, id, request }) {
  const { content, role, attachments, silent, ...unknown } = await readJson(request);
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) throw new HttpError(400, `The field ${extra} is not known`);
  const { messageId } = await runtime.send(id, {
    content,
    ...(role !== undefined && { role }),
    ...(attachments !== undefined && { attachments }),
    ...(silent !== undefined && { silent }),
  });
  return { status: 202, body: { status: 'queued', queueId: messageId, messageId } };
}

/** @type {Route} */
async function patchMessage({ state, rest, request }) {
  const { content, silent, metadata } = await readJson(request);
  return { body: await state.updateMessage(rest, { content, silent, metadata }) };
}

/** @type {Route} */
async function deleteMessage({ state, rest }) {
  if (!(await state.deleteMessage(rest))) throw new HttpError(404, `There is no message ${rest}`);
  return { body: { deleted: true } };
}

/** @type {Route} */
async function stop({ runtime, id }) {
  await runtime.stop(id);
  return { body: { status: 'stopped' } };
}

/** @type {Route} */
async function goOn({ runtime, id, request }) {
  const { side = 'a' } = await readJson(request);
  if (side !== 'a' && side !== 'b') throw new HttpError(400, "side must be 'a' or 'b'");
  await runtime.continue(id, side);
  return { status: 202, body: { status: 'queued' } };
}

/** @type {Route} */
async function terminate({ state }) {
  await state.terminate();
  return { body: { terminated: state.terminated } };
}

/** @type {Route} */
async function listLogs({ parts, state, id, rest, query }) {
  if (rest !== '') {
    const at = await parts.store.get(keys.logId(id, rest));
    if (at === undefined) throw new HttpError(404, `There is no log ${rest}`);
    return { body: await parts.store.get(keys.log(id, at)) };
  }
  const limit = readNumber(query, 'limit', { fallback: 100, max: 10_000 });
  const offset = readNumber(query, 'offset', { fallback: 0, max: 1e9 });
  return { body: { logs: await state.getLogs({ limit, offset }) } };
}

/** @type {Route} */
async function cost({ parts, id }) {
  const body = { cost_total: 0, input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const fields = /** @type {(keyof typeof body)[]} */ (Object.keys(body));
  for await (const log of parts.store.readAll(`log/${id}/`)) {
    for (const field of fields) body[field] += log[field] ?? 0;
  }
  return { body };
}

/** @type {Record<string, Route>} by method and the kind of path */
const THREAD_ROUTES = {
  'GET /agents': listAgents,
  'POST /threads': createThread,
  'GET /threads': listThreads,
  'GET /thread': getThread,
  'PATCH /thread': patchThread,
  'DELETE /thread': deleteThread,
  'GET messages': listMessages,
  'POST messages': postMessage,
  'PATCH messages/': patchMessage,
  'DELETE messages/': deleteMessage,
  'POST stop': stop,
  'POST continue': goOn,
  'POST terminate': terminate,
  'GET logs': listLogs,
  'GET logs/': listLogs,
  'GET cost': cost,
};

module.exports = { THREAD_ROUTES };
