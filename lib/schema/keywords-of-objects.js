'use strict';
// Keywords for objects.

const { apply, begin, clip } = require('./check-run.js');
const { keysOf } = require('./equality.js');
const { checkAll, isObject } = require('./keywords-any.js');

/** @typedef {import('./reading.js').KeywordReader} KeywordReader */
/** @typedef {import('./check-run.js').Run} Run */
/** @typedef {import('./check-run.js').KeywordCheck} KeywordCheck */
/** @typedef {import('./check-run.js').SchemaNode} SchemaNode */
/** @typedef {import('./check-run.js').Steps} Steps */
/** @typedef {import('./check-run.js').Traced} Traced */

/** With fewer properties it is quicker to look for them than to list what an object has. */
const FEW_PROPERTIES = 20;
const MAX_NAME_CHARS = 50;

/**
 * What an object inherits is no member of it, and JSON knows no undefined.
 *
 * @param {Record<string, unknown>} value
 * @param {string} key
 */
function has(value, key) {
  return Object.hasOwn(value, key) && value[key] !== undefined;
}

/** @type {KeywordReader} */
function required(given, reading) {
  const names = reading.texts(given);
  return (value, run) => !isObject(value) || hasAll(value, names, run);
}

/**
 * @param {Record<string, unknown>} value
 * @param {string[]} names
 * @param {Run} run
 * @param {string} [when]
 */
function hasAll(value, names, run, when = '') {
  let isValid = true;
  run.spend(names.length >> 1);
  for (const name of names) {
    if (has(value, name)) continue;
    isValid = run.fail(`must have required property '${clip(name, MAX_NAME_CHARS)}'${when}`);
    if (run.isSatisfied) break;
  }
  return isValid;
}

/** @type {KeywordReader} */
function minProperties(given, reading) {
  const least = reading.amount(given);
  return (value, run) =>
    !isObject(value) ||
    keysOf(value).length >= least ||
    run.fail(`must NOT have fewer than ${least} properties`);
}

/** @type {KeywordReader} */
function maxProperties(given, reading) {
  const most = reading.amount(given);
  return (value, run) =>
    !isObject(value) ||
    keysOf(value).length <= most ||
    run.fail(`must NOT have more than ${most} properties`);
}

/** @type {KeywordReader} of three keywords: which of them is for a member depends on the others */
function members(_given, reading) {
  const { properties = {}, patternProperties = {}, additionalProperties } = reading.schema;
  const byName = reading.at('properties').nodesByName(properties);
  const byPattern = [...reading.at('patternProperties').nodesByName(patternProperties)].map(
    ([source, node]) => ({ pattern: reading.pattern(source, source), node }),
  );
  const others =
    additionalProperties === undefined
      ? undefined
      : reading.at('additionalProperties').node(additionalProperties);
  const isOpen = byPattern.length === 0 && others === undefined;
  if (isOpen && byName.size <= FEW_PROPERTIES) {
    return (value, run, trace) =>
      !isObject(value) || begin(checkNamed(byName, value, run, trace), run);
  }
  const rules = { byName, byPattern, others, isClosed: additionalProperties === false };
  return (value, run, trace) =>
    !isObject(value) || begin(checkMembers(rules, value, run, trace), run);
}

/**
 * @param {Map<string, SchemaNode>} byName
 * @param {Record<string, unknown>} value
 * @param {Run} run
 * @param {Traced | undefined} trace
 * @returns {Steps}
 */
function* checkNamed(byName, value, run, trace) {
  let isValid = true;
  for (const [key, node] of byName) {
    if (!has(value, key)) continue;
    trace?.keys.add(key);
    run.path.push(key);
    const outcome = apply(node, value[key], run);
    const fits = typeof outcome === 'boolean' ? outcome : yield outcome;
    run.path.pop();
    if (fits) continue;
    isValid = false;
    if (run.isSatisfied) break;
  }
  if (run.isDue) yield;
  return isValid;
}

/**
 * @param {{ byName: Map<string, SchemaNode>, byPattern: { pattern: InstanceType<typeof import('./pattern.js').Pattern>,
 *   node: SchemaNode }[], others: SchemaNode | undefined, isClosed: boolean }} rules
 * @param {Record<string, unknown>} value
 * @param {Run} run
 * @param {Traced | undefined} trace
 * @returns {Steps}
 */
function* checkMembers({ byName, byPattern, others, isClosed }, value, run, trace) {
  let isValid = true;
  const keys = Object.keys(value);
  run.spend(10 * keys.length);
  for (const key of keys) {
    const member = value[key];
    if (member === undefined) continue;
    const named = byName.get(key);
    const nodes = named === undefined ? [] : [named];
    for (const { pattern, node } of byPattern) {
      if (yield* pattern.test(key, run)) nodes.push(node);
    }
    if (nodes.length === 0 && others !== undefined) {
      if (isClosed) {
        isValid = run.fail(`must NOT have additional properties ('${clip(key, MAX_NAME_CHARS)}')`);
      } else {
        nodes.push(others);
      }
    }
    if (nodes.length > 0) {
      trace?.keys.add(key);
      run.path.push(key);
      const outcome =
        nodes.length === 1
          ? apply(nodes[0], member, run)
          : begin(checkAll(nodes, member, run, undefined), run);
      if (!(typeof outcome === 'boolean' ? outcome : yield outcome)) isValid = false;
      run.path.pop();
    }
    if (!isValid && run.isSatisfied) break;
    if (run.isDue) yield;
  }
  return isValid;
}

/** @type {KeywordReader} */
function propertyNames(given, reading) {
  const node = reading.node(given);
  return (value, run) => !isObject(value) || begin(checkNames(node, value, run), run);
}

/**
 * @param {SchemaNode} node
 * @param {Record<string, unknown>} value
 * @param {Run} run
 * @returns {Steps}
 */
function* checkNames(node, value, run) {
  for (const key of keysOf(value)) {
    const outcome = apply(node, key, run);
    if (!(typeof outcome === 'boolean' ? outcome : yield outcome)) {
      return run.fail(`property name must be valid ('${clip(key, MAX_NAME_CHARS)}')`);
    }
    if (run.isDue) yield;
  }
  return true;
}

/** @type {KeywordReader} */
function dependentRequired(given, reading) {
  const names = Object.entries(reading.record(given));
  return dependents(names.map(([key, list]) => [key, reading.texts(list, key)]));
}

/** @type {KeywordReader} */
function dependentSchemas(given, reading) {
  return dependents([...reading.nodesByName(given)]);
}

/** @type {KeywordReader} of draft-07, both in one */
function dependencies(given, reading) {
  return dependents(
    Object.entries(reading.record(given)).map(([key, one]) => [
      key,
      Array.isArray(one) ? reading.texts(one, key) : reading.node(one, key),
    ]),
  );
}

/**
 * @param {[string, string[] | SchemaNode][]} entries
 * @returns {KeywordCheck}
 */
function dependents(entries) {
  return (value, run, trace) => {
    if (!isObject(value)) return true;
    run.spend(entries.length);
    const nodes = [];
    let isValid = true;
    for (const [key, needs] of entries) {
      if (!has(value, key)) continue;
      if (!Array.isArray(needs)) nodes.push(needs);
      else if (!hasAll(value, needs, run, ` when property '${key}' is present`)) isValid = false;
    }
    if (nodes.length === 0 || (!isValid && run.isSatisfied)) return isValid;
    return begin(checkDependents(nodes, value, run, trace, isValid), run);
  };
}

/**
 * @param {SchemaNode[]} nodes
 * @param {unknown} value
 * @param {Run} run
 * @param {Traced | undefined} trace
 * @param {boolean} hasNames
 * @returns {Steps}
 */
function* checkDependents(nodes, value, run, trace, hasNames) {
  return (yield* checkAll(nodes, value, run, trace)) && hasNames;
}

/** @type {KeywordReader} */
function unevaluatedProperties(given, reading) {
  const node = reading.node(given);
  return (value, run, trace) => {
    if (!isObject(value) || trace === undefined) return true;
    return begin(checkUnevaluated(node, value, run, trace), run);
  };
}

/**
 * @param {SchemaNode} node
 * @param {Record<string, unknown>} value
 * @param {Run} run
 * @param {Traced} trace
 * @returns {Steps}
 */
function* checkUnevaluated(node, value, run, trace) {
  for (const key of keysOf(value)) {
    if (trace.keys.has(key)) continue;
    run.quiet++;
    const outcome = apply(node, value[key], run);
    const fits = typeof outcome === 'boolean' ? outcome : yield outcome;
    run.quiet--;
    if (!fits) {
      return run.fail(`must NOT have unevaluated properties ('${clip(key, MAX_NAME_CHARS)}')`);
    }
    trace.keys.add(key);
    if (run.isDue) yield;
  }
  return true;
}

module.exports = {
  dependencies,
  dependentRequired,
  dependentSchemas,
  keywords: { minProperties, maxProperties, required, propertyNames },
  members,
  unevaluatedProperties,
};
