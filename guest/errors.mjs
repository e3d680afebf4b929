import DOMException from 'core-js-pure/actual/dom-exception/index.js';

/** What a callback threw that nobody waits for: shown, and no end of the run. */
export function report(error) {
  globalThis.console?.error(String(error?.stack ?? error));
}

export { DOMException };
