'use strict';
// A pattern as a nondeterministic automaton: a list of instructions that refer to each other by index.

const { PatternError } = require('./pattern-syntax.js');

/** @typedef {import('./pattern-syntax.js').Tree} Tree */
/**
 * @typedef {{ op: 'character', character: number, next: number }
 *   | { op: 'split', next: number, other: number }
 *   | { op: 'edge', edge: string, next: number }
 *   | { op: 'look', look: number, wanted: number, next: number }
 *   | { op: 'match' }} Instruction
 */

/**
 * @typedef {object} Program
 * @property {Instruction[]} instructions
 * @property {number} start
 * @property {boolean} isBackward whether it reads from the end of the text to its beginning
 */

const MAX_INSTRUCTIONS = 10_000;
const MAX_CHARACTERS = 1000;
/** As many as there are bits for at each position of a text. */
const MAX_LOOKS = 16;

const MATCH = 0;

class Compiler {
  /** @type {Map<string, number>} the sources of single characters and classes */
  characters = new Map();
  /** @type {Program[]} of lookarounds, those that others contain before these */
  looks = [];
  /** @type {Map<Tree, number>} */
  #lookOf = new Map();
  #size = 0;

  /**
   * @param {Tree} tree
   * @param {{ isBackward: boolean }} direction
   * @returns {Program}
   */
  compile(tree, { isBackward }) {
    /** @type {Instruction[]} */
    const instructions = [{ op: 'match' }];

    const push = (/** @type {Instruction} */ instruction) => {
      this.#grow();
      return instructions.push(instruction) - 1;
    };
    /**
     * @param {Tree} part
     * @param {number} next
     * @returns {number} where it starts
     */
    const write = (part, next) => {
      switch (part.kind) {
        case 'character':
          return push({ op: 'character', character: this.#characterOf(part.source), next });
        case 'sequence':
          return (isBackward ? part.parts : part.parts.toReversed()).reduce(
            (following, one) => write(one, following),
            next,
          );
        case 'choice':
          return part.options
            .map((one) => write(one, next))
            .reduceRight((other, one) => push({ op: 'split', next: one, other }));
        case 'repeat':
          return repeat(part, next);
        case 'edge':
          return push({ op: 'edge', edge: part.edge, next });
        case 'look':
          return push({
            op: 'look',
            look: this.#lookAt(part),
            wanted: part.isNegated ? 0 : 1,
            next,
          });
      }
    };
    /**
     * @param {Extract<Tree, { kind: 'repeat' }>} tree
     * @param {number} next
     * @returns {number}
     */
    function repeat({ part, min, max }, next) {
      let start = next;
      if (max === Infinity) {
        const split = { op: /** @type {const} */ ('split'), next, other: next };
        start = push(split);
        split.next = write(part, start);
      } else {
        for (let i = min; i < max; i++) {
          start = push({ op: 'split', next: write(part, start), other: next });
        }
      }
      for (let i = 0; i < min; i++) {
        const following = start;
        start = write(part, following);
        if (start === following) break; // it is empty, however often it is repeated
      }
      return start;
    }

    return { start: write(tree, MATCH), instructions, isBackward };
  }

  #grow() {
    if (++this.#size > MAX_INSTRUCTIONS) {
      throw new PatternError(
        `written out without repetitions it has more than ${MAX_INSTRUCTIONS} parts`,
      );
    }
  }

  /** @param {string} source */
  #characterOf(source) {
    const known = this.characters.get(source) ?? this.characters.size;
    if (known >= MAX_CHARACTERS) {
      throw new PatternError(`it has more than ${MAX_CHARACTERS} different characters and classes`);
    }
    this.characters.set(source, known);
    return known;
  }

  /**
   * What is looked for ahead of a position is read backward from the end, and the other way around: then one pass over
   * the text finds all positions where it holds.
   *
   * @param {Extract<Tree, { kind: 'look' }>} tree
   */
  #lookAt(tree) {
    let index = this.#lookOf.get(tree);
    if (index === undefined) {
      const program = this.compile(tree.part, { isBackward: tree.isAhead });
      index = this.looks.push(program) - 1;
      if (index >= MAX_LOOKS) {
        throw new PatternError(`it looks around more than ${MAX_LOOKS} times`);
      }
      this.#lookOf.set(tree, index);
    }
    return index;
  }
}

module.exports = { Compiler };
