'use strict';
// One check of a value: what it costs, where in the value it is, what it found, and how it goes on after a pause.

const { Meter, TooCostly } = require('./meter.js');

/**
 * What a keyword says of a value: at once, or by steps. Steps yield nothing where they may pause, and other steps whose
 * result they need.
 *
 * @typedef {boolean | Steps} Outcome
 * @typedef {Generator<Steps | undefined, boolean, boolean | undefined>} Steps
 */
/** @typedef {(value: any, run: Run, trace: Traced | undefined) => Outcome} KeywordCheck */
/**
 * @typedef {object} SchemaNode
 * @property {KeywordCheck[]} checks
 * @property {boolean} hasTrace whether a keyword asks which parts of the value the others have looked at
 */
/** @typedef {InstanceType<typeof CheckRun>} Run */
/** @typedef {InstanceType<typeof Trace>} Traced */

const MAX_FAULTS = 20;
const MAX_PATH_CHARS = 200;
const MAX_KEY_CHARS = 50;
/** Steps that wait for others. A value that crosses is nested less, unless its schema leads in circles. */
const MAX_OPEN = 20_000;
/** How many steps may begin inside each other before they are left to `drive`, which needs no stack. */
const MAX_NESTED = 30;
const MAX_REMEMBERED = 500_000;
/** V8 copies a whole map when it grows. */
const MAX_IN_MAP = 50_000;

class CheckRun extends Meter {
  /** @type {(string | number)[]} */
  path = [];
  /** @type {{ path: (string | number)[], message: string }[]} */
  faults = [];
  /** How many keywords under way want no faults to be told. */
  quiet = 0;
  nested = 0;
  /** @type {Map<SchemaNode, Map<object, boolean>[]>} the last of the maps gets what is new */
  #verdicts = new Map();
  #remembered = 0;
  /** @type {Map<SchemaNode, { value: unknown, isValid: boolean }>} the last ones on values that are no objects */
  #lastVerdicts = new Map();

  /** Whether a first fault is enough. */
  get isSatisfied() {
    return this.quiet > 0 || this.faults.length >= MAX_FAULTS;
  }

  /**
   * @param {string} message
   * @returns {false}
   */
  fail(message) {
    if (!this.isSatisfied) {
      this.spend(this.path.length);
      this.faults.push({ path: [...this.path], message });
    }
    return false;
  }

  /** @param {number} count how many there were before */
  forgetFaults(count) {
    this.faults.length = count;
  }

  /**
   * @param {SchemaNode} node
   * @param {unknown} value
   * @returns {boolean | undefined} undefined when it was not applied to this value, or that is forgotten
   */
  recall(node, value) {
    if (!isObject(value)) {
      const last = this.#lastVerdicts.get(node);
      return last?.value === value ? last?.isValid : undefined;
    }
    for (const verdicts of this.#verdicts.get(node) ?? []) {
      const isValid = verdicts.get(value);
      if (isValid !== undefined) return isValid;
    }
    return undefined;
  }

  /**
   * @param {SchemaNode} node
   * @param {unknown} value
   * @param {boolean} isValid
   */
  remember(node, value, isValid) {
    if (!isObject(value)) {
      this.#lastVerdicts.set(node, { value, isValid });
    } else if (this.#remembered++ < MAX_REMEMBERED) {
      const maps = this.#verdicts.get(node) ?? [new Map()];
      if (maps[maps.length - 1].size >= MAX_IN_MAP) maps.push(new Map());
      maps[maps.length - 1].set(value, isValid);
      this.#verdicts.set(node, maps);
    }
  }

  /** @param {string} name what messages call the value */
  describeFaults(name) {
    const texts = this.faults.map(({ path, message }) => `${name}${pointer(path)} ${message}`);
    if (this.faults.length >= MAX_FAULTS) texts.push('and maybe more');
    return texts.join(', ') || `${name} does not fit`;
  }
}

/**
 * @param {unknown} value
 * @returns {value is object}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null;
}

/** @param {(string | number)[]} path */
function pointer(path) {
  let text = '';
  for (const key of path) {
    if (text.length > MAX_PATH_CHARS) return `${text}/…`;
    const short = typeof key === 'string' ? clip(key, MAX_KEY_CHARS) : String(key);
    text += `/${short.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return text;
}

/**
 * @param {string} text
 * @param {number} maxChars
 */
function clip(text, maxChars) {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`;
}

/** The parts of one object or array that keywords have looked at and accepted. */
class Trace {
  /** @type {Set<string>} */
  keys = new Set();
  /** @type {Set<number>} */
  items = new Set();
  /** All items before this one. */
  itemsBelow = 0;

  /** @param {number} length */
  coverItems(length) {
    this.itemsBelow = Math.max(this.itemsBelow, length);
  }

  /** @param {Traced} other */
  add(other) {
    for (const key of other.keys) this.keys.add(key);
    for (const item of other.items) this.items.add(item);
    this.coverItems(other.itemsBelow);
  }
}

/**
 * @param {SchemaNode} node
 * @param {unknown} value
 * @param {Run} run
 * @param {Traced} [trace] of the value, if a keyword outside of this node asks for it
 * @returns {Outcome}
 */
function apply(node, value, run, trace) {
  run.spend(2);
  const own = node.hasTrace ? new Trace() : trace;
  let isValid = true;
  for (let i = 0; i < node.checks.length; i++) {
    const outcome = node.checks[i](value, run, own);
    if (outcome === true) continue;
    if (outcome !== false) return applyRest({ node, i, outcome, isValid }, value, run, own, trace);
    isValid = false;
    if (run.isSatisfied) return false;
  }
  if (isValid && own !== undefined && own !== trace) trace?.add(own);
  return isValid;
}

/**
 * Goes on where `apply` met a keyword that needs steps.
 *
 * @param {{ node: SchemaNode, i: number, outcome: Steps, isValid: boolean }} reached
 * @param {unknown} value
 * @param {Run} run
 * @param {Traced | undefined} own
 * @param {Traced | undefined} trace
 * @returns {Steps}
 */
function* applyRest(reached, value, run, own, trace) {
  const { checks } = reached.node;
  let { i, isValid } = reached;
  /** @type {Outcome} */
  let outcome = reached.outcome;
  for (;;) {
    if (!(typeof outcome === 'boolean' ? outcome : yield outcome)) {
      isValid = false;
      if (run.isSatisfied) return false;
    }
    if (++i >= checks.length) break;
    outcome = checks[i](value, run, own);
  }
  if (isValid && own !== undefined && own !== trace) trace?.add(own);
  return isValid;
}

/**
 * Takes the first steps at once. Most checks are done then.
 *
 * @param {Steps} steps
 * @param {Run} run
 * @returns {Outcome}
 */
function begin(steps, run) {
  run.spend(8);
  if (run.nested >= MAX_NESTED) return steps;
  run.nested++;
  const { done, value } = steps.next();
  run.nested--;
  return done ? value : goOn(steps, value);
}

/**
 * `apply` for keywords that have no steps of their own.
 *
 * @param {SchemaNode} node
 * @param {unknown} value
 * @param {Run} run
 * @param {Traced} [trace]
 * @returns {Outcome}
 */
function applyInside(node, value, run, trace) {
  if (run.nested >= MAX_NESTED) return applyLater(node, value, run, trace);
  run.nested++;
  const outcome = apply(node, value, run, trace);
  run.nested--;
  return outcome;
}

/**
 * @param {SchemaNode} node
 * @param {unknown} value
 * @param {Run} run
 * @param {Traced} [trace]
 * @returns {Steps}
 */
function* applyLater(node, value, run, trace) {
  const outcome = apply(node, value, run, trace);
  return typeof outcome === 'boolean' ? outcome : (yield outcome) === true;
}

/**
 * @param {Steps} steps
 * @param {Steps | undefined} wanted what they wait for
 * @returns {Steps}
 */
function* goOn(steps, wanted) {
  for (;;) {
    const { done, value } = steps.next(yield wanted);
    if (done) return value;
    wanted = value;
  }
}

/**
 * @param {Steps} steps
 * @param {Run} run
 * @returns {Generator<void, boolean>} yields at pauses only
 * @throws {TooCostly}
 */
function* drive(steps, run) {
  const open = [steps];
  /** @type {boolean | undefined} */
  let answer;
  for (;;) {
    const { done, value } = /** @type {Steps} */ (open.at(-1)).next(answer);
    answer = undefined;
    if (done) {
      open.pop();
      if (open.length === 0) return value;
      answer = value;
    } else if (value !== undefined && open.push(value) > MAX_OPEN) {
      throw new TooCostly('is nested too deeply to be checked, or its schema leads in circles');
    }
    if (run.isDue) {
      yield;
      run.resume();
    }
  }
}

module.exports = { CheckRun, Trace, apply, applyInside, begin, clip, drive };
