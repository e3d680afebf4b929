'use strict';
// Requests to answers: who may ask, in which version of the protocol, and how many at once.

const { createHash, timingSafeEqual } = require('node:crypto');

const { Failure, asFailure } = require('../base/failures.js');
const { checkBody, readBody, tooLarge } = require('./body.js');
const { ROUTES, STREAMED } = require('./routes.js');
const { streamEvents } = require('./events.js');
const { failureBody, versionOf } = require('./versions.js');

/**
 * @typedef {object} Exchange a request, whatever brought it
 * @property {string} method
 * @property {string} url its path, maybe with a query
 * @property {(name: string) => string | undefined} header
 * @property {AsyncIterable<Uint8Array> | null} body
 * @property {unknown} [parsed] the body, where somebody has read it already
 * @property {AbortSignal} gone aborts when nobody waits for the answer any more
 */
/** @typedef {{ status: number, headers: Record<string, string>, body: string | AsyncIterable<string> }} Answer */
/** @typedef {import('./versions.js').Version} Version */
/**
 * @typedef {object} Context what a route gets
 * @property {Record<string, any>} body
 * @property {Version} version
 * @property {AbortSignal} signal
 * @property {number} startedAt
 * @property {import('../run/isolate.js').Told} [told]
 */

const CORS = Object.freeze({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Authorization, X-TPMJS-Protocol-Version',
  'access-control-expose-headers': 'X-TPMJS-Protocol-Version',
});

class Service {
  #options;
  #engine;
  #keyDigest;
  #active = 0;
  #isClosing = false;
  /** @type {() => void} */
  #onIdle = () => {};

  /**
   * @param {import('../engine.js').Options} options
   * @param {InstanceType<typeof import('../engine.js').Engine>} engine
   */
  constructor(options, engine) {
    this.#options = options;
    this.#engine = engine;
    this.#keyDigest = options.apiKey === undefined ? undefined : digest(options.apiKey);
  }

  get options() {
    return this.#options;
  }

  get engine() {
    return this.#engine;
  }

  /**
   * @param {Exchange} exchange
   * @returns {Promise<Answer>} never rejects
   */
  async answer(exchange) {
    const startedAt = performance.now();
    const version = versionOf(exchange.header('x-tpmjs-protocol-version'), this.#options.protocol);
    const path = this.#pathOf(exchange.url);
    try {
      if (exchange.method === 'OPTIONS') return answer(200, version, {});
      this.#authorize(exchange, path);
      const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
      const route = ROUTES.get(`${method} ${path}`);
      if (route === undefined) {
        throw new Failure('unknownPath', `Unknown endpoint: ${method} ${path}`);
      }
      if (method === 'GET') return answer(200, version, await route(this, emptyContext(version)));
      return await this.#post(exchange, route, path, { version, startedAt });
    } catch (error) {
      const failure = asFailure(error);
      return answer(failure.kind.status, version, failureBody(failure, version));
    }
  }

  /**
   * @param {Exchange} exchange
   * @param {import('./routes.js').Route} route
   * @param {string} path
   * @param {{ version: Version, startedAt: number }} about
   * @returns {Promise<Answer>}
   */
  async #post(exchange, route, path, { version, startedAt }) {
    const release = this.enter();
    let isStreaming = false;
    const life = lifetime(exchange.gone, this.#options.requestTimeoutMs);
    try {
      const body = await this.#readBody(exchange);
      /** @type {Context} */
      const context = { body, version, startedAt, signal: life.signal };
      const isAsked = /\btext\/event-stream\b/.test(exchange.header('accept') ?? '');
      if (isAsked && STREAMED.has(path)) {
        isStreaming = true;
        const events = streamEvents(
          (told) => route(this, { ...context, told }),
          version,
          life.cancel,
        );
        const { status, headers } = answer(200, version, '');
        return {
          status,
          headers: {
            ...headers,
            'content-type': 'text/event-stream; charset=utf-8',
            'x-accel-buffering': 'no',
          },
          body: ending(events, leave),
        };
      }
      const said = await route(this, context);
      return answer(said.status ?? 200, version, said.body ?? said);
    } finally {
      if (!isStreaming) leave();
    }

    function leave() {
      life.end();
      release();
    }
  }

  /** @param {Exchange} exchange */
  async #readBody(exchange) {
    if (exchange.parsed !== undefined) return checkBody(exchange.parsed);
    const { maxBodyBytes } = this.#options;
    if (Number(exchange.header('content-length')) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    return readBody(exchange.body, this.#options);
  }

  /** @returns {() => void} gives the place back */
  enter() {
    if (this.#isClosing) throw new Failure('busy', 'The executor is shutting down');
    if (this.#active >= this.#options.concurrency) {
      throw new Failure(
        'busy',
        `The executor serves ${this.#options.concurrency} requests at once`,
      );
    }
    this.#active += 1;
    return once(() => {
      this.#active -= 1;
      if (this.#active === 0) this.#onIdle();
    });
  }

  /** @returns {Promise<void>} once all that was accepted is answered; nothing else is accepted */
  drain() {
    this.#isClosing = true;
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      if (this.#active === 0) resolve();
    });
  }

  /**
   * @param {Exchange} exchange
   * @param {string} path
   */
  #authorize(exchange, path) {
    if (this.#keyDigest === undefined) return;
    if (path === '/health' && !this.#options.guardHealth) return;
    const [, given = ''] = /^Bearer (.+)$/i.exec(exchange.header('authorization') ?? '') ?? [];
    if (!timingSafeEqual(digest(given), this.#keyDigest)) {
      throw new Failure('unauthorized', 'Invalid or missing API key');
    }
  }

  /**
   * @param {string} url
   * @returns {string} without base, doubled slashes and the prefix /api
   */
  #pathOf(url) {
    const { basePath } = this.#options;
    const plain = `/${url.split('?')[0]}`.replace(/\/+/g, '/');
    const inside =
      plain.startsWith(`${basePath}/`) || plain === basePath ? plain.slice(basePath.length) : plain;
    return inside.replace(/^\/api(?=\/|$)/, '').replace(/\/$/, '') || '/';
  }
}

/** @param {string} text compared as digests: how long that takes tells nothing of it */
function digest(text) {
  return createHash('sha256').update(text).digest();
}

/**
 * @param {number} status
 * @param {Version} version
 * @param {object | string} body
 * @returns {Answer}
 */
function answer(status, version, body) {
  return {
    status,
    headers: {
      ...CORS,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-tpmjs-protocol-version': version,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** @param {Version} version @returns {Context} */
function emptyContext(version) {
  return { body: {}, version, startedAt: performance.now(), signal: new AbortController().signal };
}

/**
 * @param {AbortSignal} gone
 * @param {number} timeoutMs
 */
function lifetime(gone, timeoutMs) {
  const controller = new AbortController();
  const cancel = () => controller.abort(new Failure('badRequest', 'The client is gone'));
  const expire = () =>
    controller.abort(new Failure('timeout', `The request took more than ${timeoutMs} ms`));
  const timer = setTimeout(expire, timeoutMs);
  if (gone.aborted) cancel();
  else gone.addEventListener('abort', cancel, { once: true });
  return {
    signal: controller.signal,
    cancel,
    end() {
      clearTimeout(timer);
      gone.removeEventListener('abort', cancel);
    },
  };
}

/** @param {() => void} act */
function once(act) {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/**
 * @param {AsyncGenerator<string>} events
 * @param {() => void} onEnd
 */
async function* ending(events, onEnd) {
  try {
    yield* events;
  } finally {
    onEnd();
  }
}

module.exports = { Service };
