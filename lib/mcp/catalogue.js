'use strict';
// The tools of all providers, found by words.

const { declareNamespace } = require('../execbox/type-declarations.js');
const { ToolIndex } = require('./tool-index.js');

/** @typedef {import('../../types/execbox.js').ResolvedToolProvider} ResolvedToolProvider */
/** @typedef {import('../../types/execbox.js').ResolvedToolDescriptor} ResolvedToolDescriptor */

/** @typedef {{ namespace: string, tool: ResolvedToolDescriptor }} Entry */

class Catalogue {
  /** @type {Entry[]} */
  #entries;
  /** @type {Promise<InstanceType<typeof ToolIndex>> | undefined} made by the first search */
  #index;
  #only;

  /** @param {ResolvedToolProvider[]} providers */
  constructor(providers) {
    this.#only = providers.length === 1 ? providers[0] : undefined;
    this.#entries = providers.flatMap(({ name, tools }) =>
      Object.values(tools).map((tool) => ({ namespace: name, tool })),
    );
  }

  /**
   * @param {string} query without a word in it, everything is found
   * @param {number} limit
   * @returns {Promise<import('../../types/mcp.js').CatalogueSearch>} best first
   */
  async search(query, limit) {
    this.#index ??= ToolIndex.build(this.#entries.map(searchable));
    const { total, best } = (await this.#index).search(query, limit);
    const entries = best.map((place) => this.#entries[place]);
    return {
      total,
      tools: entries.map(({ namespace, tool }) => ({
        namespace,
        safeName: tool.safeName,
        originalName: tool.originalName,
        ...(tool.description !== undefined && { description: tool.description }),
        ...(tool.inputSchema !== undefined && { inputSchema: tool.inputSchema }),
        ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema }),
      })),
      types: declareEntries(entries),
      ...this.#names(),
    };
  }

  /** Of one provider, all its names, as execbox gives them; of several, each tool has its own. */
  #names() {
    if (this.#only === undefined) return {};
    const { name, originalToSafeName, safeToOriginalName } = this.#only;
    return { namespace: name, originalToSafeName, safeToOriginalName };
  }
}

/** @param {Entry} entry */
function searchable({ namespace, tool: { safeName, originalName, description, inputSchema } }) {
  return { name: `${originalName} ${safeName}`, backend: namespace, description, inputSchema };
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
