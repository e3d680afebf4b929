'use strict';
// Reads requests and answers them, in JSON. What is wrong with a request is an HttpError.

const { Buffer } = require('node:buffer');

const { ThreadError, messageOf } = require('../base/errors.js');

const MAX_BODY_BYTES = 96 * 2 ** 20;

class HttpError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @type {Record<string, number>} */
const STATUS_OF_CODE = {
  ERR_ISOBOX_THREAD_UNKNOWN: 404,
  ERR_ISOBOX_THREAD_TERMINATED: 409,
  ERR_ISOBOX_THREAD_STORE: 503,
  ERR_ISOBOX_THREAD_CLOSED: 503,
  ERR_ISOBOX_THREAD_FENCED: 503,
};

/**
 * @param {unknown} error
 * @returns {{ status: number, body: object }}
 */
function errorAnswer(error) {
  if (error instanceof HttpError) return { status: error.status, body: { error: error.message } };
  if (error instanceof ThreadError) {
    const status = STATUS_OF_CODE[error.code] ?? 400;
    return { status, body: { error: error.message, code: error.code } };
  }
  if (error instanceof TypeError || error instanceof RangeError) {
    return { status: 400, body: { error: messageOf(error) } };
  }
  return { status: 500, body: { error: messageOf(error) } };
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<Buffer>}
 */
async function readBytes(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new HttpError(413, `A body may have ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<Record<string, any>>} an object; an empty one for no body
 */
async function readJson(request) {
  const text = (await readBytes(request)).toString('utf8');
  if (text.trim() === '') return {};
  let body;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new HttpError(400, `The body is not JSON: ${messageOf(error)}`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new HttpError(400, 'The body must be a JSON object');
  }
  return body;
}

/**
 * @param {URLSearchParams} query
 * @param {string} name
 * @param {{ fallback: number, max: number }} range
 */
function readNumber(query, name, { fallback, max }) {
  const given = query.get(name);
  if (given === null) return fallback;
  const value = Number(given);
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new HttpError(400, `${name} must be a whole number from 0 to ${max}`);
  }
  return value;
}

/** @param {string | null} text */
const isTrue = (text) => text !== null && ['', '1', 'true', 'yes'].includes(text.toLowerCase());

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {object} body
 */
function sendJson(response, status, body) {
  const bytes = Buffer.from(JSON.stringify(body), 'utf8');
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(bytes);
}

module.exports = { HttpError, errorAnswer, isTrue, readBytes, readJson, readNumber, sendJson };
