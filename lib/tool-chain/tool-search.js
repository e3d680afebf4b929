'use strict';
// The tools of all backends, found by words.

const { ToolIndex } = require('../mcp/tool-index.js');

/** @typedef {InstanceType<typeof import('./registry.js').Registry>} Registry */
/** @typedef {import('./registry.js').Entry} Entry */
/** @typedef {{ entries: Entry[], index: InstanceType<typeof ToolIndex> }} Built */

/** Backends often come together: one index is made for all of them. */
const PREPARE_DELAY_MS = 100;

class ToolSearch {
  /** @type {Registry} */
  #registry;
  /** @type {{ version: number, built: Promise<Built> } | undefined} */
  #latest;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {Registry} registry */
  constructor(registry) {
    this.#registry = registry;
  }

  /** Makes an index of catalogues that have changed before anybody searches in it. */
  prepare() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#build(), PREPARE_DELAY_MS).unref();
  }

  close() {
    clearTimeout(this.#timer);
  }

  /** @returns {Entry[]} all of them, in the order of their backends */
  list() {
    return this.#registry.backends.flatMap((backend) =>
      backend.tools.map((tool) => ({ backend, tool })),
    );
  }

  /**
   * @param {string} query without a word in it, everything is found
   * @param {number} limit
   * @returns {Promise<{ total: number, entries: Entry[] }>} best first
   */
  async search(query, limit) {
    const { entries, index } = await this.#build();
    const { total, best } = index.search(query, limit);
    return { total, entries: best.map((place) => entries[place]) };
  }

  /** Of the catalogues as they are now. */
  #build() {
    const { version } = this.#registry;
    if (this.#latest?.version !== version) {
      this.#latest = { version, built: buildIndex(this.list()) };
    }
    return this.#latest.built;
  }
}

/**
 * @param {Entry[]} entries
 * @returns {Promise<Built>}
 */
async function buildIndex(entries) {
  const index = await ToolIndex.build(
    entries.map(({ backend, tool: { name, title = '', description, inputSchema } }) => ({
      name: `${name} ${title}`,
      backend: backend.name,
      description,
      inputSchema,
    })),
  );
  return { entries, index };
}

module.exports = { ToolSearch };
