'use strict';
// A JSON Schema as a TypeScript type. A definition that several references lead to has a name and is written once, so
// that the text grows with the schema and no faster.

const { isRecord } = require('../checks/options.js');
const { decodeFragment, walk } = require('../schema/schema-document.js');
const { UniqueNames, isIdentifier, toSafeName } = require('./safe-names.js');

/** @typedef {Record<string, any>} JsonSchema */

// What is deeper, or more in one schema, is `unknown`.
const MAX_DEPTH = 12;
const MAX_PARTS = 2000;
// A schema may have more than types show, such as examples.
const MAX_PARTS_SEARCHED = 20_000;

/** @type {Record<string, string>} */
const PRIMITIVES = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** What makes a type long enough to have a name. */
const NESTING_KEYWORDS = ['properties', 'items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', '$ref'];

/** The named types of one namespace. */
class NamedTypes {
  /** @type {string[]} */
  declarations = [];
  // What the declarations themselves are written with.
  #names = new UniqueNames(['Array', 'Promise', 'Record']);

  /** @param {string} wanted */
  nameFor(wanted) {
    const safe = toSafeName(wanted);
    return this.#names.assign(safe[0].toUpperCase() + safe.slice(1));
  }
}

/** Renders one schema; references are looked up in its root. */
class SchemaRenderer {
  #root;
  /** @type {InstanceType<typeof NamedTypes>} */
  #types;
  #depth = 0;
  #partsLeft = MAX_PARTS;
  /** @type {Map<object, number>} */
  #references;
  /** @type {Map<object, string>} */
  #names = new Map();
  /** @type {{ name: string, schema: JsonSchema }[]} */
  #undeclared = [];
  /** @type {Set<object>} */
  #open = new Set();

  /**
   * @param {JsonSchema} root
   * @param {InstanceType<typeof NamedTypes>} types get those that have a name
   */
  constructor(root, types) {
    this.#root = root;
    this.#types = types;
    this.#references = countReferences(root);
  }

  /**
   * @param {string} name for a schema that refers to itself
   * @returns {string}
   */
  render(name) {
    const type = this.#references.has(this.#root)
      ? this.#named(this.#root, name)
      : this.#render(this.#root, '  ');
    for (const { name: own, schema } of this.#undeclared) {
      const body = this.#render(schema, '  ');
      this.#types.declarations.push(
        ...comment(schema.description, '  '),
        `  type ${own} = ${body};`,
      );
    }
    return type;
  }

  /**
   * @param {unknown} schema
   * @param {string} indent of the line the type stands in
   * @returns {string}
   */
  #render(schema, indent) {
    if (schema === false) return 'never';
    if (!isRecord(schema) || this.#depth >= MAX_DEPTH || this.#partsLeft <= 0) return 'unknown';
    this.#partsLeft--;
    this.#depth++;
    const type = this.#renderKnown(schema, indent);
    this.#depth--;
    return schema.nullable === true && type !== 'unknown' ? union([type, 'null']) : type;
  }

  /**
   * @param {JsonSchema} schema
   * @param {string} indent
   */
  #renderKnown(schema, indent) {
    if (typeof schema.$ref === 'string') return this.#renderReference(schema.$ref, indent);
    if (schema.const !== undefined) return literal(schema.const);
    if (Array.isArray(schema.enum)) return union(this.#each(schema.enum, literal));
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(alternatives)) {
      return union(this.#each(alternatives, (one) => this.#render(one, indent)));
    }
    if (Array.isArray(schema.allOf)) {
      const { allOf, ...own } = schema;
      return intersection(this.#each([own, ...allOf], (one) => this.#render(one, indent)));
    }
    if (Array.isArray(schema.type)) {
      return union(schema.type.map((type) => this.#renderType({ ...schema, type }, indent)));
    }
    return this.#renderType(schema, indent);
  }

  /**
   * @template T
   * @param {T[]} list
   * @param {(one: T) => string} render
   * @returns {string[]} ends in `unknown` where no more parts are allowed
   */
  #each(list, render) {
    const types = [];
    for (const one of list) {
      if (this.#partsLeft-- <= 0) return [...types, 'unknown'];
      types.push(render(one));
    }
    return types;
  }

  /**
   * @param {JsonSchema} schema
   * @param {string} indent
   */
  #renderType(schema, indent) {
    if (schema.type === 'array') return this.#renderArray(schema, indent);
    if (schema.type === 'object' || isRecord(schema.properties)) {
      return this.#renderObject(schema, indent);
    }
    return Object.hasOwn(PRIMITIVES, schema.type) ? PRIMITIVES[schema.type] : 'unknown';
  }

  /**
   * @param {JsonSchema} schema
   * @param {string} indent
   */
  #renderArray(schema, indent) {
    const tuple = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : undefined);
    if (Array.isArray(tuple)) {
      const types = this.#each(tuple, (one) => this.#render(one, indent));
      return this.#partsLeft < 0 ? 'unknown[]' : `[${types.join(', ')}]`;
    }
    const item = this.#render(schema.items, indent);
    return /^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
  }

  /**
   * @param {JsonSchema} schema
   * @param {string} indent
   */
  #renderObject(schema, indent) {
    const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
    const others = schema.additionalProperties;
    if (properties.length === 0) {
      if (others === false) return 'Record<string, never>';
      return `Record<string, ${isRecord(others) ? this.#render(others, indent) : 'unknown'}>`;
    }
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const inner = `${indent}  `;
    const lines = [];
    for (const [i, [name, property]] of properties.entries()) {
      if (this.#partsLeft <= 0) {
        lines.push(`${inner}// and ${properties.length - i} more`);
        break;
      }
      const key = isIdentifier(name) ? name : JSON.stringify(name);
      const mark = required.has(name) ? '' : '?';
      lines.push(
        ...comment(isRecord(property) ? property.description : undefined, inner),
        `${inner}${key}${mark}: ${this.#render(property, inner)};`,
      );
    }
    return ['{', ...lines, `${indent}}`].join('\n');
  }

  /**
   * @param {string} reference
   * @param {string} indent
   */
  #renderReference(reference, indent) {
    const target = resolve(this.#root, reference);
    if (!isRecord(target) || this.#open.has(target)) return 'unknown';
    const isLong = NESTING_KEYWORDS.some((keyword) => target[keyword] !== undefined);
    const isShared = target === this.#root || Number(this.#references.get(target)) > 1;
    if (isLong && isShared) {
      return this.#named(target, reference.slice(reference.lastIndexOf('/') + 1));
    }
    this.#open.add(target);
    const type = this.#render(target, indent);
    this.#open.delete(target);
    return type;
  }

  /**
   * @param {JsonSchema} schema
   * @param {string} wanted
   * @returns {string}
   */
  #named(schema, wanted) {
    let name = this.#names.get(schema);
    if (name === undefined) {
      name = this.#types.nameFor(wanted);
      this.#names.set(schema, name);
      this.#undeclared.push({ name, schema });
    }
    return name;
  }
}

/**
 * @param {JsonSchema} root
 * @returns {Map<object, number>} how many references lead to each schema
 */
function countReferences(root) {
  const counts = new Map();
  const seen = new Set();
  const open = [root];
  while (open.length > 0 && seen.size < MAX_PARTS_SEARCHED) {
    const part = /** @type {any} */ (open.pop());
    if (typeof part !== 'object' || part === null) continue;
    // One object may stand in many places.
    const target = typeof part.$ref === 'string' ? resolve(root, part.$ref) : undefined;
    if (target !== undefined) counts.set(target, (counts.get(target) ?? 0) + 1);
    if (seen.has(part)) continue;
    seen.add(part);
    for (const member of Object.values(part)) open.push(member);
  }
  return counts;
}

/**
 * @param {JsonSchema} root
 * @param {string} reference only one that leads into the root is followed
 * @returns {unknown}
 */
function resolve(root, reference) {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  return walk(root, decodeFragment(reference.slice(1)));
}

/**
 * @param {unknown} text
 * @param {string} indent
 * @returns {string[]} no text can end the comment
 */
function comment(text, indent) {
  if (typeof text !== 'string' || text.trim() === '') return [];
  const lines = text
    .trim()
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\n\r\u2028\u2029]/);
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** @param {unknown} value */
function literal(value) {
  return typeof value === 'object' && value !== null
    ? 'unknown'
    : (JSON.stringify(value) ?? 'unknown');
}

/** @param {string[]} types */
function union(types) {
  const different = [...new Set(types)];
  if (different.length === 0) return 'never';
  return different.includes('unknown') ? 'unknown' : different.join(' | ');
}

/** @param {string[]} types */
function intersection(types) {
  const different = [...new Set(types)].filter((type) => type !== 'unknown');
  if (different.length === 0) return 'unknown';
  if (different.length === 1) return different[0];
  return different.map((type) => (type.includes(' | ') ? `(${type})` : type)).join(' & ');
}

module.exports = { NamedTypes, SchemaRenderer, comment };
