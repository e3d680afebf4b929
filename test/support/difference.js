'use strict';
// Compares two values the way structured clone keeps them, in whatever realms they live: kinds, contents and order,
// holes, -0, and which of their parts are one and the same object.

const kindOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

const bytesOf = (view) =>
  Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('hex');

/** What makes up a value beside its parts, as text. */
const DETAILS = {
  Array: (value) => String(value.length),
  ArrayBuffer: (value) => bytesOf(new DataView(value)),
  Date: (value) => String(value.getTime()),
  RegExp: (value) => String(value),
};

/** @returns {[string, unknown][]} the parts of an object that are compared in turn, in order */
function partsOf(value, kind) {
  if (kind === 'Map') {
    return [...value].flatMap(([k, v], i) => [
      [`key ${i}`, k],
      [`value ${i}`, v],
    ]);
  }
  if (kind === 'Set') return [...value].map((member, i) => [`member ${i}`, member]);
  if (ArrayBuffer.isView(value)) return [];
  return Object.keys(value).map((key) => [key, value[key]]);
}

/**
 * @param {unknown} a
 * @param {unknown} b
 * @returns {string} where they differ first, '' when they do not
 */
function differenceBetween(a, b, path = 'value', pairs = new Map(), twins = new Map()) {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) {
    return Object.is(a, b) ? '' : `${path}: ${String(a)} is not ${String(b)}`;
  }
  if (pairs.has(a) || twins.has(b)) {
    const isSame = pairs.get(a) === b && twins.get(b) === a;
    return isSame ? '' : `${path}: shared differently`;
  }
  pairs.set(a, b);
  twins.set(b, a);
  const kind = kindOf(a);
  if (kindOf(b) !== kind) return `${path}: ${kind} is not ${kindOf(b)}`;
  const detail = ArrayBuffer.isView(a) ? bytesOf : (DETAILS[kind] ?? (() => ''));
  if (detail(a) !== detail(b)) return `${path}: ${detail(a)} is not ${detail(b)}`;
  const mine = partsOf(a, kind);
  const theirs = partsOf(b, kind);
  const names = (parts) => JSON.stringify(parts.map(([name]) => name));
  if (names(mine) !== names(theirs)) return `${path}: ${names(mine)} is not ${names(theirs)}`;
  for (const [i, [name, part]] of mine.entries()) {
    const difference = differenceBetween(part, theirs[i][1], `${path}/${name}`, pairs, twins);
    if (difference) return difference;
  }
  return '';
}

module.exports = { differenceBetween };
