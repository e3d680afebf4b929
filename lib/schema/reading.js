'use strict';
// What a keyword has at hand while its schema is read: the forms its value may have, and the schemas below it.

const { SchemaError } = require('./schema-error.js');
const { Pattern, PatternError } = require('./pattern.js');

/** @typedef {import('./check-run.js').SchemaNode} SchemaNode */
/** @typedef {InstanceType<typeof import('./schema-reader.js').SchemaReader>} SchemaReader */
/** @typedef {(given: any, reading: InstanceType<typeof Reading>) => import('./check-run.js').KeywordCheck | undefined} KeywordReader */

class Reading {
  #reader;
  #base;
  #location;

  /**
   * @param {SchemaReader} reader
   * @param {import('./drafts.js').Draft} draft
   * @param {import('./schema-reader.js').OpenSchema} open
   */
  constructor(reader, draft, { schema, base, location }) {
    this.#reader = reader;
    this.#base = base;
    this.#location = location;
    this.draft = draft;
    this.schema = schema;
    this.keyword = '';
  }

  /** @param {string} keyword that is read next */
  at(keyword) {
    this.keyword = keyword;
    return this;
  }

  /**
   * @param {string} message
   * @param {(string | number)[]} steps below the keyword
   * @returns {never}
   */
  refuse(message, ...steps) {
    throw new SchemaError(`${this.#place(steps)} ${message}`);
  }

  /** @param {(string | number)[]} steps */
  #place(steps) {
    // Concatenation does not copy what is there. In a deep schema that would add up.
    let place = `${this.#location}/${this.keyword}`;
    for (const step of steps) place += `/${step}`;
    return place;
  }

  /**
   * @param {unknown} schema
   * @param {(string | number)[]} steps
   * @returns {SchemaNode}
   */
  node(schema, ...steps) {
    return this.#reader.node(schema, this.#base, this.#place(steps));
  }

  /**
   * @param {unknown} given
   * @returns {SchemaNode[]}
   */
  nodes(given) {
    if (!Array.isArray(given) || given.length === 0) {
      this.refuse('must be an array with at least one schema');
    }
    return given.map((one, i) => this.node(one, i));
  }

  /**
   * @param {unknown} given
   * @returns {Map<string, SchemaNode>}
   */
  nodesByName(given) {
    return new Map(
      Object.entries(this.record(given)).map(([name, one]) => [name, this.node(one, name)]),
    );
  }

  /**
   * @param {unknown} given
   * @returns {Record<string, unknown>}
   */
  record(given) {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      this.refuse('must be an object');
    }
    return /** @type {Record<string, unknown>} */ (given);
  }

  /**
   * @param {unknown} given
   * @returns {number}
   */
  number(given) {
    if (typeof given !== 'number' || !Number.isFinite(given)) this.refuse('must be a number');
    return /** @type {number} */ (given);
  }

  /**
   * @param {unknown} given
   * @returns {number}
   */
  amount(given) {
    if (!Number.isInteger(given) || /** @type {number} */ (given) < 0) {
      this.refuse('must be a whole number, 0 or more');
    }
    return /** @type {number} */ (given);
  }

  /**
   * @param {unknown} given
   * @param {(string | number)[]} steps
   * @returns {string[]}
   */
  texts(given, ...steps) {
    if (!Array.isArray(given) || !given.every((one) => typeof one === 'string')) {
      this.refuse('must be an array of strings', ...steps);
    }
    this.#reader.count(given.length);
    return [...given];
  }

  /**
   * @param {unknown} source or a pattern that was read before
   * @param {(string | number)[]} steps
   */
  pattern(source, ...steps) {
    if (source instanceof Pattern) return source;
    if (typeof source !== 'string') this.refuse('must be a string', ...steps);
    try {
      return new Pattern(/** @type {string} */ (source));
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return this.refuse(`is a pattern that cannot be checked: ${error.message}`, ...steps);
    }
  }

  /** @param {string} reference */
  link(reference) {
    return this.#reader.link(reference, this.#base, this.#place([]));
  }

  needSingleResource() {
    this.#reader.needSingleResource(this.#place([]));
  }

  /** @param {unknown} constant counts as much as it is large */
  count(constant) {
    for (let level = [constant]; level.length > 0;) {
      this.#reader.count(level.length);
      level = level.flatMap((one) =>
        typeof one === 'object' && one !== null ? Object.values(one) : [],
      );
    }
  }
}

module.exports = { Reading };
