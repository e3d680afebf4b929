'use strict';
// Runs a pattern's program over a text in one pass. Sets of instructions that were met before are not worked out again.

/** @typedef {import('./pattern-program.js').Program} Program */
/** @typedef {import('./pattern-program.js').Instruction} Instruction */
/** @typedef {InstanceType<typeof import('./meter.js').Meter>} Meter */
/**
 * @typedef {object} State
 * @property {number[]} kernel the instructions that go on from here
 * @property {number} passed the kind of the character before, in reading order
 * @property {Map<number, Move>} moves
 */
/** @typedef {{ isMatch: boolean, to: State }} Move */

/** Kinds of neighbours, for `^`, `$`, `\b` and `\B`. */
const EDGE = 0;
const WORD = 1;
const OTHER = 2;

const LOOK_BITS = 16;
const END_OF_TEXT = 0;

/** What may be remembered while a text is read, and between texts; in numbers, roughly. */
const MAX_REMEMBERED = 20_000;
const MAX_KEPT = 1000;
const MAX_CODES = 2000;

/** The largest element of a Uint32Array. */
const MAX_ROUND = 2 ** 32 - 1;

/** Which characters a pattern tells apart. */
class Alphabet {
  #tests;
  /** @type {Map<number, number>} classes by code point */
  #classes = new Map();
  /** @type {Map<string, number>} */
  #bySignature = new Map();
  /** @type {{ kind: number, fits: boolean[] }[]} */
  #members = [{ kind: EDGE, fits: [] }];

  /** @param {Iterable<string>} sources of characters and classes, in the order of their numbers */
  constructor(sources) {
    // On a single character V8's own engine takes constant time.
    this.#tests = Array.from(sources, (source) => new RegExp(`^${source}$`, 'u'));
  }

  /**
   * @param {number} code
   * @param {Meter} meter
   */
  classOf(code, meter) {
    return this.#classes.get(code) ?? this.#classify(code, meter);
  }

  /** @param {number} index of a class */
  kindOf(index) {
    return this.#members[index].kind;
  }

  /**
   * @param {number} index of a class
   * @param {number} character
   */
  fits(index, character) {
    return this.#members[index].fits[character];
  }

  /**
   * @param {number} code
   * @param {Meter} meter
   */
  #classify(code, meter) {
    meter.spend(10 * this.#tests.length);
    const character = String.fromCodePoint(code);
    const kind = /^\w$/.test(character) ? WORD : OTHER;
    const fits = this.#tests.map((test) => test.test(character));
    const signature = `${kind}${fits.map(Number).join('')}`;
    let index = this.#bySignature.get(signature);
    if (index === undefined) {
      index = this.#members.push({ kind, fits }) - 1;
      this.#bySignature.set(signature, index);
    }
    if (this.#classes.size >= MAX_CODES) this.#classes.clear();
    this.#classes.set(code, index);
    return index;
  }
}

class Automaton {
  #program;
  #alphabet;
  #isAnchored;
  /** @type {Map<string, State>} */
  #states = new Map();
  #remembered = 0;
  /** @type {Uint32Array} the round in which an instruction was last visited */
  #visited;
  #round = 0;

  /**
   * @param {Program} program
   * @param {Alphabet} alphabet
   */
  constructor(program, alphabet) {
    this.#program = program;
    this.#alphabet = alphabet;
    this.#visited = new Uint32Array(program.instructions.length);
    // Nothing can begin inside the text then, and reading may end early.
    const anchor = program.isBackward ? '$' : '^';
    const inside = this.#reach([program.start], (one) => one.op === 'look' || one.edge !== anchor);
    this.#isAnchored = !inside.isMatch && inside.open.length === 0;
  }

  /**
   * @param {string} text
   * @param {Uint16Array | undefined} looks which lookarounds hold at each position, a bit for each
   * @param {Meter} meter
   * @param {(at: number) => boolean} onMatch gets the position where a match ends; whether that was enough
   * @returns {Generator<undefined, void>}
   */
  *scan(text, looks, meter, onMatch) {
    const { start, isBackward } = this.#program;
    let state = this.#stateOf([start], EDGE);
    let at = isBackward ? text.length : 0;
    for (;;) {
      const code = isBackward ? codeBefore(text, at) : (text.codePointAt(at) ?? -1);
      const move = this.#move(state, code, looks === undefined ? 0 : looks[at], meter);
      meter.spend(1);
      if (move.isMatch && onMatch(at)) break;
      if (code < 0 || move.to.kernel.length === 0) break;
      state = move.to;
      const width = code > 0xffff ? 2 : 1;
      at += isBackward ? -width : width;
      if (meter.isDue) yield;
    }
    if (this.#remembered > MAX_KEPT) this.#forget();
  }

  /**
   * @param {State} state
   * @param {number} code -1 at the end
   * @param {number} looks
   * @param {Meter} meter
   * @returns {Move}
   */
  #move(state, code, looks, meter) {
    const index = code < 0 ? END_OF_TEXT : this.#alphabet.classOf(code, meter);
    const symbol = index * 2 ** LOOK_BITS + looks;
    const known = state.moves.get(symbol);
    if (known !== undefined) return known;
    if (this.#remembered > MAX_REMEMBERED) this.#forget();
    const move = this.#workOut(state, index, looks, meter);
    state.moves.set(symbol, move);
    this.#remembered++;
    return move;
  }

  /**
   * @param {State} state
   * @param {number} index of the class of the character that follows
   * @param {number} looks
   * @param {Meter} meter
   */
  #workOut({ kernel, passed }, index, looks, meter) {
    const { instructions, start, isBackward } = this.#program;
    const kind = this.#alphabet.kindOf(index);
    const [left, right] = isBackward ? [kind, passed] : [passed, kind];
    const { open, isMatch, visits } = this.#reach(kernel, (one) =>
      one.op === 'edge' ? isEdge(one.edge, left, right) : ((looks >> one.look) & 1) === one.wanted,
    );
    const next = this.#isAnchored ? [] : [start];
    for (const at of open) {
      const one = instructions[at];
      if (one.op === 'character' && this.#alphabet.fits(index, one.character)) next.push(one.next);
    }
    meter.spend(10 + 2 * visits + 4 * next.length);
    return {
      isMatch,
      to: this.#stateOf(
        [...new Set(next)].sort((a, b) => a - b),
        kind,
      ),
    };
  }

  /**
   * Follows everything that takes no character.
   *
   * @param {number[]} kernel
   * @param {(one: Extract<Instruction, { op: 'edge' | 'look' }>) => boolean} isPassed
   */
  #reach(kernel, isPassed) {
    const { instructions } = this.#program;
    if (++this.#round > MAX_ROUND) {
      this.#visited.fill(0);
      this.#round = 1;
    }
    const round = this.#round;
    const pending = [...kernel];
    const open = [];
    let isMatch = false;
    let visits = 0;
    while (pending.length > 0) {
      const at = /** @type {number} */ (pending.pop());
      if (this.#visited[at] === round) continue;
      this.#visited[at] = round;
      visits++;
      const one = instructions[at];
      switch (one.op) {
        case 'match':
          isMatch = true;
          break;
        case 'character':
          open.push(at);
          break;
        case 'split':
          pending.push(one.next, one.other);
          break;
        default:
          if (isPassed(one)) pending.push(one.next);
      }
    }
    return { open, isMatch, visits };
  }

  /**
   * @param {number[]} kernel in ascending order
   * @param {number} passed
   */
  #stateOf(kernel, passed) {
    const key = `${passed}:${kernel.join()}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      state = { kernel, passed, moves: new Map() };
      this.#states.set(key, state);
      this.#remembered += kernel.length + 1;
    }
    return state;
  }

  #forget() {
    for (const { moves } of this.#states.values()) moves.clear();
    this.#states.clear();
    this.#remembered = 0;
  }
}

/**
 * @param {string} edge
 * @param {number} left
 * @param {number} right
 */
function isEdge(edge, left, right) {
  switch (edge) {
    case '^':
      return left === EDGE;
    case '$':
      return right === EDGE;
    default:
      return ((left === WORD) !== (right === WORD)) === (edge === '\\b');
  }
}

/**
 * @param {string} text
 * @param {number} at
 * @returns {number} the code point that ends there, -1 at the beginning
 */
function codeBefore(text, at) {
  if (at === 0) return -1;
  const pair = at > 1 ? /** @type {number} */ (text.codePointAt(at - 2)) : 0;
  return pair > 0xffff ? pair : text.charCodeAt(at - 1);
}

module.exports = { Alphabet, Automaton };
