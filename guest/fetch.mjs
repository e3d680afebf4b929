// fetch and its classes. The host does what needs a network; bytes cross as text, a character each.

import { Headers } from 'headers-polyfill';
import { TextDecoder, TextEncoder } from 'part:encoding';
import { AbortController, AbortSignal } from 'part:events';
import { ReadableStream } from 'part:streams';
import { URL, URLSearchParams } from 'part:url';

const NULL_BODY_STATUS = [101, 103, 204, 205, 304];
const REDIRECT_STATUS = [301, 302, 303, 307, 308];
const NORMALIZED_METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'];
const FORBIDDEN_METHODS = ['CONNECT', 'TRACE', 'TRACK'];
const TEXT_PIECE = 8192;

function toBytes(text) {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function toText(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += TEXT_PIECE) {
    text += String.fromCharCode(...bytes.subarray(i, i + TEXT_PIECE));
  }
  return text;
}

const copyBytes = (data) =>
  ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
    : new Uint8Array(data).slice();

const streamOf = (bytes) =>
  new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });

/** What a body is made of, and the type that goes with it. */
function readBody(body) {
  if (body === null || body === undefined) return {};
  if (body instanceof ReadableStream) {
    if (body.locked) throw new TypeError('The body is locked');
    return { stream: body };
  }
  if (body instanceof URLSearchParams) {
    return {
      bytes: new TextEncoder().encode(String(body)),
      type: 'application/x-www-form-urlencoded;charset=UTF-8',
    };
  }
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return { bytes: copyBytes(body) };
  return { bytes: new TextEncoder().encode(String(body)), type: 'text/plain;charset=UTF-8' };
}

async function collect(stream) {
  const chunks = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!(value instanceof Uint8Array)) throw new TypeError('A body is made of Uint8Arrays');
    chunks.push(value);
    length += value.length;
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

class Body {
  #bytes;
  #stream;
  #used = false;

  constructor({ bytes, stream }) {
    this.#bytes = bytes;
    this.#stream = stream;
  }

  get body() {
    if (this.#stream === undefined && this.#bytes !== undefined) {
      this.#stream = this.#used ? new ReadableStream() : streamOf(this.#bytes);
      this.#bytes = undefined;
    }
    return this.#stream ?? null;
  }

  get bodyUsed() {
    // web-streams-polyfill keeps it here.
    return this.#used || this.#stream?._disturbed === true;
  }

  async bytes() {
    if (this.bodyUsed || this.#stream?.locked) {
      throw new TypeError('The body has been read already');
    }
    if (this.#bytes === undefined && this.#stream === undefined) return new Uint8Array();
    this.#used = true;
    return this.#bytes ?? collect(this.#stream);
  }

  async arrayBuffer() {
    const bytes = await this.bytes();
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  }

  async text() {
    return new TextDecoder().decode(await this.bytes());
  }

  async json() {
    return JSON.parse(await this.text());
  }

  /** For a second body of the same: both can be read. */
  static tee(body) {
    if (body.bodyUsed || body.#stream?.locked) {
      throw new TypeError('The body has been read already');
    }
    if (body.#stream === undefined) return { bytes: body.#bytes };
    const [first, second] = body.#stream.tee();
    body.#stream = first;
    return { stream: second };
  }
}

function withType(headers, type) {
  if (type !== undefined && !headers.has('content-type')) headers.set('content-type', type);
}

function normalizeMethod(method) {
  const upper = String(method).toUpperCase();
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method) || FORBIDDEN_METHODS.includes(upper)) {
    throw new TypeError(`'${method}' is not a method that a request may have`);
  }
  return NORMALIZED_METHODS.includes(upper) ? upper : String(method);
}

class Request extends Body {
  #url;
  #method;
  #headers;
  #redirect;
  #signal;

  constructor(input, init = {}) {
    const from = input instanceof Request ? input : undefined;
    const url = from ? from.url : new URL(String(input)).href;
    const method = normalizeMethod(init.method ?? from?.method ?? 'GET');
    const given = init.body ?? null;
    if (given !== null && (method === 'GET' || method === 'HEAD')) {
      throw new TypeError(`A ${method} request has no body`);
    }
    const { type, ...content } = given === null && from ? Body.tee(from) : readBody(given);
    super(content);
    this.#url = url;
    this.#method = method;
    this.#headers = new Headers(init.headers ?? from?.headers);
    withType(this.#headers, type);
    this.#redirect = init.redirect ?? from?.redirect ?? 'follow';
    if (!['follow', 'error', 'manual'].includes(this.#redirect)) {
      throw new TypeError("redirect must be 'follow', 'error' or 'manual'");
    }
    const signal = init.signal ?? from?.signal;
    this.#signal = signal ? AbortSignal.any([signal]) : new AbortController().signal;
  }

  get url() {
    return this.#url;
  }

  get method() {
    return this.#method;
  }

  get headers() {
    return this.#headers;
  }

  get redirect() {
    return this.#redirect;
  }

  get signal() {
    return this.#signal;
  }

  clone() {
    return new Request(this);
  }

  get [Symbol.toStringTag]() {
    return 'Request';
  }
}

/** Only fetch can say these of a response. */
const fromNetwork = new WeakMap();

class Response extends Body {
  #status;
  #statusText;
  #headers;

  constructor(body = null, init = {}) {
    const { status = 200, statusText = '', headers } = init;
    if (!fromNetwork.has(init) && (!Number.isInteger(status) || status < 200 || status > 599)) {
      throw new RangeError('The status must be between 200 and 599');
    }
    if (body !== null && NULL_BODY_STATUS.includes(status)) {
      throw new TypeError(`A response with status ${status} has no body`);
    }
    const { type, ...content } = readBody(body);
    super(content);
    this.#status = status;
    this.#statusText = String(statusText);
    this.#headers = new Headers(headers);
    withType(this.#headers, type);
    fromNetwork.set(this, fromNetwork.get(init) ?? { url: '', redirected: false, type: 'default' });
  }

  get status() {
    return this.#status;
  }

  get statusText() {
    return this.#statusText;
  }

  get headers() {
    return this.#headers;
  }

  get ok() {
    return this.#status >= 200 && this.#status <= 299;
  }

  get url() {
    return fromNetwork.get(this).url;
  }

  get redirected() {
    return fromNetwork.get(this).redirected;
  }

  get type() {
    return fromNetwork.get(this).type;
  }

  clone() {
    const { bytes, stream } = Body.tee(this);
    const init = { status: this.#status, statusText: this.#statusText, headers: this.#headers };
    fromNetwork.set(init, fromNetwork.get(this));
    return new Response(stream ?? bytes ?? null, init);
  }

  static json(data, init = {}) {
    const headers = new Headers(init.headers);
    withType(headers, 'application/json');
    return new Response(JSON.stringify(data), { ...init, headers });
  }

  static error() {
    const init = { status: 0 };
    fromNetwork.set(init, { url: '', redirected: false, type: 'error' });
    return new Response(null, init);
  }

  static redirect(url, status = 302) {
    if (!REDIRECT_STATUS.includes(status)) throw new RangeError(`${status} is no redirect`);
    return new Response(null, { status, headers: { location: new URL(String(url)).href } });
  }

  get [Symbol.toStringTag]() {
    return 'Response';
  }
}

let nextId = 1;

const ask = (op, id, more) => host.fetch(JSON.stringify({ op, id, ...more }));

function failure(error) {
  return new TypeError(`fetch failed: ${error.message}`, { cause: error });
}

/** A response's bytes, as they are read. */
function receive(id, signal) {
  const cancel = () => ask('cancel', id).catch(() => {});
  return new ReadableStream(
    {
      start(controller) {
        signal.addEventListener('abort', () => {
          cancel();
          controller.error(signal.reason);
        });
      },
      async pull(controller) {
        let text;
        try {
          text = await ask('read', id);
        } catch (error) {
          throw failure(error);
        }
        if (signal.aborted) return;
        if (text === null) controller.close();
        else controller.enqueue(toBytes(text));
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}

async function fetch(input, init) {
  const request = new Request(input, init);
  const { signal } = request;
  signal.throwIfAborted();
  const id = nextId++;
  const aborted = new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      ask('cancel', id).catch(() => {});
      reject(signal.reason);
    });
  });
  const opened = (async () => {
    const body = request.body === null ? undefined : toText(await request.bytes());
    try {
      return JSON.parse(
        await ask('open', id, {
          url: request.url,
          method: request.method,
          headers: [...request.headers],
          redirect: request.redirect,
          body,
        }),
      );
    } catch (error) {
      throw failure(error);
    }
  })();
  const { url, redirected, hasBody, ...head } = await Promise.race([opened, aborted]);
  fromNetwork.set(head, { url, redirected, type: 'basic' });
  return new Response(hasBody ? receive(id, signal) : null, head);
}

export { Headers, Request, Response, fetch };
