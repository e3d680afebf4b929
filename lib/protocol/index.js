'use strict';

const { attachProtocolEndpoint } = require('./endpoint.js');
const { runHostTransportSession } = require('./host-session.js');
const { extractProviderManifests, isDispatcherMessage, isRunnerMessage } = require('./messages.js');
const { createPortPair } = require('./port-pair.js');
const { RemoteExecutor } = require('./remote-executor.js');

module.exports = {
  RemoteExecutor,
  attachProtocolEndpoint,
  createPortPair,
  extractProviderManifests,
  isDispatcherMessage,
  isRunnerMessage,
  runHostTransportSession,
};
