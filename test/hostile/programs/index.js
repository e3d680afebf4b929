'use strict';
// All hostile programs, by category.

/**
 * One hostile program. All but the first four properties are those of a run's request.
 *
 * @typedef {object} HostileProgram
 * @property {string} name what the guest does
 * @property {string} source
 * @property {import('../expectations.js').Expectation} expect
 * @property {(outcome: any) => unknown} [inspect] looks at the outcome in the host's realm; what it gives is compared
 *   in place of the value
 * @property {boolean} [losesThread] V8 cannot stop it, so its thread may not come back
 * @property {import('isobox').RunRequest['kind']} [kind]
 * @property {import('isobox').RunRequest['values']} [values]
 * @property {import('isobox').RunRequest['console']} [console]
 * @property {import('isobox').RunRequest['intrinsics']} [intrinsics]
 * @property {import('isobox').RunRequest['module']} [module]
 * @property {Record<string, unknown>} [globals]
 * @property {import('isobox').RunLimits} [limits] beside those of the category
 */

/**
 * @typedef {object} Category
 * @property {import('isobox').RunLimits} limits of programs that set none
 * @property {number} [settleMs] within which a stop must be answered, beside what was stolen from the machine
 * @property {HostileProgram[]} programs
 */

/** @type {Readonly<Record<string, Category>>} */
const CATEGORIES = Object.freeze({
  cpu: require('./cpu.js'),
  builtins: require('./builtins.js'),
  memory: require('./memory.js'),
  stack: require('./stack.js'),
  fatal: require('./fatal.js'),
  escape: require('./escape.js'),
  forgery: require('./forgery.js'),
  floods: require('./floods.js'),
  costs: require('./costs.js'),
});

/** As many lost threads as a pool replaces by default. */
const MAX_LOST = 8;

/**
 * A category in parts of which each can be given to one host.
 *
 * @param {string} category
 * @returns {HostileProgram[][]}
 */
function partsOf(category) {
  /** @type {HostileProgram[][]} */
  const parts = [[]];
  let lost = 0;
  for (const program of CATEGORIES[category].programs) {
    lost += program.losesThread ? 1 : 0;
    if (lost > MAX_LOST) {
      parts.push([]);
      lost = 1;
    }
    parts[parts.length - 1].push(program);
  }
  return parts;
}

/** @param {string[]} names */
function checkCategories(names) {
  const unknown = names.find((name) => !Object.hasOwn(CATEGORIES, name));
  if (unknown === undefined) return;
  const known = Object.keys(CATEGORIES).join(', ');
  throw new Error(`there is no category ${unknown}; there are ${known}`);
}

module.exports = { CATEGORIES, checkCategories, partsOf };
