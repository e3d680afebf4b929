'use strict';
// The executor: what it serves over HTTP, however the requests reach it.

const asyncDispose = require('../async-dispose.js');
const { Engine } = require('./engine.js');
const { readOptions } = require('./options.js');
const { fetchHandler } = require('./serve/fetch-handler.js');
const { nodeHandler } = require('./serve/node-handler.js');
const { Service } = require('./serve/service.js');

/**
 * @param {unknown} [given]
 * @returns {import('../../types/tpmjs.js').TpmjsExecutor}
 */
function createExecutor(given) {
  const options = readOptions(given);
  const engine = new Engine(options);
  const service = new Service(options, engine);
  /** @type {Promise<void> | undefined} */
  let closing;
  const close = () => (closing ??= service.drain().then(() => engine.close()));
  return {
    handler: nodeHandler(service),
    fetch: fetchHandler(service),
    close,
    [asyncDispose]: close,
  };
}

module.exports = { createExecutor };
