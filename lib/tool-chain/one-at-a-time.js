'use strict';

const { setTimeout: sleep } = require('node:timers/promises');

/**
 * What is asked for while it is under way is done once more behind it, however often it was asked for.
 *
 * @param {() => Promise<void>} act does not reject
 * @param {number} pauseMs between two times
 * @returns {() => void}
 */
function oneAtATime(act, pauseMs) {
  let isBusy = false;
  let isWanted = false;
  return async () => {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await act();
      await sleep(pauseMs, undefined, { ref: false });
    }
    isBusy = false;
  };
}

module.exports = { oneAtATime };
