'use strict';
// An execution as server-sent events: `log` and `output` as they come, then one `result` with what the plain answer would be.

const { asFailure } = require('../base/failures.js');
const { failureBody } = require('./versions.js');

/**
 * @param {(told: import('../run/isolate.js').Told) => Promise<any>} work
 * @param {import('./versions.js').Version} version
 * @param {() => void} cancel
 * @returns {AsyncGenerator<string>}
 */
async function* streamEvents(work, version, cancel) {
  /** @type {string[]} */
  let queue = [];
  let wake = () => {};
  const push = (/** @type {string} */ event, /** @type {string} */ data) => {
    // Lines of a text would end the event.
    queue.push(`event: ${event}\ndata: ${data.replace(/[\r\n]/g, ' ')}\n\n`);
    wake();
  };
  const state = { isDone: false };
  const finished = work({
    log: (entry) => push('log', JSON.stringify(entry)),
    output: (value) => push('output', JSON.stringify(value)),
  })
    .catch((error) => failureBody(asFailure(error), version))
    .then((said) => {
      state.isDone = true;
      const body = said.body ?? said;
      push('result', typeof body === 'string' ? body : JSON.stringify(body));
    });
  try {
    // The client knows at once that it was heard.
    yield ': accepted\n\n';
    while (!state.isDone || queue.length > 0) {
      const ready = queue;
      queue = [];
      if (ready.length > 0) yield ready.join('');
      else await new Promise((resolve) => (wake = () => resolve(undefined)));
    }
    await finished;
  } finally {
    cancel();
  }
}

module.exports = { streamEvents };
