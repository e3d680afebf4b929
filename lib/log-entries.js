'use strict';
// What a guest has logged, as its host sees it.

const LEVELS = /** @type {const} */ (['log', 'info', 'warn', 'error', 'debug']);

/**
 * @param {typeof LEVELS[number]} level
 * @param {number} timestamp
 * @param {string | unknown[] | (() => unknown[])} content a line's text, or an entry's arguments: as they are, or when
 *   they are read, since rebuilding them takes long
 */
function shapeLog(level, timestamp, content) {
  if (typeof content === 'string') return { level, timestamp, text: content };
  if (typeof content !== 'function') return { level, timestamp, args: content };
  const entry = { level, timestamp };
  return Object.defineProperty(entry, 'args', {
    get() {
      const args = content();
      Object.defineProperty(entry, 'args', { value: args, writable: true });
      return args;
    },
    enumerable: true,
    configurable: true,
  });
}

/**
 * @param {(string | unknown[] | (() => unknown[]))[]} contents
 * @param {Float64Array} numbers a level and a time for each
 * @returns {import('../types/index.js').LogEntry[]}
 */
function shapeLogs(contents, numbers) {
  return contents.map((content, i) =>
    shapeLog(LEVELS[numbers[2 * i]], numbers[2 * i + 1], content),
  );
}

module.exports = { shapeLogs };
