'use strict';
// Keywords for arrays.

const { apply, begin } = require('./check-run.js');
const { ItemTable } = require('./equality.js');

/** @typedef {import('./reading.js').KeywordReader} KeywordReader */
/** @typedef {import('./check-run.js').Run} Run */
/** @typedef {import('./check-run.js').KeywordCheck} KeywordCheck */
/** @typedef {import('./check-run.js').SchemaNode} SchemaNode */
/** @typedef {import('./check-run.js').Steps} Steps */
/** @typedef {import('./check-run.js').Traced} Traced */

/** @type {KeywordReader} */
function minItems(given, reading) {
  const least = reading.amount(given);
  return (value, run) =>
    !Array.isArray(value) ||
    value.length >= least ||
    run.fail(`must NOT have fewer than ${least} items`);
}

/** @type {KeywordReader} */
function maxItems(given, reading) {
  const most = reading.amount(given);
  return (value, run) => hasAtMost(value, most, run);
}

/**
 * @param {unknown} value
 * @param {number} most
 * @param {Run} run
 */
function hasAtMost(value, most, run) {
  return (
    !Array.isArray(value) ||
    value.length <= most ||
    run.fail(`must NOT have more than ${most} items`)
  );
}

/** @type {KeywordReader} */
function prefixItems(given, reading) {
  const nodes = reading.nodes(given);
  return (value, run, trace) => {
    if (!Array.isArray(value)) return true;
    const length = Math.min(nodes.length, value.length);
    trace?.coverItems(length);
    return begin(
      checkItems((i) => nodes[i], value, { from: 0, to: length }, run),
      run,
    );
  };
}

/** @type {KeywordReader} one schema for what no prefix has a schema for */
function items(given, reading) {
  const { prefixItems: prefix } = reading.schema;
  return restOfItems(reading.node(given), Array.isArray(prefix) ? prefix.length : 0, given);
}

/** @type {KeywordReader} of the drafts before 2020-12 */
function itemsOrTuple(given, reading) {
  return Array.isArray(given) ? prefixItems(given, reading) : items(given, reading);
}

/** @type {KeywordReader} */
function additionalItems(given, reading) {
  const { items: tuple } = reading.schema;
  const node = reading.node(given);
  return Array.isArray(tuple) ? restOfItems(node, tuple.length, given) : undefined;
}

/**
 * @param {SchemaNode} node
 * @param {number} from
 * @param {unknown} schema
 * @returns {KeywordCheck}
 */
function restOfItems(node, from, schema) {
  return (value, run, trace) => {
    if (!Array.isArray(value)) return true;
    trace?.coverItems(value.length);
    if (schema === false) return hasAtMost(value, from, run);
    return begin(
      checkItems(() => node, value, { from, to: value.length }, run),
      run,
    );
  };
}

/**
 * @param {(i: number) => SchemaNode} nodeOf
 * @param {unknown[]} value
 * @param {{ from: number, to: number }} range
 * @param {Run} run
 * @returns {Steps}
 */
function* checkItems(nodeOf, value, { from, to }, run) {
  const place = run.path.push(from) - 1;
  let isValid = true;
  for (let i = from; i < to; i++) {
    run.path[place] = i;
    const outcome = apply(nodeOf(i), value[i], run);
    if (!(typeof outcome === 'boolean' ? outcome : yield outcome)) {
      isValid = false;
      if (run.isSatisfied) break;
    }
    if (run.isDue) yield;
  }
  run.path.pop();
  return isValid;
}

/** @type {KeywordReader} */
function contains(given, reading) {
  const { draft, schema } = reading;
  const node = reading.node(given);
  const { minContains, maxContains } = draft.countsContained ? schema : {};
  const least = minContains === undefined ? 1 : reading.at('minContains').amount(minContains);
  const most = maxContains === undefined ? Infinity : reading.at('maxContains').amount(maxContains);
  return (value, run, trace) => {
    if (!Array.isArray(value)) return true;
    const own = draft.tracesContained ? trace : undefined;
    return begin(checkContained(node, value, { least, most }, run, own), run);
  };
}

/**
 * @param {SchemaNode} node
 * @param {unknown[]} value
 * @param {{ least: number, most: number }} bounds
 * @param {Run} run
 * @param {Traced | undefined} trace
 * @returns {Steps}
 */
function* checkContained(node, value, { least, most }, run, trace) {
  let count = 0;
  run.quiet++;
  for (let i = 0; i < value.length; i++) {
    const isDecided = count > most || (count >= least && most === Infinity);
    if (isDecided && trace === undefined) break;
    const outcome = apply(node, value[i], run);
    if (typeof outcome === 'boolean' ? outcome : yield outcome) {
      count++;
      trace?.items.add(i);
    }
    if (run.isDue) yield;
  }
  run.quiet--;
  if (count >= least && count <= most) return true;
  const limit = most === Infinity ? '' : ` and no more than ${most} valid item(s)`;
  return run.fail(`must contain at least ${least} valid item(s)${limit}`);
}

/** @type {KeywordReader} */
function uniqueItems(given, reading) {
  if (typeof given !== 'boolean') reading.refuse('must be true or false');
  if (!given) return undefined;
  return (value, run) =>
    !Array.isArray(value) || value.length < 2 || begin(checkUnique(value, run), run);
}

/**
 * @param {unknown[]} value
 * @param {Run} run
 * @returns {Steps}
 */
function* checkUnique(value, run) {
  const table = new ItemTable(value);
  for (let i = 0; i < value.length; i++) {
    const first = yield* table.add(i, run);
    if (first !== undefined) {
      return run.fail(`must NOT have duplicate items (items ## ${first} and ${i} are identical)`);
    }
    if (run.isDue) yield;
  }
  return true;
}

/** @type {KeywordReader} */
function unevaluatedItems(given, reading) {
  const node = reading.node(given);
  return (value, run, trace) => {
    if (!Array.isArray(value) || trace === undefined) return true;
    return begin(checkUnevaluated(node, value, run, trace), run);
  };
}

/**
 * @param {SchemaNode} node
 * @param {unknown[]} value
 * @param {Run} run
 * @param {Traced} trace
 * @returns {Steps}
 */
function* checkUnevaluated(node, value, run, trace) {
  for (let i = trace.itemsBelow; i < value.length; i++) {
    if (run.isDue) yield;
    if (trace.items.has(i)) continue;
    run.quiet++;
    const outcome = apply(node, value[i], run);
    const isValid = typeof outcome === 'boolean' ? outcome : yield outcome;
    run.quiet--;
    if (!isValid) return run.fail(`must NOT have unevaluated items (item ## ${i})`);
  }
  trace.coverItems(value.length);
  return true;
}

module.exports = {
  additionalItems,
  items,
  itemsOrTuple,
  keywords: { minItems, maxItems, uniqueItems, contains },
  prefixItems,
  unevaluatedItems,
};
