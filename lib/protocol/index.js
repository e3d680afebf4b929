'use strict';

const { attachProtocolEndpoint } = require('./endpoint.js');
const { runHostSession } = require('./host-session.js');
const { describeProviders, isDispatcherMessage, isRunnerMessage } = require('./messages.js');
const { createPortPair } = require('./port-pair.js');

module.exports = {
  attachProtocolEndpoint,
  createPortPair,
  describeProviders,
  isDispatcherMessage,
  isRunnerMessage,
  runHostSession,
};
