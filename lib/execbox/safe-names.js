'use strict';
// Names that guest code can write: what tools are called in their namespace, and which namespaces there can be.

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

const RESERVED_WORDS = new Set(
  (
    'await break case catch class const continue debugger default delete do else enum export extends false finally ' +
    'for function if import in instanceof new null return super switch this throw true try typeof var void while ' +
    'with yield'
  ).split(' '),
);

// Valid identifiers that cannot name a global object's property, or not one that strict code can refer to.
const IMPOSSIBLE_NAMESPACES = new Set(
  'undefined NaN Infinity globalThis arguments eval implements interface let package private protected public static'.split(
    ' ',
  ),
);

/** @param {string} name */
function isIdentifier(name) {
  return IDENTIFIER.test(name);
}

/**
 * Anything that is no identifier character becomes one underscore, underscores at the ends go, a leading digit gets one
 * in front and a reserved word one behind.
 *
 * @param {string} name
 * @returns {string}
 */
function toSafeName(name) {
  const words = name.replace(/[^A-Za-z0-9_$]+/g, '_');
  const bare = words.replace(/^_+/, '').replace(/(?<!_)_+$/, '');
  const started = bare === '' || /^[0-9]/.test(bare) ? `_${bare}` : bare;
  return RESERVED_WORDS.has(started) ? `${started}_` : started;
}

/**
 * @param {string[]} names
 * @returns {Map<string, string>} the safe name of each, in their order; the second of a kind gets `__2` behind
 */
function assignSafeNames(names) {
  /** @type {Map<string, string>} */
  const assigned = new Map();
  const taken = new Set();
  for (const name of names) {
    const base = toSafeName(name);
    let safe = base;
    for (let n = 2; taken.has(safe); n++) safe = `${base}__${n}`;
    taken.add(safe);
    assigned.set(name, safe);
  }
  return assigned;
}

/**
 * @param {unknown} name
 * @returns {string}
 */
function checkNamespace(name) {
  if (
    typeof name !== 'string' ||
    !isIdentifier(name) ||
    RESERVED_WORDS.has(name) ||
    IMPOSSIBLE_NAMESPACES.has(name)
  ) {
    throw new TypeError(`Invalid provider namespace: ${String(name)}`);
  }
  return name;
}

module.exports = { assignSafeNames, checkNamespace, isIdentifier, toSafeName };
