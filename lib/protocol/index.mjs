// The same names for `import`; lib/protocol/index.js is the implementation.
import protocol from './index.js';

export const {
  attachProtocolEndpoint,
  createPortPair,
  describeProviders,
  isDispatcherMessage,
  isRunnerMessage,
  runHostSession,
} = protocol;
export default protocol;
