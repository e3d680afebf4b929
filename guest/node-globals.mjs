// What packages for Node take for granted.

export { Buffer } from 'part:node-buffer';
export { process } from 'part:node-process';
