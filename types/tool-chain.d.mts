import * as toolChain from './tool-chain.js';

export * from './tool-chain.js';
export default toolChain;
