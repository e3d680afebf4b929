'use strict';
// References between schemas of one document, and the definitions they lead to.

const { applyInside } = require('./check-run.js');

/** @typedef {import('./reading.js').KeywordReader} KeywordReader */
/** @typedef {import('./check-run.js').Run} Run */
/** @typedef {import('./check-run.js').SchemaNode} SchemaNode */

/** @type {KeywordReader} */
function reference(given, reading) {
  if (typeof given !== 'string') reading.refuse('must be a string');
  const target = reading.link(given);
  return (value, run, trace) => {
    const { node } = target;
    if (trace !== undefined) return applyInside(node, value, run, trace);
    // References may lead to the same schema and value by many ways, each of them with all that is below.
    run.spend(5);
    const known = run.recall(node, value);
    if (known !== undefined) return known || run.fail(`must match the schema ${given}`);
    const outcome = applyInside(node, value, run);
    if (typeof outcome !== 'boolean') return remember(node, value, run, outcome);
    run.remember(node, value, outcome);
    return outcome;
  };
}

/**
 * @param {SchemaNode} node
 * @param {unknown} value
 * @param {Run} run
 * @param {import('./check-run.js').Steps} steps
 * @returns {import('./check-run.js').Steps}
 */
function* remember(node, value, run, steps) {
  const isValid = (yield steps) === true;
  run.remember(node, value, isValid);
  return isValid;
}

/** @type {KeywordReader} in a document with one `$id` such a reference leads where any other does */
function dynamicReference(given, reading) {
  reading.needSingleResource();
  return reference(given, reading);
}

/** @type {KeywordReader} */
function definitions(given, reading) {
  reading.nodesByName(given);
  return undefined;
}

module.exports = {
  dynamicReference,
  keywords: { $ref: reference, $defs: definitions, definitions },
};
