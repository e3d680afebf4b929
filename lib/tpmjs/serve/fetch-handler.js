'use strict';
// The executor as a function from the web's Request to its Response.

/**
 * @param {InstanceType<typeof import('./service.js').Service>} service
 * @returns {(request: Request) => Promise<Response>}
 */
function fetchHandler(service) {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const gone = new AbortController();
    const leave = () => gone.abort();
    request.signal.addEventListener('abort', leave, { once: true });
    const { status, headers, body } = await service.answer({
      method: request.method,
      url: pathname + search,
      header: (name) => request.headers.get(name) ?? undefined,
      body: /** @type {AsyncIterable<Uint8Array> | null} */ (/** @type {unknown} */ (request.body)),
      gone: gone.signal,
    });
    return new Response(typeof body === 'string' ? body : toStream(body, leave), {
      status,
      headers,
    });
  };
}

/**
 * @param {AsyncIterable<string>} texts
 * @param {() => void} leave
 * @returns {ReadableStream<Uint8Array>}
 */
function toStream(texts, leave) {
  const iterator = texts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      leave();
      await iterator.return?.();
    },
  });
}

module.exports = { fetchHandler };
