'use strict';
// Threads over HTTP: a listener that can be mounted beside others.

const { checkRecord } = require('../../checks/options.js');
const { Access, checkOwner } = require('./access.js');
const { DATA_ROUTES } = require('./data-routes.js');
const { callEndpoint } = require('./endpoints.js');
const { servePage } = require('./page.js');
const { HttpError, errorAnswer, sendJson } = require('./request.js');
const { ThreadStreams } = require('./stream.js');
const { THREAD_ROUTES } = require('./thread-routes.js');

const ROUTES = { ...THREAD_ROUTES, ...DATA_ROUTES };

/**
 * @param {string} url
 * @returns {{ kind: string, id: string, rest: string, query: URLSearchParams }}
 */
function readPath(url) {
  const { pathname, searchParams: query } = new URL(url, 'http://localhost');
  let parts;
  try {
    parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    throw new HttpError(400, 'The path is not well-formed');
  }
  if (parts[0] === 'api') parts.shift();
  const [root, id, section, ...more] = parts;
  if (id === undefined && root === 'stream') return { kind: 'stream', id: '', rest: '', query };
  if (id === undefined && root === 'agents') return { kind: '/agents', id: '', rest: '', query };
  if (root !== 'threads') {
    throw new HttpError(404, 'There is nothing here; threads are at /threads');
  }
  if (id === undefined) return { kind: '/threads', id: '', rest: '', query };
  if (section === undefined) return { kind: '/thread', id, rest: '', query };
  const rest = more.join('/');
  return { kind: rest === '' ? section : `${section}/`, id, rest, query };
}

/**
 * @param {import('./thread-routes.js').Ask & { kind: string }} asked
 * @returns {Promise<import('./thread-routes.js').Reply>}
 */
async function answer({ kind, ...asked }) {
  const { method } = asked.request;
  const route = ROUTES[`${method} ${kind}`];
  if (route !== undefined) return route(asked);
  if (Object.keys(ROUTES).some((key) => key.endsWith(` ${kind}`))) {
    throw new HttpError(405, `${method} is not possible here`);
  }
  return callEndpoint(asked, kind.replace(/\/$/, ''));
}

/**
 * @param {import('../parts.js').Parts} parts
 * @param {InstanceType<typeof import('../runtime.js').ThreadRuntime>} runtime
 * @param {any} given
 */
function createHandler(parts, runtime, given) {
  const { tokens, page = false } = checkRecord(given, 'handler', ['tokens', 'page']);
  if (typeof page !== 'boolean') throw new TypeError('page must be true or false');
  const access = new Access(tokens);
  const streams = new ThreadStreams(parts);

  /** @param {import('node:http').IncomingMessage} request */
  const open = async (request) => {
    const path = readPath(request.url ?? '/');
    const caller = access.check(request, path.query);
    const state = path.id === '' ? null : await parts.state(path.id);
    if (path.id !== '') {
      if (state === null) throw new HttpError(404, `There is no thread ${path.id}`);
      checkOwner(caller, await parts.store.thread(path.id));
    }
    return { ...path, caller, state: /** @type {import('../parts.js').ThreadState} */ (state) };
  };

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  const handle = async (request, response) => {
    try {
      if (page && servePage(request, response)) return;
      const asked = await open(request);
      const reply = await answer({ parts, runtime, request, response, ...asked });
      if (reply !== undefined) sendJson(response, reply.status ?? 200, reply.body);
    } catch (error) {
      const { status, body } = errorAnswer(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, status, body);
      // What is left of a body that nobody wants.
      if (!request.complete) request.destroy();
    }
  };

  /**
   * For the server's `upgrade` event.
   *
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:stream').Duplex} socket
   * @param {Buffer} head
   */
  const upgrade = async (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    try {
      const asked = await open(request);
      if (asked.kind !== 'stream') {
        throw new HttpError(404, 'Streams are at /threads/<id>/stream and /stream');
      }
      streams.open(request, socket, head, asked);
    } catch (error) {
      const { status, body } = errorAnswer(error);
      const text = JSON.stringify(body);
      socket.end(
        `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\nconnection: close\r\n` +
          `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      );
    }
  };
  return Object.assign(
    (
      /** @type {import('node:http').IncomingMessage} */ request,
      /** @type {import('node:http').ServerResponse} */ response,
    ) => void handle(request, response),
    {
      upgrade: (
        /** @type {import('node:http').IncomingMessage} */ request,
        /** @type {import('node:stream').Duplex} */ socket,
        /** @type {Buffer} */ head,
      ) => void upgrade(request, socket, head),
      close: () => streams.close(),
    },
  );
}

module.exports = { createHandler };
