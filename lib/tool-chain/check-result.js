'use strict';
// Whether what a tool gives is what its backend says it gives: code is written, and typed, by that.

const { checkableSchema } = require('../mcp/upstream-schemas.js');
const { readInSteps } = require('../schema/json-schema.js');
const { inTurns } = require('../turns.js');
const { ToolCallError } = require('./backend-errors.js');

/** @typedef {import('./registry.js').Entry} Entry */
/** @typedef {import('./backend.js').BackendTool} BackendTool */
/** @typedef {ReturnType<typeof import('../schema/json-schema.js').readJsonSchema>} Check */

/** @type {WeakMap<BackendTool, Promise<Check | undefined>>} */
const checks = new WeakMap();

/**
 * A schema that cannot be read says nothing.
 *
 * @param {Entry} entry
 * @param {{ structuredContent?: unknown }} result
 * @param {AbortSignal} signal
 * @returns {Promise<void>} rejects with a ToolCallError when the structured content does not fit
 */
async function checkResult({ backend, tool }, { structuredContent }, signal) {
  if (structuredContent === undefined || tool.outputSchema === undefined) return;
  if (!checks.has(tool)) checks.set(tool, readOutputSchema(tool));
  const check = await checks.get(tool);
  if (check === undefined) return;
  const checked = await check(structuredContent, 'structuredContent', signal);
  if (checked.ok) return;
  throw new ToolCallError(
    `tool '${tool.name}' on backend '${backend.name}' did not answer as its outputSchema says: ${checked.reason}. ` +
      'The call has taken place.',
  );
}

/**
 * @param {BackendTool} tool
 * @returns {Promise<Check | undefined>}
 */
async function readOutputSchema({ name, outputSchema }) {
  const schema = await inTurns(checkableSchema(outputSchema, 'output', name));
  return schema && inTurns(readInSteps(schema));
}

module.exports = { checkResult };
