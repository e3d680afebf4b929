'use strict';
// The executor as a listener of node:http, and of what is built on it.

const { once } = require('node:events');

/** How long a client may go on sending a body that nobody reads, before it is cut off. */
const LINGER_MS = 1000;

/**
 * @param {InstanceType<typeof import('./service.js').Service>} service
 * @returns {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => void}
 */
function nodeHandler(service) {
  return (request, response) => {
    serve(service, request, response).catch(() => response.destroy());
  };
}

/**
 * @param {InstanceType<typeof import('./service.js').Service>} service
 * @param {import('node:http').IncomingMessage & { body?: unknown }} request
 * @param {import('node:http').ServerResponse} response
 */
async function serve(service, request, response) {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const answer = await service.answer({
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    header: (name) => [request.headers[name]].flat()[0],
    // Not its own iterator, which would destroy the request, and with it the connection for the answer.
    body: request.iterator({ destroyOnReturn: false }),
    parsed: request.readableEnded ? request.body : undefined,
    gone: gone.signal,
  });
  if (!request.complete) {
    response.setHeader('connection', 'close');
    request.on('error', () => {}).resume();
    const timer = setTimeout(() => request.destroy(), LINGER_MS);
    request.once('close', () => clearTimeout(timer));
  }
  const { status, headers, body } = answer;
  if (typeof body === 'string') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
    return;
  }
  response.writeHead(status, headers);
  for await (const text of body) {
    if (response.destroyed) break;
    if (!response.write(text)) {
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  }
  response.end();
}

module.exports = { nodeHandler };
