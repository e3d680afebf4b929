'use strict';

/**
 * What models write, as the body of an async function whose return value is the result. Positions
 * stay those of the caller's text: the edits add a word here and there, never a line.
 *
 * @typedef {'javascript' | 'typescript'} Language
 * @typedef {{ language: Language, filename: string }} BodyOptions
 * @typedef {{ code: string, map: import('./position-map.js').PositionMap }} Body
 */

const { findResultEdits } = require('./body-result.js');
const { eraseTypeScript } = require('./erase-pipeline.js');
const { stripFences } = require('./fences.js');
const { hasGenericCalls } = require('./generic-calls.js');
const { parseJavaScript, parseLoneObject } = require('./parse-javascript.js');
const { composeMaps } = require('./position-map.js');
const { SourceError } = require('./source-error.js');
const { applyEdits, insertAt } = require('./text-edits.js');
const { blanksFor, positionAt } = require('./text-lines.js');

/**
 * @param {string} source
 * @param {BodyOptions} options
 * @returns {Body}
 * @throws {SourceError}
 */
function makeBody(source, options) {
  return makeJavaScriptBody(source, options) ?? makeTypeScriptBody(source, options);
}

/**
 * The body of source that is JavaScript already: one pass of a linear parser, fit for the loop
 * thread.
 *
 * @param {string} source
 * @param {BodyOptions} options
 * @returns {Body | null} null for source that may be TypeScript
 * @throws {SourceError} for source that must be JavaScript and is not
 */
function makeJavaScriptBody(source, options) {
  const { text, isTypeScript } = readText(source, options);
  const object = returnLoneObject(text);
  if (object !== null) return object;
  const { program, failure } = parseJavaScript(text, 'body');
  if (program !== null && !(isTypeScript && hasGenericCalls(program, text))) {
    return finishBody(text, program, options);
  }
  if (isTypeScript || failure === null) return null;
  throw syntaxError(text, failure, options);
}

/**
 * @param {string} source
 * @param {BodyOptions} options
 * @returns {Body}
 */
function makeTypeScriptBody(source, options) {
  const { text } = readText(source, options);
  const erased = eraseBody(text, options);
  const { program, failure } = parseJavaScript(erased.code, 'body');
  if (program === null) throw relocate(syntaxError(erased.code, failure, options), erased.map);
  try {
    const body = finishBody(erased.code, program, options);
    return { code: body.code, map: composeMaps(erased.map, body.map) };
  } catch (error) {
    throw error instanceof SourceError ? relocate(error, erased.map) : error;
  }
}

/**
 * @param {string} text
 * @param {BodyOptions} options
 * @returns {Body}
 */
function eraseBody(text, { filename }) {
  const options = /** @type {const} */ ({ filename, jsx: false, goal: 'body' });
  try {
    return eraseTypeScript(text, options);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.code === 'ERR_SOURCE_SYNTAX' && /^\s*\{/.test(text)) {
      const object = eraseLoneObject(text, options);
      if (object !== null) return object;
    }
    throw error.with({ name: 'SyntaxError' });
  }
}

/**
 * An object literal whose values hold types, as `{ id: row.id as string, ok: true }`.
 *
 * @param {string} text
 * @param {import('./erase-pipeline.js').EraseOptions} options
 * @returns {Body | null}
 */
function eraseLoneObject(text, options) {
  const start = text.search(/\S/);
  const wrapped = applyEdits(text, [insertAt(start, '('), insertAt(text.trimEnd().length, ')')]);
  try {
    const erased = eraseTypeScript(wrapped.code, options);
    return { code: erased.code, map: composeMaps(wrapped.map, erased.map) };
  } catch {
    return null;
  }
}

/**
 * @param {string} source
 * @param {BodyOptions} options
 * @returns {{ text: string, isTypeScript: boolean }}
 */
function readText(source, { language }) {
  const fenced = stripFences(source);
  const text = fenced.code.replace(/^\uFEFF/, ' ').replace(/^#!.*/, blanksFor);
  return { text, isTypeScript: language === 'typescript' || fenced.language === 'typescript' };
}

/**
 * @param {string} text
 * @returns {Body | null}
 */
function returnLoneObject(text) {
  const object = parseLoneObject(text);
  return object && applyEdits(text, [insertAt(object.start, 'return ')]);
}

/**
 * @param {string} text
 * @param {import('./parse-javascript.js').Program} program
 * @param {BodyOptions} options
 * @returns {Body}
 */
function finishBody(text, program, options) {
  const { edits, refused } = findResultEdits(text, program);
  if (refused !== null) throw syntaxError(text, { isTooDeep: false, ...refused }, options);
  return applyEdits(text, edits);
}

/**
 * @param {string} text
 * @param {import('./parse-javascript.js').ParseFailure} failure
 * @param {BodyOptions} options
 */
function syntaxError(text, { reason, offset, isTooDeep }, { filename }) {
  return new SourceError({
    name: 'SyntaxError',
    code: isTooDeep ? 'ERR_SOURCE_TOO_COMPLEX' : 'ERR_SOURCE_SYNTAX',
    reason: isTooDeep ? 'The source is nested too deeply' : reason,
    filename,
    ...positionAt(text, offset),
  });
}

/**
 * @param {InstanceType<typeof SourceError>} error
 * @param {import('./position-map.js').PositionMap} map
 */
function relocate(error, map) {
  const { line, column } = error;
  return line === undefined || column === undefined
    ? error
    : error.with(map.original(line, column));
}

module.exports = { makeBody, makeJavaScriptBody };
