'use strict';
// The host's side of a guest's fetch: one request with its redirects, and the response's bytes as the guest reads them.

const http = require('node:http');
const https = require('node:https');
const { pipeline } = require('node:stream');
const zlib = require('node:zlib');

const { checkUrl, guardedLookup, refusal } = require('./fetch-rules.js');

/** @typedef {import('./fetch-rules.js').FetchRules} FetchRules */

const MAX_REDIRECTS = 20;
const REDIRECT_STATUS = [301, 302, 303, 307, 308];
const NO_BODY_STATUS = [204, 205, 304];
/** What only this side may say, as it is about the connection. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** What belongs to the origin that the guest named. */
const ORIGIN_HEADERS = ['authorization', 'cookie'];
const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-type'];

/**
 * @typedef {object} Asked
 * @property {URL} url
 * @property {string} method
 * @property {Map<string, string>} headers
 * @property {Buffer | undefined} body
 */

/**
 * @param {http.IncomingMessage} response
 * @returns {import('node:stream').Readable} its body, decoded
 */
function decoded(response) {
  const encoding = (response.headers['content-encoding'] ?? '').toLowerCase();
  /** @type {Record<string, () => import('node:stream').Transform>} */
  const decoders = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  if (!Object.hasOwn(decoders, encoding)) return response;
  return pipeline(response, decoders[encoding](), () => {});
}

/**
 * What a redirect has the guest ask for next.
 *
 * @param {Asked} asked
 * @param {number} status
 * @param {URL} url
 * @returns {Asked}
 */
function redirected({ url: from, method, headers, body }, status, url) {
  const next = { url, method, headers: new Map(headers), body };
  const becomesGet =
    (status === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((status === 301 || status === 302) && method === 'POST');
  if (becomesGet) {
    next.method = 'GET';
    next.body = undefined;
    for (const name of BODY_HEADERS) next.headers.delete(name);
  }
  if (url.origin !== from.origin) for (const name of ORIGIN_HEADERS) next.headers.delete(name);
  return next;
}

class GuestFetch {
  #rules;
  #stopper = new AbortController();
  #timer;
  /** @type {AsyncIterator<Buffer> | undefined} */
  #chunks;
  /** @type {import('node:stream').Readable | undefined} */
  #stream;
  #received = 0;
  /** Settles when nothing of it is under way any more. */
  #release;

  /**
   * @param {FetchRules} rules
   * @param {() => void} release called once, when it has ended
   */
  constructor(rules, release) {
    this.#rules = rules;
    this.#release = release;
    this.#timer = setTimeout(
      () => this.stop(refusal(`no end after ${rules.timeoutMs} ms`, 'ERR_ISOBOX_FETCH_TIMEOUT')),
      rules.timeoutMs,
    );
  }

  /** @param {Error} reason */
  stop(reason) {
    this.#stopper.abort(reason);
    this.#stream?.destroy(reason);
    this.#end();
  }

  #end() {
    clearTimeout(this.#timer);
    this.#release();
    this.#release = () => {};
  }

  /**
   * @param {Asked} asked
   * @returns {Promise<http.IncomingMessage>}
   */
  #send({ url, method, headers, body }) {
    checkUrl(url, this.#rules);
    const { signal } = this.#stopper;
    return new Promise((resolve, reject) => {
      const request = (url.protocol === 'https:' ? https : http).request(url, {
        method,
        headers: {
          accept: '*/*',
          'user-agent': 'isobox',
          ...Object.fromEntries(headers),
          'accept-encoding': 'gzip, deflate, br',
        },
        // A connection of its own: whether a pooled one leads to a public address would be unknown.
        agent: false,
        lookup: guardedLookup(this.#rules),
        signal,
      });
      request.on('response', resolve);
      request.on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(refusal('the server changed the protocol', 'ERR_ISOBOX_FETCH_PROTOCOL'));
      });
      request.on('error', (error) => reject(signal.aborted ? signal.reason : error));
      request.end(body);
    });
  }

  /**
   * @param {Asked} asked
   * @param {string} redirect
   */
  async open(asked, redirect) {
    try {
      let current = asked;
      for (let hops = 0; ; hops++) {
        const response = await this.#send(current);
        const status = response.statusCode ?? 0;
        const { location } = response.headers;
        if (!REDIRECT_STATUS.includes(status) || location === undefined || redirect === 'manual') {
          return this.#head(response, current, hops > 0);
        }
        response.destroy();
        if (redirect === 'error') {
          throw refusal('there was a redirect', 'ERR_ISOBOX_FETCH_REDIRECT');
        }
        if (hops >= MAX_REDIRECTS) {
          throw refusal(`more than ${MAX_REDIRECTS} redirects`, 'ERR_ISOBOX_FETCH_REDIRECT');
        }
        if (!URL.canParse(location, current.url.href)) {
          throw refusal('a redirect leads nowhere', 'ERR_ISOBOX_FETCH_REDIRECT');
        }
        current = redirected(current, status, new URL(location, current.url));
      }
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  /**
   * @param {http.IncomingMessage} response
   * @param {Asked} asked
   * @param {boolean} wasRedirected
   */
  #head(response, { url, method }, wasRedirected) {
    const status = response.statusCode ?? 0;
    const hasBody = method !== 'HEAD' && !NO_BODY_STATUS.includes(status);
    const headers = [];
    for (let i = 0; i < response.rawHeaders.length; i += 2) {
      headers.push([response.rawHeaders[i], response.rawHeaders[i + 1]]);
    }
    if (hasBody) {
      this.#stream = decoded(response);
      // Whoever reads next is told; until then nobody need be.
      this.#stream.on('error', () => {});
      this.#chunks = this.#stream[Symbol.asyncIterator]();
    } else {
      response.destroy();
      this.#end();
    }
    url.hash = '';
    return {
      status,
      statusText: response.statusMessage ?? '',
      headers,
      url: url.href,
      redirected: wasRedirected,
      hasBody,
    };
  }

  /** @returns {Promise<string | null>} bytes, a character each; null at the end */
  async read() {
    const { signal } = this.#stopper;
    try {
      const { done, value } = (await this.#chunks?.next()) ?? { done: true, value: undefined };
      if (signal.aborted) throw signal.reason;
      if (done) {
        this.#end();
        return null;
      }
      this.#received += value.length;
      if (this.#received > this.#rules.maxBodyBytes) {
        throw refusal(
          `the response is larger than ${this.#rules.maxBodyBytes} bytes`,
          'ERR_ISOBOX_FETCH_SIZE',
        );
      }
      return value.toString('latin1');
    } catch (error) {
      this.stop(/** @type {Error} */ (error));
      throw signal.aborted ? signal.reason : error;
    }
  }
}

/**
 * @param {unknown} list
 * @returns {Map<string, string>} a guest's headers, without those that are not its to set
 */
function readHeaders(list) {
  const headers = new Map();
  for (const [name, value] of /** @type {[string, string][]} */ (list)) {
    http.validateHeaderName(String(name));
    http.validateHeaderValue(String(name), String(value));
    const key = String(name).toLowerCase();
    if (!OWN_HEADERS.has(key)) headers.set(key, String(value));
  }
  return headers;
}

module.exports = { GuestFetch, readHeaders };
