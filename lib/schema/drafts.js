'use strict';
// The drafts of JSON Schema that are known, and the keywords of each. Other keywords are notes for people.

const any = require('./keywords-any.js');
const arrays = require('./keywords-of-arrays.js');
const objects = require('./keywords-of-objects.js');
const references = require('./keywords-of-references.js');
const texts = require('./keywords-of-texts.js');

/** @typedef {import('./reading.js').KeywordReader} KeywordReader */

/**
 * @typedef {object} Keyword
 * @property {number} order in which keywords are checked
 * @property {KeywordReader} read
 * @property {boolean} isShared whether other keywords are read along with it
 * @property {boolean} needsTrace
 */
/**
 * @typedef {object} Draft
 * @property {Map<string, Keyword>} keywords
 * @property {boolean} countsContained whether `contains` has `minContains` and `maxContains` beside it
 * @property {boolean} tracesContained whether what is contained is no more unevaluated
 */

const { type, enum: readEnum, const: readConst, ...combinations } = any.keywords;
const members = {
  properties: objects.members,
  patternProperties: objects.members,
  additionalProperties: objects.members,
};
const dependents = {
  dependentRequired: objects.dependentRequired,
  dependentSchemas: objects.dependentSchemas,
};
const unevaluated = {
  unevaluatedItems: arrays.unevaluatedItems,
  unevaluatedProperties: objects.unevaluatedProperties,
};

/**
 * @param {Record<string, KeywordReader>[]} tables in the order of checking: what is quick to tell first, what asks about
 *   the others last
 */
function inOrder(...tables) {
  return new Map(
    tables
      .flatMap((table) => Object.entries(table))
      .map(([name, read], order) => [
        name,
        {
          order,
          read,
          isShared: Object.hasOwn(members, name),
          needsTrace: Object.hasOwn(unevaluated, name),
        },
      ]),
  );
}

/**
 * @param {Record<string, KeywordReader>} ofArrays
 * @param {Record<string, KeywordReader>} more
 * @param {Record<string, KeywordReader>} last
 */
function keywordsWith(ofArrays, more, last) {
  return inOrder(
    { type, enum: readEnum, const: readConst },
    texts.keywords,
    arrays.keywords,
    objects.keywords,
    ofArrays,
    members,
    { dependencies: objects.dependencies },
    combinations,
    references.keywords,
    more,
    last,
  );
}

const { itemsOrTuple, additionalItems, prefixItems, items } = arrays;

/** @type {Draft} */
const DRAFT_07 = {
  keywords: keywordsWith({ items: itemsOrTuple, additionalItems }, {}, {}),
  countsContained: false,
  tracesContained: false,
};

/** @type {Draft} */
const DRAFT_2019_09 = {
  keywords: keywordsWith(
    { items: itemsOrTuple, additionalItems },
    { ...dependents, $recursiveRef: references.dynamicReference },
    unevaluated,
  ),
  countsContained: true,
  tracesContained: false,
};

/** @type {Draft} */
const DRAFT_2020_12 = {
  keywords: keywordsWith(
    { prefixItems, items },
    { ...dependents, $dynamicRef: references.dynamicReference },
    unevaluated,
  ),
  countsContained: true,
  tracesContained: true,
};

/** @param {unknown} name what `$schema` says */
function draftOf(name) {
  if (typeof name !== 'string') return DRAFT_07;
  if (name.includes('2020-12')) return DRAFT_2020_12;
  return name.includes('2019-09') ? DRAFT_2019_09 : DRAFT_07;
}

/** Keywords that check nothing by themselves. */
const ANNOTATIONS = new Set([
  ...['$schema', '$id', '$anchor', '$comment', '$defs', '$vocabulary', 'definitions'],
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['format', 'contentEncoding', 'contentMediaType', 'contentSchema', 'nullable'],
]);

/** @param {string} name @returns {boolean} whether some draft has a keyword of this name */
function isKeyword(name) {
  return (
    ANNOTATIONS.has(name) ||
    [DRAFT_07, DRAFT_2019_09, DRAFT_2020_12].some(({ keywords }) => keywords.has(name))
  );
}

module.exports = { draftOf, isKeyword };
