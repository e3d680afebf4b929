'use strict';
// JSON Schema as a check of values that guests make up: whatever they look like, the event loop is never held for long.

const { CheckRun, apply, drive } = require('./check-run.js');
const { draftOf, isKeyword } = require('./drafts.js');
const { TooCostly } = require('./meter.js');
const { SchemaError } = require('./schema-error.js');
const { SchemaReader } = require('./schema-reader.js');
const { atOnce, inTurns } = require('../turns.js');

/** @typedef {{ ok: true, value: unknown } | { ok: false, reason: string }} Checked */
/**
 * @callback Check
 * @param {unknown} value
 * @param {string} name what messages call the value
 * @param {AbortSignal} [signal] ends a check that takes long
 * @returns {Checked | Promise<Checked>}
 */

const MAX_REASON_CHARS = 2000;

/**
 * @param {Record<string, unknown>} schema the draft is the one `$schema` names, 2020-12, 2019-09 or else draft-07
 * @returns {Generator<void, Check>} yields where it may pause
 * @throws {SchemaError}
 */
function* readInSteps(schema) {
  const root = yield* new SchemaReader(draftOf(schema.$schema), schema).read();
  return (value, name, signal) => {
    const run = new CheckRun();
    const outcome = apply(root, value, run);
    if (typeof outcome === 'boolean') return conclude(outcome, value, name, run);
    return inTurns(checkInSteps(outcome, value, name, run), signal);
  };
}

/**
 * @param {import('./check-run.js').Steps} steps
 * @param {unknown} value
 * @param {string} name
 * @param {import('./check-run.js').Run} run
 * @returns {Generator<void, Checked>}
 */
function* checkInSteps(steps, value, name, run) {
  try {
    return conclude(yield* drive(steps, run), value, name, run);
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error;
    return { ok: false, reason: `${name} ${error.message}` };
  }
}

/**
 * @param {boolean} isValid
 * @param {unknown} value
 * @param {string} name
 * @param {import('./check-run.js').Run} run
 * @returns {Checked}
 */
function conclude(isValid, value, name, run) {
  if (isValid) return { ok: true, value };
  return { ok: false, reason: run.describeFaults(name).slice(0, MAX_REASON_CHARS) };
}

/**
 * @param {Record<string, unknown>} schema
 * @returns {Check}
 * @throws {SchemaError}
 */
function readJsonSchema(schema) {
  return atOnce(readInSteps(schema));
}

module.exports = { SchemaError, isKeyword, readInSteps, readJsonSchema };
