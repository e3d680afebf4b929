'use strict';
// Waiting that an abort ends.

/**
 * @template T
 * @param {Promise<T>} promise goes on by itself after an abort
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<T | undefined>} undefined as soon as the signal has aborted
 */
function unlessAborted(promise, signal) {
  if (signal === undefined) return promise;
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(undefined);
    signal.addEventListener('abort', giveUp, { once: true });
    promise.finally(() => signal.removeEventListener('abort', giveUp)).then(resolve, reject);
  });
}

module.exports = { unlessAborted };
