// The same names for `import`; lib/tool-chain/index.js is the implementation.
import toolChain from './index.js';

export const { createToolChain, toolChainMcpServer } = toolChain;
export default toolChain;
