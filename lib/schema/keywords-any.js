'use strict';
// Keywords for values of every kind, and those that combine schemas.

const { Trace, apply, begin } = require('./check-run.js');
const { areEqual, keysOf } = require('./equality.js');

/** @typedef {import('./reading.js').KeywordReader} KeywordReader */
/** @typedef {import('./check-run.js').Run} Run */
/** @typedef {import('./check-run.js').SchemaNode} SchemaNode */
/** @typedef {import('./check-run.js').Steps} Steps */
/** @typedef {import('./check-run.js').Traced} Traced */

/** @type {Record<string, (value: any) => boolean>} */
const TYPES = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @type {KeywordReader} */
function type(given, reading) {
  const names = Array.isArray(given) ? [...given] : [given];
  const isKnown = (/** @type {unknown} */ name) =>
    typeof name === 'string' && Object.hasOwn(TYPES, name);
  if (names.length === 0 || !names.every(isKnown)) {
    reading.refuse(`must be one or several of ${Object.keys(TYPES).join(', ')}`);
  }
  if (reading.schema.nullable === true && !names.includes('null')) names.push('null');
  const message = `must be ${names.join(',')}`;
  const tests = names.map((name) => TYPES[name]);
  const [only] = tests;
  if (tests.length === 1) return (value, run) => only(value) || run.fail(message);
  return (value, run) => tests.some((test) => test(value)) || run.fail(message);
}

/** @type {KeywordReader} */
function readEnum(given, reading) {
  if (!Array.isArray(given) || given.length === 0) reading.refuse('must be an array with members');
  reading.count(given);
  return equalToOneOf(given, 'must be equal to one of the allowed values');
}

/** @type {KeywordReader} */
function readConst(given, reading) {
  reading.count(given);
  return equalToOneOf([given], 'must be equal to constant');
}

/**
 * @param {unknown[]} constants
 * @param {string} message
 * @returns {import('./check-run.js').KeywordCheck}
 */
function equalToOneOf(constants, message) {
  const isSimple = (/** @type {unknown} */ one) => typeof one !== 'object' || one === null;
  const simple = new Set(constants.filter(isSimple));
  /** @type {Map<string, object[]>} */
  const others = new Map();
  for (const one of /** @type {object[]} */ (constants.filter((value) => !isSimple(value)))) {
    const shape = shapeOf(one);
    others.set(shape, [...(others.get(shape) ?? []), one]);
  }
  return (value, run) => {
    if (isSimple(value)) return simple.has(value) || run.fail(message);
    const candidates = others.size === 0 ? undefined : others.get(shapeOf(value));
    if (candidates === undefined) return run.fail(message);
    return begin(checkEqual(candidates, value, run, message), run);
  };
}

/** @param {any} value equal ones have the same */
function shapeOf(value) {
  return Array.isArray(value) ? `[${value.length}` : `{${keysOf(value).length}`;
}

/**
 * @param {unknown[]} constants
 * @param {unknown} value
 * @param {Run} run
 * @param {string} message
 * @returns {Steps}
 */
function* checkEqual(constants, value, run, message) {
  for (const constant of constants) {
    if (yield* areEqual(constant, value, run)) return true;
  }
  return run.fail(message);
}

/** @type {KeywordReader} */
function allOf(given, reading) {
  const nodes = reading.nodes(given);
  return (value, run, trace) => begin(checkAll(nodes, value, run, trace), run);
}

/**
 * @param {SchemaNode[]} nodes
 * @param {unknown} value
 * @param {Run} run
 * @param {Traced | undefined} trace
 * @returns {Steps}
 */
function* checkAll(nodes, value, run, trace) {
  let isValid = true;
  for (const node of nodes) {
    const outcome = apply(node, value, run, trace);
    if (!(typeof outcome === 'boolean' ? outcome : yield outcome)) {
      isValid = false;
      if (run.isSatisfied) break;
    }
    if (run.isDue) yield;
  }
  return isValid;
}

/** @type {KeywordReader} */
function anyOf(given, reading) {
  const nodes = reading.nodes(given);
  return (value, run, trace) =>
    begin(
      countFitting(nodes, value, run, trace, {
        enough: trace === undefined ? 1 : Infinity,
        isValid: (count) => count > 0,
        message: 'must match a schema in anyOf',
      }),
      run,
    );
}

/** @type {KeywordReader} */
function oneOf(given, reading) {
  const nodes = reading.nodes(given);
  const rule = {
    enough: 2,
    isValid: (/** @type {number} */ count) => count === 1,
    message: 'must match exactly one schema in oneOf',
  };
  return (value, run, trace) => begin(countFitting(nodes, value, run, trace, rule), run);
}

/**
 * @param {SchemaNode[]} nodes
 * @param {unknown} value
 * @param {Run} run
 * @param {Traced | undefined} trace
 * @param {{ enough: number, isValid: (count: number) => boolean, message: string }} rule
 * @returns {Steps}
 */
function* countFitting(nodes, value, run, trace, { enough, isValid, message }) {
  const faultsBefore = run.faults.length;
  const own = trace && new Trace();
  let count = 0;
  for (const node of nodes) {
    const ofNode = own && new Trace();
    const outcome = apply(node, value, run, ofNode);
    const fits = typeof outcome === 'boolean' ? outcome : yield outcome;
    if (run.isDue) yield;
    if (!fits) continue;
    if (ofNode !== undefined) own?.add(ofNode);
    if (++count >= enough) break;
  }
  if (!isValid(count)) return run.fail(message);
  run.forgetFaults(faultsBefore);
  if (own !== undefined) trace?.add(own);
  return true;
}

/** @type {KeywordReader} */
function not(given, reading) {
  const node = reading.node(given);
  return (value, run) => begin(checkNot(node, value, run), run);
}

/**
 * @param {SchemaNode} node
 * @param {unknown} value
 * @param {Run} run
 * @returns {Steps}
 */
function* checkNot(node, value, run) {
  return !(yield* checkQuietly(node, value, run)) || run.fail('must NOT be valid');
}

/**
 * @param {SchemaNode} node
 * @param {unknown} value
 * @param {Run} run
 * @param {Traced} [trace]
 * @returns {Steps} whether it does; not why
 */
function* checkQuietly(node, value, run, trace) {
  run.quiet++;
  const outcome = apply(node, value, run, trace);
  const isValid = typeof outcome === 'boolean' ? outcome : yield outcome;
  run.quiet--;
  return isValid === true;
}

/** @type {KeywordReader} */
function readIf(given, reading) {
  const condition = reading.node(given);
  const { then: yes, else: no } = reading.schema;
  const branches = {
    then: yes === undefined ? undefined : reading.at('then').node(yes),
    else: no === undefined ? undefined : reading.at('else').node(no),
  };
  return (value, run, trace) => begin(checkBranch(condition, branches, value, run, trace), run);
}

/**
 * @param {SchemaNode} condition
 * @param {{ then: SchemaNode | undefined, else: SchemaNode | undefined }} branches
 * @param {unknown} value
 * @param {Run} run
 * @param {Traced | undefined} trace
 * @returns {Steps}
 */
function* checkBranch(condition, branches, value, run, trace) {
  const ofCondition = trace && new Trace();
  const holds = yield* checkQuietly(condition, value, run, ofCondition);
  if (holds && ofCondition !== undefined) trace?.add(ofCondition);
  const name = holds ? 'then' : 'else';
  const branch = branches[name];
  if (branch === undefined) return true;
  const outcome = apply(branch, value, run, trace);
  if (typeof outcome === 'boolean' ? outcome : yield outcome) return true;
  return run.fail(`must match "${name}" schema`);
}

module.exports = {
  checkAll,
  isObject,
  keywords: { type, enum: readEnum, const: readConst, allOf, anyOf, oneOf, not, if: readIf },
};
