'use strict';
// A guest's console as lines of text, within the limits of its execution.

const { safely, textOf } = require('../foreign-text.js');

/**
 * @param {string[]} lines
 * @param {number} maxLines the earliest are kept
 * @param {number} maxChars in all of them; the line that passes it is clipped
 */
function truncateLogs(lines, maxLines, maxChars) {
  const kept = [];
  let room = maxChars;
  for (const line of lines.slice(0, maxLines)) {
    if (room <= 0) break;
    kept.push(line.slice(0, room));
    room -= line.length;
  }
  return kept;
}

/**
 * @param {unknown[]} values the arguments of a call of the console
 * @returns {string} one line
 */
function formatConsoleLine(values) {
  return values.map(formatValue).join(' ');
}

/** @param {unknown} value texts as they are, the rest as JSON; what JSON cannot say as text */
function formatValue(value) {
  if (typeof value === 'string') return value;
  return safely(() => JSON.stringify(value)) ?? textOf(value);
}

/**
 * @param {(line: string) => void} onLog what it throws is the host's own uncaught exception, never the execution's
 * @param {string[]} lines
 */
function tellLines(onLog, lines) {
  for (const line of lines) {
    try {
      onLog(line);
    } catch (error) {
      process.nextTick(() => {
        throw error;
      });
    }
  }
}

module.exports = { formatConsoleLine, tellLines, truncateLogs };
