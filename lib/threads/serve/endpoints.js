'use strict';
// Calls the endpoints of a developer's own, with the web's Request and Response.

const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');

const { ThreadError, messageOf } = require('../base/errors.js');
const { endpointsAt } = require('../definitions/endpoints.js');
const { noteError } = require('../run/logs.js');
const { HttpError } = require('./request.js');

/**
 * @param {import('./thread-routes.js').Ask} ask
 * @param {string} section the first word of the path under the thread
 * @returns {Promise<import('./thread-routes.js').Reply>}
 */
async function callEndpoint({ parts, request, response, id, rest }, section) {
  const segments = [section, ...rest.split('/').filter(Boolean)];
  const found = endpointsAt(parts.library.endpoints.values(), segments);
  if (found.length === 0) throw new HttpError(404, 'There is nothing under this path');
  const here = found.find(({ endpoint }) => endpoint.method === request.method);
  if (here === undefined) throw new HttpError(405, `${request.method} is not possible here`);
  const { endpoint, params } = here;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const state = await parts.state(id, { isAtRest: true });
    const reply = await endpoint.execute(toWebRequest(request, gone.signal), state, params);
    if (!(reply instanceof Response)) return { body: reply ?? null };
    await sendResponse(response, reply);
    return undefined;
  } catch (error) {
    if (error instanceof ThreadError || gone.signal.aborted) throw error;
    const text = `The endpoint ${endpoint.name} failed: ${messageOf(error)}`;
    const about = {
      error: text,
      error_type: 'endpoint_error',
      error_origin: `endpoint:${endpoint.name}`,
    };
    await noteError(parts.store, id, about);
    throw new HttpError(500, text);
  }
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {AbortSignal} signal aborts when the caller is gone
 */
function toWebRequest(request, signal) {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
  return new Request(url, {
    method: request.method,
    headers,
    signal,
    ...(hasBody && { body: /** @type {any} */ (Readable.toWeb(request)), duplex: 'half' }),
  });
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {Response} reply
 */
async function sendResponse(response, reply) {
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  if (reply.body === null) response.end();
  else await pipeline(Readable.fromWeb(/** @type {any} */ (reply.body)), response);
}

module.exports = { callEndpoint };
