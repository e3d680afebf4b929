export { default as atob } from 'core-js-pure/actual/atob.js';
export { default as btoa } from 'core-js-pure/actual/btoa.js';
