'use strict';
// Regular expressions on texts of guests: the time they take grows with the text and no faster, and they can pause.
// They mean what they mean to V8 with the flag `u`, or without it. Lookarounds are kept; what refers back to a group is
// refused.

const { Alphabet, Automaton } = require('./pattern-automaton.js');
const { Compiler } = require('./pattern-program.js');
const { PatternError, parsePattern } = require('./pattern-syntax.js');

const HALVES = /[\ud800-\udfff]/g;
/** A character that no pattern tells from half of a pair. */
const STAND_IN = '\ue000';

class Pattern {
  #main;
  #looks;
  #isByUnits;

  /**
   * @param {string} source
   * @param {{ isByUnits?: boolean }} [options] without the flag `u`, a pair of surrogates is two characters
   * @throws {PatternError}
   */
  constructor(source, { isByUnits = false } = {}) {
    this.source = source;
    this.#isByUnits = isByUnits;
    const compiler = new Compiler();
    const program = compiler.compile(parsePattern(source), { isBackward: false });
    const alphabet = new Alphabet(compiler.characters.keys());
    this.#main = new Automaton(program, alphabet);
    this.#looks = compiler.looks.map((one) => new Automaton(one, alphabet));
  }

  /**
   * @param {string} given
   * @param {InstanceType<typeof import('./meter.js').Meter>} meter
   * @returns {Generator<undefined, boolean>} whether the pattern is found anywhere in the text
   */
  *test(given, meter) {
    meter.spend(10);
    const text = this.#isByUnits ? given.replace(HALVES, STAND_IN) : given;
    /** @type {Uint16Array | undefined} */
    let holding;
    if (this.#looks.length > 0) {
      const bits = new Uint16Array(text.length + 1);
      holding = bits;
      for (const [i, look] of this.#looks.entries()) {
        yield* look.scan(text, holding, meter, (at) => {
          bits[at] |= 1 << i;
          return false;
        });
      }
    }
    let isFound = false;
    yield* this.#main.scan(text, holding, meter, () => (isFound = true));
    return isFound;
  }
}

module.exports = { Pattern, PatternError };
