'use strict';
// Hints for the author of a guest, added to its outcome. What makes them is loaded when it is needed: most runs end well.

const KINDS = /** @type {const} */ (['script', 'function', 'module']);
// A longer text is a result, not a mistake.
const MAX_TEXT_CHARS = 10_000;

/**
 * @param {any} outcome
 * @param {ReturnType<typeof import('./run-request.js').readRequest>['native']} request
 * @returns {any} the same
 */
function addHints(outcome, request) {
  const { ok, value, cause, error } = outcome;
  if (ok) {
    const mayBeMeant =
      value !== undefined && (typeof value !== 'string' || value.length > MAX_TEXT_CHARS);
    if (mayBeMeant) return outcome;
    const hint = require('./hints/hints.js').hintForResult(value, sceneOf(request));
    if (hint !== undefined) outcome.hint = hint;
    return outcome;
  }
  const { filename, line, column } = error;
  if (line !== undefined && filename === request.filename) {
    const { codeFrame } = require('./hints/code-frame.js');
    const frame = codeFrame(request.source, line, column ?? 1);
    if (frame !== undefined) error.frame = frame;
  }
  const { hintForFailure } = require('./hints/hints.js');
  const hint = hintForFailure(cause, error, sceneOf(request));
  if (hint !== undefined) error.hint = hint;
  return outcome;
}

/**
 * @param {ReturnType<typeof import('./run-request.js').readRequest>['native']} request
 * @returns {import('./hints/hints.js').Scene}
 */
function sceneOf({ source, kind, limits, realm, module }) {
  const { namespaces = [], bindings = [] } = realm.names ?? {};
  return {
    source,
    kind: KINDS[kind],
    limits,
    namespaces: new Map(namespaces.map(({ name, members }) => [name, members])),
    names: bindings.map(({ name }) => name),
    modules: [
      ...(module?.synthetic ?? []).map(({ specifier }) => specifier),
      ...(module?.sources ?? []).map(({ path }) => `./${path}`),
    ],
  };
}

module.exports = { addHints };
