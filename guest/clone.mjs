export { default as structuredClone } from 'core-js-pure/actual/structured-clone.js';
