'use strict';
// The tools of all providers, found by words.

const { isRecord } = require('../options.js');
const { declareNamespace } = require('../execbox/type-declarations.js');

/** @typedef {import('../../types/execbox.js').ResolvedToolProvider} ResolvedToolProvider */
/** @typedef {import('../../types/execbox.js').ResolvedToolDescriptor} ResolvedToolDescriptor */

/**
 * @typedef {object} Entry
 * @property {string} namespace
 * @property {ResolvedToolDescriptor} tool
 * @property {{ text: string, weight: number }[]} fields in lower case, the telling ones first
 */

const MAX_WORDS = 32;

/** A word found in more places, and in more telling ones, counts more. */
const WEIGHTS = { name: 8, namespace: 4, description: 2, parameter: 1 };

class Catalogue {
  /** @type {Entry[]} */
  #entries;

  /** @param {ResolvedToolProvider[]} providers */
  constructor(providers) {
    this.#entries = providers.flatMap(({ name, tools }) =>
      Object.values(tools).map((tool) => ({
        namespace: name,
        tool,
        fields: searchableFields(name, tool),
      })),
    );
  }

  /**
   * @param {string} query without a word in it, everything is found
   * @param {number} limit
   * @returns {import('../../types/mcp.js').CatalogueSearch} best first
   */
  search(query, limit) {
    const words = wordsOf(query).slice(0, MAX_WORDS);
    const found = this.#entries
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .filter(({ score }) => score > 0 || words.length === 0)
      .sort((a, b) => b.score - a.score);
    const entries = found.slice(0, limit).map(({ entry }) => entry);
    return {
      total: found.length,
      tools: entries.map(({ namespace, tool }) => ({
        namespace,
        safeName: tool.safeName,
        originalName: tool.originalName,
        ...(tool.description !== undefined && { description: tool.description }),
        ...(tool.inputSchema !== undefined && { inputSchema: tool.inputSchema }),
        ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema }),
      })),
      types: declareEntries(entries),
    };
  }
}

/**
 * @param {string} namespace
 * @param {ResolvedToolDescriptor} tool
 */
function searchableFields(namespace, { safeName, originalName, description, inputSchema }) {
  const properties = isRecord(inputSchema?.properties) ? Object.keys(inputSchema.properties) : [];
  return [
    { text: `${safeName} ${originalName}`, weight: WEIGHTS.name },
    { text: namespace, weight: WEIGHTS.namespace },
    { text: description ?? '', weight: WEIGHTS.description },
    { text: properties.join(' '), weight: WEIGHTS.parameter },
  ].map(({ text, weight }) => ({ text: text.toLowerCase(), weight }));
}

/** @param {string} text */
function wordsOf(text) {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))];
}

/**
 * @param {Entry} entry
 * @param {string[]} words
 */
function scoreOf({ fields }, words) {
  let score = 0;
  for (const word of words) {
    for (const { text, weight } of fields) if (text.includes(word)) score += weight;
  }
  return score;
}

/** @param {Entry[]} entries */
function declareEntries(entries) {
  /** @type {Map<string, Record<string, ResolvedToolDescriptor>>} */
  const namespaces = new Map();
  for (const { namespace, tool } of entries) {
    const tools = namespaces.get(namespace) ?? {};
    namespaces.set(namespace, tools);
    // Safe names are identifiers that begin with a letter or one underscore, never `__proto__`.
    tools[tool.safeName] = tool;
  }
  return [...namespaces].map(([name, tools]) => declareNamespace(name, tools)).join('\n\n');
}

module.exports = { Catalogue };
