'use strict';
// Gives a Standard Agents thread state its `runCode`.

const { createStarter } = require('./create-run-code.js');

/**
 * @template {object} State
 * @param {State} state
 * @param {import('../../types/run-code.js').RunCodeSettings} [settings]
 */
function threadState(state, settings) {
  if (typeof state !== 'object' || state === null) {
    throw new TypeError('threadState takes the state of a thread');
  }
  const start = createStarter(settings);
  const value = (/** @type {unknown} */ source, /** @type {unknown} */ options) =>
    start(source, options, abortSignalOf(state));
  // Defined, not assigned: a state may have inherited a runCode it cannot write to.
  Object.defineProperty(state, 'runCode', {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
  return /** @type {any} */ (state);
}

/**
 * Looked up for every run: a thread has an execution only while it executes, and each has a signal of its own.
 *
 * @param {any} state
 * @returns {AbortSignal | undefined}
 */
function abortSignalOf(state) {
  try {
    const signal = state.execution?.abortSignal;
    return typeof signal?.addEventListener === 'function' ? signal : undefined;
  } catch {
    return undefined; // a run is not refused for the sake of its state
  }
}

module.exports = { threadState };
