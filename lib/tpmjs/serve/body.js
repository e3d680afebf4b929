'use strict';
// Reads the body of a request: as JSON, of a bounded size, within a bounded time.

const { isRecord } = require('../../checks/options.js');
const { Failure } = require('../base/failures.js');

/**
 * @param {AsyncIterable<Uint8Array> | null} body
 * @param {{ maxBodyBytes: number, bodyTimeoutMs: number }} limits
 * @returns {Promise<Record<string, any>>}
 */
async function readBody(body, { maxBodyBytes, bodyTimeoutMs }) {
  const chunks = [];
  let size = 0;
  const chunksOfBody = (body ?? emptyBody())[Symbol.asyncIterator]();
  const late = within(bodyTimeoutMs);
  try {
    for (;;) {
      const next = await Promise.race([chunksOfBody.next(), late.promise]);
      if (next === undefined) {
        throw new Failure('badRequest', `The body did not come within ${bodyTimeoutMs} ms`);
      }
      if (next.done) break;
      size += next.value.length;
      if (size > maxBodyBytes) throw tooLarge(maxBodyBytes);
      chunks.push(next.value);
    }
  } catch (error) {
    // Not awaited: what waits for a chunk that never comes would not return.
    void Promise.resolve(chunksOfBody.return?.()).catch(() => {});
    if (error instanceof Failure) throw error;
    throw new Failure('badRequest', 'The body broke off');
  } finally {
    late.clear();
  }
  return parseBody(Buffer.concat(chunks).toString('utf8'));
}

/** @param {number} maxBodyBytes */
function tooLarge(maxBodyBytes) {
  return new Failure('tooLarge', `A body may have ${maxBodyBytes} bytes`);
}

/** @returns {AsyncGenerator<Uint8Array>} */
async function* emptyBody() {}

/** @param {number} ms */
function within(ms) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const promise = new Promise((/** @type {(value: undefined) => void} */ resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  return { promise, clear: () => clearTimeout(timer) };
}

/** @param {string} text */
function parseBody(text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Failure('badRequest', 'Invalid JSON body');
  }
  return checkBody(body);
}

/**
 * @param {unknown} body
 * @returns {Record<string, any>}
 */
function checkBody(body) {
  if (isRecord(body)) return body;
  throw new Failure('badRequest', 'The body must be a JSON object');
}

module.exports = { checkBody, readBody, tooLarge };
