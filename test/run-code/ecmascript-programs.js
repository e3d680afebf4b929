'use strict';
// Public conformance programs: the feature tests of the ECMAScript compatibility table (npm: compat-table), each a function
// body that returns or announces whether a feature works. Written for scripts, they run in strict code here.

const compat = require('compat-table');

const SETS = ['es5', 'es6', 'es2016plus', 'esintl'];

/** @param {Function} exec whose body is a comment that holds the program */
function bodyOf(exec) {
  return /\/\*([\s\S]*)\*\/\s*\}\s*$/.exec(String(exec))?.[1] ?? `return (${exec})()`;
}

// What the table's own page offers its programs.
const OFFERED = `
  globalThis.global = globalThis;
  globalThis.__createIterableObject = (list, methods = {}) => {
    const left = [...list];
    left.length += 1;
    const iterator = { next: () => ({ value: left.shift(), done: left.length <= 0 }), ...methods };
    return { [Symbol.iterator]: () => iterator };
  };
  let announce;
  const announced = new Promise((resolve) => (announce = resolve));
  globalThis.asyncTestPassed = () => announce(true);`;

/**
 * @returns {{ name: string, setup: string, verdict: string }[]} the program of each, and the expression that gives its
 *   verdict, perhaps later
 */
function listPrograms() {
  return SETS.flatMap((set) =>
    compat[set].tests.flatMap((test) =>
      (test.subtests ?? [test]).map((subtest) => {
        const body = bodyOf(subtest.exec);
        const part = test.subtests === undefined ? '' : ` / ${subtest.name}`;
        return {
          name: `${set}: ${test.name}${part}`,
          setup: `${OFFERED}\n const program = function () {${body}\n};`,
          verdict: body.includes('asyncTestPassed')
            ? '(program(), announced)'
            : 'Boolean(program())',
        };
      }),
    ),
  );
}

module.exports = { listPrograms };
