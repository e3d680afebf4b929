'use strict';
// Reads a JSON Schema into nodes that check values. Nothing is generated, so that this takes microseconds; and what is
// below a schema is read after it, not inside it, so that none is too deep.

const { NOWHERE, SchemaDocument } = require('./schema-document.js');
const { SchemaError } = require('./schema-error.js');
const { Reading } = require('./reading.js');

/** @typedef {import('./check-run.js').SchemaNode} SchemaNode */
/** @typedef {import('./drafts.js').Draft} Draft */
/** @typedef {{ schema: Record<string, any>, node: SchemaNode, base: string, location: string }} OpenSchema */
/** @typedef {{ node: SchemaNode }} Link to a node that is known when all is read */

const MAX_PARTS = 100_000;
const SCHEMAS_BETWEEN_PAUSES = 50;

/** @type {SchemaNode} */
const ALWAYS = { checks: [], hasTrace: false };
/** @type {SchemaNode} */
const NEVER = { checks: [(_value, run) => run.fail('boolean schema is false')], hasTrace: false };

class SchemaReader {
  #draft;
  #document;
  #parts = 0;
  /** @type {Map<object, SchemaNode>} */
  #nodes = new Map();
  /** @type {OpenSchema[]} */
  #open = [];
  /** @type {{ link: Link, reference: string, base: string, location: string }[]} */
  #links = [];
  /** @type {string | undefined} where a keyword is that goes by a single resource */
  #single;

  /**
   * @param {Draft} draft
   * @param {Record<string, unknown>} root
   */
  constructor(draft, root) {
    this.#draft = draft;
    this.#document = new SchemaDocument(root);
  }

  /**
   * @returns {Generator<void, SchemaNode>} yields where it may pause
   * @throws {SchemaError}
   */
  *read() {
    const root = this.node(this.#document.root, NOWHERE, 'schema');
    for (let count = 1; this.#open.length > 0 || this.#links.length > 0; count++) {
      const open = this.#open.pop();
      if (open !== undefined) this.#fill(open);
      else this.#follow();
      if (count % SCHEMAS_BETWEEN_PAUSES === 0) yield;
    }
    if (this.#single !== undefined && this.#document.hasSeveralResources) {
      throw new SchemaError(`${this.#single} is not supported in a schema with several $id`);
    }
    return root;
  }

  /**
   * @param {any} schema
   * @param {string} base
   * @param {string} location
   * @returns {SchemaNode} filled when all is read
   */
  node(schema, base, location) {
    this.count(1);
    if (schema === true) return ALWAYS;
    if (schema === false) return NEVER;
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
      throw new SchemaError(`${location} must be a schema: an object, true or false`);
    }
    let node = this.#nodes.get(schema);
    if (node === undefined) {
      if (isForeign(schema)) {
        throw new SchemaError(`${location} is a schema of another library, not a JSON Schema`);
      }
      node = { checks: [], hasTrace: false };
      this.#nodes.set(schema, node);
      const own = this.#document.register(schema, base, location);
      this.#open.push({ schema, node, base: own, location });
    }
    return node;
  }

  /**
   * @param {string} reference
   * @param {string} base
   * @param {string} location
   * @returns {Link}
   */
  link(reference, base, location) {
    const link = { node: NEVER };
    this.#links.push({ link, reference, base, location });
    return link;
  }

  /** @param {number} parts */
  count(parts) {
    this.#parts += parts;
    if (this.#parts > MAX_PARTS) {
      throw new SchemaError(`schema has more than ${MAX_PARTS} parts`);
    }
  }

  /** @param {string} location */
  needSingleResource(location) {
    this.#single ??= location;
  }

  /** @param {OpenSchema} open */
  #fill(open) {
    const { schema, node } = open;
    const reading = new Reading(this, this.#draft, open);
    const found = [];
    const done = new Set();
    for (const keyword of Object.keys(schema)) {
      const known = this.#draft.keywords.get(keyword);
      if (known === undefined || schema[keyword] === undefined || done.has(known.read)) continue;
      if (known.isShared) done.add(known.read);
      const check = known.read(schema[keyword], reading.at(keyword));
      if (check !== undefined) found.push({ order: known.order, check });
      if (known.needsTrace) node.hasTrace = true;
    }
    found.sort((a, b) => a.order - b.order);
    node.checks = found.map(({ check }) => check);
  }

  #follow() {
    const next = this.#links.pop();
    if (next === undefined) return;
    const { link, reference, base, location } = next;
    const target = this.#document.find(reference, base, location);
    link.node = this.node(target.schema, target.base, target.location);
  }
}

/**
 * @param {object} schema
 * @returns {boolean} whether it is an object of a class, or has functions in it
 */
function isForeign(schema) {
  const prototype = Object.getPrototypeOf(schema);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return true;
  return Object.values(schema).some((value) => typeof value === 'function');
}

module.exports = { MAX_PARTS, SchemaReader };
