'use strict';
// Tools found by words, in spite of typing errors: BM25 over names, descriptions and parameters.

const { isRecord } = require('../checks/options.js');
const { inTurns } = require('../turns.js');

/**
 * @typedef {object} SearchableTool
 * @property {string} name all of its names
 * @property {string} backend or namespace
 * @property {string} [description]
 * @property {unknown} [inputSchema]
 */

const MAX_WORDS = 32;
const MAX_FIELD_CHARS = 4000;
/** A word that more tools have tells nothing about any of them. */
const TELLING_SHARE = 0.3;
/** Of words that thousands of tools have, the rarest are looked for, in so many tools: the others tell little. */
const MAX_PLACES = 2000;

/** Fields are given as words. */
const OPTIONS = {
  fields: ['name', 'backend', 'description', 'parameters'],
  stringifyField: (/** @type {string[]} */ words) => words,
  tokenize: (/** @type {string[] | string} */ words) =>
    typeof words === 'string' ? words.split(' ') : words,
  searchOptions: {
    boost: { name: 4, backend: 2, description: 1.5 },
    prefix: (/** @type {string} */ word) => word.length > 3,
    weights: { prefix: 0.4, fuzzy: 0.2 },
  },
};

class ToolIndex {
  /** @type {any} */
  #search;
  #size;
  /** How many tools have each word. @type {Map<string, number>} */
  #tools;

  /**
   * @param {SearchableTool[]} tools
   * @returns {Promise<ToolIndex>} thousands take several turns of the loop
   */
  static async build(tools) {
    return inTurns(indexTools(tools));
  }

  /** @param {{ search: any, size: number, tools: Map<string, number> }} parts */
  constructor({ search, size, tools }) {
    this.#search = search;
    this.#size = size;
    this.#tools = tools;
  }

  /**
   * @param {string} query without a word that tells something, everything is found
   * @param {number} limit
   * @returns {{ total: number, best: number[] }} places in the list of tools, best first
   */
  search(query, limit) {
    const words = [...new Set(wordsOf(query))].slice(0, MAX_WORDS);
    const rarestFirst = words.sort((a, b) => this.#count(a) - this.#count(b));
    const telling = rarestFirst.filter((word) => this.#count(word) <= TELLING_SHARE * this.#size);
    let found = this.#find(telling);
    if (found.length === 0) found = this.#find(rarestFirst);
    const isAnything = words.length === 0 || words.some((word) => this.#count(word) > MAX_PLACES);
    if (found.length === 0 && isAnything) found = Array.from({ length: this.#size }, (_, i) => i);
    return { total: found.length, best: found.slice(0, limit) };
  }

  /** @param {string} word @returns {number} of tools that have it */
  #count(word) {
    return this.#tools.get(word) ?? 0;
  }

  /**
   * @param {string[]} words
   * @returns {number[]}
   */
  #find(words) {
    let places = 0;
    const wanted = words.filter((word) => (places += this.#count(word)) <= MAX_PLACES);
    if (wanted.length === 0) return [];
    const found = this.#search.search(wanted.join(' '), {
      // Words that some tool has are taken as they are.
      fuzzy: (/** @type {string} */ word) => (this.#tools.has(word) ? false : allowedErrors(word)),
    });
    return found.map((/** @type {{ id: number }} */ { id }) => id);
  }
}

/**
 * @param {SearchableTool[]} all
 * @returns {Generator<void, ToolIndex>}
 */
function* indexTools(all) {
  const MiniSearch = /** @type {any} */ (require('minisearch'));
  const search = new MiniSearch(OPTIONS);
  /** @type {Map<string, number>} */
  const tools = new Map();
  for (const [id, tool] of all.entries()) {
    const fields = fieldsOf(tool);
    search.add({ id, ...fields });
    for (const word of new Set(Object.values(fields).flat())) {
      tools.set(word, (tools.get(word) ?? 0) + 1);
    }
    yield;
  }
  return new ToolIndex({ search, size: all.length, tools });
}

/** @param {string} word */
function allowedErrors(word) {
  if (word.length < 3) return false;
  return word.length < 5 ? 1 : word.length < 13 ? 2 : 3;
}

/**
 * @param {SearchableTool} tool
 * @returns {Record<string, string[]>}
 */
function fieldsOf({ name, backend, description = '', inputSchema }) {
  const properties =
    isRecord(inputSchema) && isRecord(inputSchema.properties)
      ? Object.keys(inputSchema.properties)
      : [];
  return {
    name: wordsOf(name),
    backend: wordsOf(backend),
    description: wordsOf(description),
    parameters: wordsOf(properties.join(' ')),
  };
}

/** @param {string} text @returns {string[]} `readFile` and `read_file` are two words */
function wordsOf(text) {
  const apart = text.slice(0, MAX_FIELD_CHARS).replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ');
  return apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

module.exports = { ToolIndex };
