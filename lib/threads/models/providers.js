'use strict';
// The provider of a model: what its definition makes, or an adapter for a language model of the AI SDK.

const { AiSdkProvider } = require('./ai-sdk-provider.js');

/** @type {WeakMap<object, any>} */
const providers = new WeakMap();

/**
 * @param {any} model a definition
 * @returns {import('../../../types/threads.js').ModelProvider}
 */
function providerOf(model) {
  let provider = providers.get(model);
  if (provider === undefined) {
    provider = typeof model.model === 'object' ? new AiSdkProvider(model.model) : model.provider();
    if (typeof provider?.generate !== 'function' && typeof provider?.stream !== 'function') {
      throw new TypeError(`The provider of model '${model.name}' has neither generate nor stream`);
    }
    providers.set(model, provider);
  }
  return provider;
}

module.exports = { providerOf };
