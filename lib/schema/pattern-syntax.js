'use strict';
// The syntax of a regular expression with the flag `u`, as a tree.

/**
 * @typedef {{ kind: 'character', source: string }
 *   | { kind: 'sequence', parts: Tree[] }
 *   | { kind: 'choice', options: Tree[] }
 *   | { kind: 'repeat', part: Tree, min: number, max: number }
 *   | { kind: 'edge', edge: string }
 *   | { kind: 'look', isAhead: boolean, isNegated: boolean, part: Tree }} Tree
 */

const MAX_NESTING = 100;

const TOKEN = new RegExp(
  [
    String.raw`\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|[pP]\{[^}]*\}|k<[^>]*>|[1-9]\d*|.)`,
    String.raw`\[(?:\\.|[^\]\\])*\]`,
    String.raw`\((?:\?(?:<?[=!]|<[^>]*>|[^:]*:))?`,
    String.raw`(?:[*+?]|\{\d+(?:,\d*)?\})\??`,
    String.raw`.`,
  ].join('|'),
  'suy',
);

/** A pattern that cannot be matched here; the message says why. */
class PatternError extends Error {}

/**
 * @param {string} source
 * @returns {Tree}
 * @throws {PatternError} for what is no pattern, and for what cannot be matched in linear time
 */
function parsePattern(source) {
  try {
    // V8 knows the grammar. What it accepts has a meaning, so that here only the parts are told apart.
    new RegExp(source, 'u');
  } catch (error) {
    throw new PatternError(/** @type {Error} */ (error).message);
  }
  return new Parser(source).parse();
}

class Parser {
  #source;
  #at = 0;
  #nesting = 0;

  /** @param {string} source */
  constructor(source) {
    this.#source = source;
  }

  parse() {
    return this.#readChoice();
  }

  #peek() {
    TOKEN.lastIndex = this.#at;
    return TOKEN.exec(this.#source)?.[0] ?? '';
  }

  /** @returns {Tree} up to the end of its group */
  #readChoice() {
    const options = [this.#readSequence()];
    while (this.#peek() === '|') {
      this.#at++;
      options.push(this.#readSequence());
    }
    return options.length === 1 ? options[0] : { kind: 'choice', options };
  }

  /** @returns {Tree} */
  #readSequence() {
    /** @type {Tree[]} */
    const parts = [];
    for (let token = this.#peek(); !['', '|', ')'].includes(token); token = this.#peek()) {
      this.#at += token.length;
      const range = repetition(token);
      parts.push(
        range === undefined
          ? this.#readTerm(token)
          : { kind: 'repeat', part: /** @type {Tree} */ (parts.pop()), ...range },
      );
    }
    return parts.length === 1 ? parts[0] : { kind: 'sequence', parts };
  }

  /**
   * @param {string} token
   * @returns {Tree}
   */
  #readTerm(token) {
    if (token.startsWith('(')) return this.#readGroup(token);
    if (['^', '$', '\\b', '\\B'].includes(token)) return { kind: 'edge', edge: token };
    if (/^\\(?:[1-9]|k<)/.test(token)) {
      throw new PatternError(`it refers back to what a group matched (${token})`);
    }
    return { kind: 'character', source: token };
  }

  /** @param {string} token */
  #readGroup(token) {
    if (/^\(\?[a-z-]+:$/.test(token)) {
      throw new PatternError(`it changes its flags on the way (${token})`);
    }
    if (++this.#nesting > MAX_NESTING) {
      throw new PatternError(`its groups are nested deeper than ${MAX_NESTING} levels`);
    }
    const part = this.#readChoice();
    this.#at++; // the closing parenthesis
    this.#nesting--;
    const look = /^\(\?(<?)([=!])$/.exec(token);
    if (look === null) return part;
    const [, behind, sign] = look;
    return /** @type {Tree} */ ({
      kind: 'look',
      isAhead: behind === '',
      isNegated: sign === '!',
      part,
    });
  }
}

/** @param {string} token */
function repetition(token) {
  const match = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/.exec(token);
  if (match === null) return undefined;
  const [, sign, least, comma, most] = match;
  if (sign !== undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
  const min = Number(least);
  if (comma === '') return { min, max: min };
  return { min, max: most === '' ? Infinity : Number(most) };
}

module.exports = { PatternError, parsePattern };
