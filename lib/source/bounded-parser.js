'use strict';

/**
 * acorn with a bound on how deep it goes. It stops long before the stack is used up, and not at its
 * end: there V8 aborts the process when it has to compile a regular expression (seen on Node 20),
 * and acorn uses some.
 */

const acorn = require('acorn');

/** Every way in which acorn calls itself leads through one of these. */
const RECURSIVE_METHODS = [
  'parseStatement',
  'parseMaybeAssign',
  'parseMaybeUnary',
  'parseExprAtom',
  'parseExprOp',
  'parseBindingAtom',
  'regexp_disjunction',
  'regexp_eatNestedClass',
];
/**
 * A level takes up to 760 bytes of stack, measured without optimization: these are less than half
 * of the 984 KB that V8 has on a main thread.
 */
const MAIN_THREAD_DEPTH = 600;

let maxDepth = MAIN_THREAD_DEPTH;

/**
 * @param {number} depth for all parsers of this thread, by the size of its stack
 */
function setMaxDepth(depth) {
  maxDepth = depth;
}

const BoundedParser = acorn.Parser.extend((Parser) => {
  const Base = /** @type {any} */ (Parser);
  class Bounded extends Base {
    depth = 0;
  }
  for (const name of RECURSIVE_METHODS) {
    const parse = Base.prototype[name];
    if (typeof parse !== 'function') throw new Error(`This version of acorn has no ${name}`);
    Bounded.prototype[name] = function bounded(
      /** @type {unknown[]} */ ...[first, second, third, fourth, fifth]
    ) {
      if (++this.depth > maxDepth) throw new RangeError('The source is nested too deeply');
      const result = parse.call(this, first, second, third, fourth, fifth);
      this.depth--;
      return result;
    };
  }
  return /** @type {any} */ (Bounded);
});

module.exports = { BoundedParser, setMaxDepth };
