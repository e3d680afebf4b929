'use strict';
// Text cut to a length, with a notice of how much is left out.

/**
 * @param {string} text
 * @param {number} maxChars of all of it, the notice included
 * @returns {string}
 */
function clipText(text, maxChars) {
  if (text.length <= maxChars) return text;
  const notice = (/** @type {number} */ left) => `\n… ${left} more characters`;
  const room = maxChars - notice(text.length).length;
  if (room <= 0) return clip(text, maxChars);
  const kept = clip(text, room);
  return kept + notice(text.length - kept.length);
}

/**
 * @param {string} text
 * @param {number} maxChars less than it has
 * @returns {string} its beginning, without half a surrogate pair at the end
 */
function clip(text, maxChars) {
  const isPairCut = /[\uD800-\uDBFF]/.test(text[maxChars - 1]);
  return text.slice(0, isPairCut ? maxChars - 1 : maxChars);
}

module.exports = { clipText };
