'use strict';
// The REST paths of what a thread keeps: values, files, effects, subagents and their variables.

const { Buffer } = require('node:buffer');

const { cancelEffect } = require('../state/effects.js');
const { keys } = require('../store/keys.js');
const { HttpError, readBytes, readJson } = require('./request.js');

/** @typedef {import('./thread-routes.js').Route} Route */

/** @param {URLSearchParams} query */
function keyOf(query) {
  const key = query.get('key');
  if (key === null) throw new HttpError(400, 'key is missing');
  return key;
}

/** @type {Route} */
async function getValues({ parts, state, id, query }) {
  if (query.has('key')) {
    const key = keyOf(query);
    return { body: { key, value: await state.getValue(key) } };
  }
  const prefix = keys.value(id, '');
  const rows = await parts.store.list(prefix);
  return {
    body: { values: rows.map(({ key, value }) => ({ key: key.slice(prefix.length), value })) },
  };
}

/** @type {Route} */
async function postValue({ state, request }) {
  const { key, value } = await readJson(request);
  await state.setValue(key, value);
  return { body: { key, value: value ?? null } };
}

/** @type {Route} */
async function deleteValue({ state, query }) {
  await state.setValue(keyOf(query), null);
  return { body: { deleted: true } };
}

/** @type {Route} */
async function getFile({ state, rest, response }) {
  const record = rest === '' ? null : await state.statFile(rest);
  if (record === null || record.isDirectory) {
    const { entries } = await state.readdirFile(rest);
    if (entries.length === 0 && rest !== '' && record === null) {
      throw new HttpError(404, `There is no file /${rest}`);
    }
    return { body: { entries } };
  }
  const bytes = Buffer.from((await state.readFile(rest)) ?? new ArrayBuffer(0));
  response.writeHead(200, {
    'content-type': record.mimeType,
    'content-length': bytes.length,
    // Files come from models and tools: a browser must not run them as pages of this place.
    'content-disposition': 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  });
  response.end(bytes);
  return undefined;
}

/** @type {Route} */
async function putFile({ state, rest, request }) {
  const type = request.headers['content-type']?.split(';')[0];
  return { status: 201, body: await state.writeFile(rest, await readBytes(request), type) };
}

/** @type {Route} */
async function deleteFile({ state, rest }) {
  if (!(await state.unlinkFile(rest))) throw new HttpError(404, `There is no file /${rest}`);
  return { body: { deleted: true } };
}

/** @type {Route} */
async function listEffects({ parts, id }) {
  const rows = await parts.store.list(`effect/${id}/`);
  return { body: { effects: rows.map(({ value }) => value) } };
}

/** @type {Route} */
async function actOnEffect({ parts, id, rest }) {
  const [effectId, action] = rest.split('/');
  const place = keys.effect(id, effectId);
  if ((await parts.store.get(place)) === undefined) {
    throw new HttpError(404, `There is no effect ${effectId}`);
  }
  if (action === 'cancel') {
    if (!(await cancelEffect(parts.store, id, effectId, 'user_canceled'))) {
      throw new HttpError(409, 'The effect is not pending any more');
    }
    return { body: { status: 'user_canceled' } };
  }
  if (action !== 'run') throw new HttpError(404, 'There are run and cancel');
  const isMoved = await parts.store.change(
    id,
    ({ thread, values: [effect], batch, tick }) => {
      if (effect?.status !== 'pending') return false;
      const at = tick();
      batch.delete(keys.due(effect.scheduledAt, id, effectId));
      batch.put(place, { ...effect, scheduledAt: at, manualRun: true, manualRunAt: at });
      batch.put(keys.due(at, id, effectId), 0);
      thread.work += 1;
      return true;
    },
    { reads: [place] },
  );
  if (!isMoved) throw new HttpError(409, 'The effect is not pending any more');
  parts.scheduler.wake(id);
  return { status: 202, body: { status: 'queued' } };
}

/** @type {Route} */
async function listSubagents({ state }) {
  return { body: { subagents: state.children } };
}

/** @type {Route} */
async function getVariables({ runtime, id, rest }) {
  const found = await runtime.variableRequests(id).get(rest);
  if (found === null) throw new HttpError(404, `There is no request ${rest}`);
  return { body: found };
}

/** @type {Route} */
async function postVariables({ runtime, id, rest, request }) {
  const { env } = await readJson(request);
  if (typeof env !== 'object' || env === null) throw new HttpError(400, 'env is missing');
  return { body: await runtime.variableRequests(id).complete(rest, env) };
}

/** @type {Record<string, Route>} */
const DATA_ROUTES = {
  'GET kv': getValues,
  'POST kv': postValue,
  'DELETE kv': deleteValue,
  'GET fs': getFile,
  'GET fs/': getFile,
  'PUT fs/': putFile,
  'POST fs/': putFile,
  'DELETE fs/': deleteFile,
  'GET effects': listEffects,
  'POST effects/': actOnEffect,
  'GET subagents': listSubagents,
  'GET variables/': getVariables,
  'POST variables/': postVariables,
};

module.exports = { DATA_ROUTES };
