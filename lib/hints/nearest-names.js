'use strict';
// Names that somebody may have meant.

const MAX_COMPARED = 2000;

/**
 * @param {string} given
 * @param {Iterable<string>} known
 * @returns {string[]} those that are close, in the order of `known`
 */
function nearestNames(given, known) {
  const close = [];
  let compared = 0;
  for (const name of known) {
    if (compared++ === MAX_COMPARED) break;
    if (isClose(given, name)) close.push(name);
  }
  return close;
}

/**
 * @param {string} given
 * @param {string} known
 * @returns {boolean} the same but for case and separators, the beginning up to one, or a few typing errors away
 */
function isClose(given, known) {
  const [a, b] = [given, known].map((name) => name.toLowerCase().replaceAll('-', '_'));
  if (a === b || b.startsWith(`${a}_`)) return true;
  if (a.replaceAll('_', '') === b.replaceAll('_', '')) return true;
  const allowed = Math.min(a.length, b.length) <= 4 ? 1 : 2;
  return Math.abs(a.length - b.length) <= allowed && editDistance(a, b) <= allowed;
}

/**
 * @param {string} a
 * @param {string} b
 * @returns {number} insertions, deletions, replacements, and swaps of neighbours
 */
function editDistance(a, b) {
  let before = /** @type {number[]} */ ([]);
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], before[j - 2] + 1);
      }
    }
    [before, last] = [last, row];
  }
  return last[b.length];
}

module.exports = { isClose, nearestNames };
