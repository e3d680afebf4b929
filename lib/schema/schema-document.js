'use strict';
// The addresses in one document: `$id`, anchors, and what references lead to. Other documents are not fetched.

const { clip } = require('./check-run.js');
const { SchemaError } = require('./schema-error.js');

/** The address of a document that has none. */
const NOWHERE = 'schema:///';
const MAX_REFERENCE_CHARS = 200;

class SchemaDocument {
  /** @type {Map<string, Record<string, any>>} by address, and by address and anchor */
  #addresses = new Map();
  #resources = 0;

  /** @param {Record<string, unknown>} root */
  constructor(root) {
    this.root = root;
    this.#addresses.set(NOWHERE, root);
  }

  get hasSeveralResources() {
    return this.#resources > 1;
  }

  /**
   * @param {Record<string, any>} schema
   * @param {string} base the address of what it stands in
   * @param {string} location
   * @returns {string} its own address
   */
  register(schema, base, location) {
    const { $id, $anchor, $dynamicAnchor } = schema;
    let own = base;
    const anchors = [$anchor, $dynamicAnchor];
    if (typeof $id === 'string') {
      const { address, fragment } = resolve($id, base, `${location}/$id`);
      // Of draft-07, where an anchor is an `$id` too.
      if ($id.startsWith('#')) anchors.push(fragment);
      else own = this.#claim(address, schema, location);
    }
    for (const anchor of anchors) {
      if (typeof anchor === 'string') this.#claim(`${own}#${anchor}`, schema, location);
    }
    return own;
  }

  /**
   * @param {string} address
   * @param {Record<string, any>} schema
   * @param {string} location
   */
  #claim(address, schema, location) {
    const known = this.#addresses.get(address);
    if (known !== undefined && known !== schema) {
      throw new SchemaError(
        `${location} has the address of another schema: ${clip(address, MAX_REFERENCE_CHARS)}`,
      );
    }
    this.#addresses.set(address, schema);
    if (!address.includes('#')) this.#resources++;
    return address;
  }

  /**
   * @param {string} reference
   * @param {string} base
   * @param {string} location
   * @returns {{ schema: unknown, base: string, location: string }}
   * @throws {SchemaError} for one that leads nowhere
   */
  find(reference, base, location) {
    const { address, fragment } = resolve(reference, base, location);
    const resource = this.#addresses.get(address);
    const schema =
      fragment === '' || fragment.startsWith('/')
        ? walk(resource, fragment)
        : this.#addresses.get(`${address}#${fragment}`);
    if (schema === undefined) {
      throw new SchemaError(`${location} leads nowhere: ${clip(reference, MAX_REFERENCE_CHARS)}`);
    }
    return {
      schema,
      base: address,
      location: `${location}(${clip(reference, MAX_REFERENCE_CHARS)})`,
    };
  }
}

/**
 * @param {string} reference
 * @param {string} base
 * @param {string} location
 */
function resolve(reference, base, location) {
  try {
    const url = new URL(reference, base);
    const fragment = decodeFragment(url.hash.slice(1));
    url.hash = '';
    return { address: url.href, fragment };
  } catch {
    throw new SchemaError(`${location} is no URI: ${clip(reference, MAX_REFERENCE_CHARS)}`);
  }
}

/** @param {string} fragment */
function decodeFragment(fragment) {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/**
 * @param {any} from
 * @param {string} pointer
 * @returns {unknown} undefined when there is nothing
 */
function walk(from, pointer) {
  let at = from;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

module.exports = { NOWHERE, SchemaDocument, decodeFragment, walk };
