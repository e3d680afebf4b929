'use strict';
// Names that the runtime itself gives to tools.

module.exports = {
  /** Stands for an answer of a model without text and calls; its error tells the model so. */
  EMPTY_ANSWER: 'invalid_assistant_response',
  SUBAGENT_CREATE: 'subagent_create',
  SUBAGENT_MESSAGE: 'subagent_message',
};
