'use strict';

/**
 * @param {string} text
 * @param {string} marker occurs once
 * @returns {{ line: number, column: number }} counted from 1, as V8 does
 */
function findPlace(text, marker) {
  const offset = text.indexOf(marker);
  if (offset === -1 || text.indexOf(marker, offset + 1) !== -1) {
    throw new Error(`not exactly one ${marker}`);
  }
  const before = text.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: before.length, column: before[before.length - 1].length + 1 };
}

module.exports = { findPlace };
