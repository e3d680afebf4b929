// The same names for `import`; lib/protocol/index.js is the implementation.
import protocol from './index.js';

export const {
  RemoteExecutor,
  attachProtocolEndpoint,
  createPortPair,
  extractProviderManifests,
  isDispatcherMessage,
  isRunnerMessage,
  runHostTransportSession,
} = protocol;
export default protocol;
