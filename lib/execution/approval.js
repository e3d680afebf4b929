'use strict';
// Consent to one call: who is asked, and what a refusal says. The guest waits meanwhile, and holds no thread.

const { messageOf } = require('../foreign-text.js');
const { unlessAborted } = require('./unless-aborted.js');

/**
 * @param {object} question
 * @param {string} question.name of the tool, in messages
 * @param {((signal: AbortSignal) => unknown) | undefined} question.ask undefined when there is nobody who can be asked
 * @param {AbortSignal} question.signal
 * @param {<T>(wait: () => Promise<T>) => Promise<T>} question.whileAsking stops the run's clock
 * @returns {Promise<string | undefined>} why the call may not be made; undefined when it may. Rejects with the signal's
 *   reason when that aborts.
 */
async function findRefusal({ name, ask, signal, whileAsking }) {
  if (ask === undefined) return `${name} needs approval, and there is nobody who can be asked`;
  let isApproved;
  try {
    isApproved = await whileAsking(() => unlessAborted((async () => ask(signal))(), signal));
  } catch (error) {
    return `${name} needs approval, which could not be asked for: ${messageOf(error)}`;
  }
  signal.throwIfAborted();
  return isApproved === true ? undefined : `${name} was not approved, and was not called`;
}

module.exports = { findRefusal };
