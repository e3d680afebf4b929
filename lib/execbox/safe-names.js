'use strict';
// Names that guest code can write: what tools are called in their namespace, and which namespaces there can be.

const { KEYWORDS, isBindableName } = require('../names.js');

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

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
  return KEYWORDS.has(started) ? `${started}_` : started;
}

/** Names of which none is given twice: the second of a kind gets `__2` behind. */
class UniqueNames {
  #taken;
  /** @type {Map<string, number>} the numbers that were last tried */
  #numbers = new Map();

  /** @param {Iterable<string>} [taken] */
  constructor(taken = []) {
    this.#taken = new Set(taken);
  }

  /** @param {string} wanted */
  assign(wanted) {
    let name = wanted;
    let number = this.#numbers.get(wanted) ?? 1;
    while (this.#taken.has(name)) name = `${wanted}__${++number}`;
    this.#numbers.set(wanted, number);
    this.#taken.add(name);
    return name;
  }
}

/**
 * @param {string[]} names
 * @param {(name: string) => string} toSafe
 * @returns {Map<string, string>} the safe name of each, in their order
 */
function assignSafeNames(names, toSafe = toSafeName) {
  const unique = new UniqueNames();
  return new Map(names.map((name) => [name, unique.assign(toSafe(name))]));
}

/** @param {string} name whether no global that strict code refers to can have it */
function isReservedName(name) {
  return !isBindableName(name) || name === 'globalThis';
}

/**
 * @param {unknown} name
 * @returns {string}
 */
function checkNamespace(name) {
  if (typeof name !== 'string' || !isIdentifier(name) || isReservedName(name)) {
    throw new TypeError(`Invalid provider namespace: ${String(name)}`);
  }
  return name;
}

module.exports = {
  UniqueNames,
  assignSafeNames,
  checkNamespace,
  isIdentifier,
  isReservedName,
  toSafeName,
};
