'use strict';
// What a call of a backend can fail with, in words that a model can act on.

/** A failure of the host's or a backend's making. Its message is the whole answer: no position belongs to it. */
class ToolCallError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    // Guests see a plain error, with the message alone.
    this.name = 'Error';
    this.code = 'tool_error';
  }
}

/**
 * @param {{ name: string, tools: { name: string, safeName: string }[], lastError?: string }} backend
 * @param {string} tool
 */
function stillStarting({ name, tools, lastError }, tool) {
  const isKnown = tools.some((one) => one.name === tool || one.safeName === tool);
  const known = isKnown
    ? `Tool '${tool}' is cached but the backend hasn't connected yet.`
    : `${tools.length === 0 ? 'Its tools are' : `Whether it has a tool '${tool}' is`} not known yet.`;
  const why = lastError === undefined ? '' : ` Last error: ${lastError}.`;
  return new ToolCallError(
    `Backend '${name}' is still starting. ${known}${why} Try again shortly.`,
  );
}

/**
 * @param {string} backend
 * @param {string} tool
 * @param {string} [reason]
 */
function notAvailable(backend, tool, reason) {
  const why = reason === undefined ? 'It has stopped or lost its connection.' : `${reason}.`;
  return new ToolCallError(`Backend '${backend}' is not available for tool '${tool}'. ${why}`);
}

/**
 * @param {string} backend
 * @param {string} tool
 */
function outcomeUnknown(backend, tool) {
  return new ToolCallError(
    `Outcome unknown: backend '${backend}' lost its connection while tool '${tool}' was running. The call may have ` +
      'taken effect, and was not repeated. Check before you call it again.',
  );
}

module.exports = { ToolCallError, notAvailable, outcomeUnknown, stillStarting };
