'use strict';
// A part of a kept output: a range, what a JSON pointer names, or the places where a text occurs.

const { native } = require('../native.js');
const { checkNumber, checkRecord, checkString } = require('../checks/options.js');
const { ToolCallError } = require('./backend-errors.js');

const READ_KEYS = ['offset', 'limit', 'pointer', 'search'];
const DEFAULT_LIMIT = 20_000;
const MAX_LIMIT = 2 ** 20;
const MAX_PLACES = 50;
const CONTEXT_BYTES = 80;

/**
 * @param {Buffer} output
 * @param {unknown} options
 * @returns {Promise<string>} rejects with a ToolCallError that says what is wrong with the options
 */
async function readResult(output, options) {
  const { offset, limit, pointer, search } = readOptions(options);
  const text = pointer === undefined ? output : await selectPart(output, pointer);
  return search === undefined ? readRange(text, offset, limit) : findPlaces(text, search);
}

/** @param {unknown} value */
function readOptions(value) {
  try {
    const given = checkRecord(value, 'options', READ_KEYS);
    const { offset = 0, limit = DEFAULT_LIMIT, pointer, search } = given;
    if (search === '') throw new TypeError('options.search must not be empty');
    return {
      offset: checkNumber(offset, 'options.offset', { min: 0, max: Number.MAX_SAFE_INTEGER }),
      limit: checkNumber(limit, 'options.limit', { min: 1, max: MAX_LIMIT }),
      pointer: pointer === undefined ? undefined : checkString(pointer, 'options.pointer'),
      search: search === undefined ? undefined : checkString(search, 'options.search'),
    };
  } catch (error) {
    throw new ToolCallError(/** @type {Error} */ (error).message);
  }
}

/**
 * @param {Buffer} output
 * @param {string} pointer
 */
async function selectPart(output, pointer) {
  const part = await native.selectJson(output, pointer);
  if (part === null) {
    throw new ToolCallError(`The result is no JSON, or has nothing at the pointer '${pointer}'`);
  }
  return Buffer.from(part.startsWith('"') ? JSON.parse(part) : part);
}

/**
 * @param {Buffer} text
 * @param {number} offset in bytes
 * @param {number} limit
 */
function readRange(text, offset, limit) {
  const start = ceilBoundary(text, Math.min(offset, text.length));
  const end = Math.max(floorBoundary(text, Math.min(start + limit, text.length)), start);
  const range = text.toString('utf8', start, end);
  if (start === 0 && end === text.length) return range;
  const next = end < text.length ? `; go on with offset ${end}` : '';
  return `${range}\n\n[Bytes ${start} to ${end} of ${text.length}${next}]`;
}

/**
 * @param {Buffer} text
 * @param {string} search
 */
function findPlaces(text, search) {
  const places = [];
  let at = text.indexOf(search);
  for (; at >= 0 && places.length < MAX_PLACES; at = text.indexOf(search, at + 1)) {
    const start = ceilBoundary(text, Math.max(0, at - CONTEXT_BYTES));
    const end = floorBoundary(text, Math.min(text.length, at + search.length + CONTEXT_BYTES));
    places.push(`${at}: ${JSON.stringify(text.toString('utf8', start, end))}`);
  }
  if (places.length === 0) return `'${search}' does not occur in the result`;
  const more = at >= 0 ? `, the first ${MAX_PLACES}` : '';
  return `[Places of '${search}' by offset${more}]\n${places.join('\n')}`;
}

/** @param {Buffer} text @param {number} at */
function floorBoundary(text, at) {
  while (at > 0 && at < text.length && (text[at] & 0xc0) === 0x80) at--;
  return at;
}

/** @param {Buffer} text @param {number} at */
function ceilBoundary(text, at) {
  while (at < text.length && (text[at] & 0xc0) === 0x80) at++;
  return at;
}

module.exports = { readResult };
