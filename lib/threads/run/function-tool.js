'use strict';
// Tools that are functions of the developer, or guest code that nobody has read.

/** @typedef {import('./tools.js').Answer} Answer */

/**
 * @param {import('../parts.js').ThreadState} state
 * @param {import('./tools.js').Target} target
 * @param {Record<string, any>} args
 * @returns {Promise<Answer>}
 */
async function runFunctionTool(state, { name, definition }, args) {
  if (definition.executionMode === 'isolate') return runGuestTool(state, name, definition, args);
  const hasArguments = definition.args !== undefined && definition.args !== null;
  const result = await (hasArguments ? definition.execute(state, args) : definition.execute(state));
  return readResult(result);
}

/**
 * The tool's source runs in an isolate of its own; all it can reach are the functions that its definition declares.
 *
 * @param {import('../parts.js').ThreadState} state
 * @param {string} name
 * @param {any} definition
 * @param {Record<string, any>} args
 * @returns {Promise<Answer>}
 */
async function runGuestTool(state, name, { source, functions = {} }, args) {
  const globals = Object.fromEntries(
    Object.entries(functions).map(([key, call]) => [
      key,
      (/** @type {unknown[]} */ ...given) => /** @type {Function} */ (call)(state, ...given),
    ]),
  );
  const outcome = /** @type {import('../../../types/run-code.js').CodeExecutionResult} */ (
    await /** @type {any} */ (state).runCode(source, {
      filename: `${name}.ts`,
      globals,
      execute: { args: [args] },
    })
  );
  if (outcome.status !== 'success') return { status: 'error', text: outcome.error.message };
  return readResult(outcome.result);
}

/**
 * @param {any} result a ToolResult; anything else counts as the result of a success
 * @returns {Answer}
 */
function readResult(result) {
  const isResult = typeof result === 'object' && result !== null && 'status' in result;
  if (!isResult) return { status: 'success', text: resultText(result) };
  const { status, content, error, attachments, error_code: code, error_data: data } = result;
  const text = Array.isArray(content)
    ? content.map((part) => String(part?.text ?? '')).join('\n')
    : resultText(result.result);
  if (status === 'error') {
    return {
      status,
      text: error === undefined ? text : resultText(error),
      attachments,
      code,
      data,
    };
  }
  return { status: 'success', text, attachments };
}

/** @param {unknown} value */
function resultText(value) {
  if (typeof value === 'string') return value;
  if (value === undefined) return 'The tool is done.';
  return JSON.stringify(value, null, 2) ?? String(value);
}

/**
 * @param {Answer} answer
 * @returns {import('../../../types/threads.js').ToolResult}
 */
function toResult({ status, text, attachments }) {
  return {
    status,
    ...(status === 'error' ? { error: text } : { result: text }),
    ...(attachments !== undefined && { attachments }),
  };
}

module.exports = { readResult, runFunctionTool, toResult };
