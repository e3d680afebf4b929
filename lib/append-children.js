'use strict';
// Long values come from guests in pieces; this puts them together.

/**
 * Adds the children of one array or object to another of the same kind. Both were made by `JSON.parse`.
 *
 * @param {any} target
 * @param {any} piece
 * @param {number} start where those of an array go
 */
function appendChildren(target, piece, start) {
  if (Array.isArray(piece)) {
    for (let i = 0; i < piece.length; i++) target[start + i] = piece[i];
    return;
  }
  for (const key of Object.keys(piece)) {
    if (key === '__proto__') {
      Object.defineProperty(target, key, {
        value: piece[key],
        writable: true,
        enumerable: true,
        configurable: true,
      });
    } else {
      target[key] = piece[key];
    }
  }
}

module.exports = { appendChildren };
