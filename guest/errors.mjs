import DOMException from 'core-js-pure/actual/dom-exception/index.js';

export { DOMException };
