'use strict';
// TypeScript declarations of a namespace, for prompts. They tell a model what to write; nothing is checked with them.

const { isRecord } = require('../options.js');
const { isIdentifier } = require('./safe-names.js');

/** @typedef {Record<string, any>} JsonSchema */
/** @typedef {{ description?: string, inputSchema?: JsonSchema, outputSchema?: JsonSchema }} DeclaredTool */

// Deeper, or recursive: `unknown` says enough.
const MAX_DEPTH = 12;

/** @type {Record<string, string>} */
const PRIMITIVES = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/**
 * @param {string} namespace
 * @param {Record<string, DeclaredTool>} tools by safe name
 * @returns {string}
 */
function declareNamespace(namespace, tools) {
  const functions = Object.entries(tools).map(
    ([name, { description, inputSchema, outputSchema }]) =>
      [
        ...comment(description, '  '),
        `  function ${name}(input: ${renderRoot(inputSchema)}): Promise<${renderRoot(outputSchema)}>;`,
      ].join('\n'),
  );
  return [`declare namespace ${namespace} {`, ...functions, '}'].join('\n');
}

/** @param {JsonSchema | undefined} schema */
function renderRoot(schema) {
  return schema === undefined ? 'unknown' : new Renderer(schema).render(schema, '  ');
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

/** Renders one schema; references are looked up in its root. */
class Renderer {
  #root;
  #depth = 0;
  /** @type {string[]} */
  #references = [];

  /** @param {JsonSchema} root */
  constructor(root) {
    this.#root = root;
  }

  /**
   * @param {unknown} schema
   * @param {string} indent of the line the type stands in
   * @returns {string}
   */
  render(schema, indent) {
    if (schema === false) return 'never';
    if (!isRecord(schema) || this.#depth >= MAX_DEPTH) return 'unknown';
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
    if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(alternatives)) {
      return union(alternatives.map((one) => this.render(one, indent)));
    }
    if (Array.isArray(schema.allOf)) {
      const { allOf, ...own } = schema;
      const parts = [...allOf, own].map((one) => this.render(one, indent));
      return intersection(parts);
    }
    if (Array.isArray(schema.type)) {
      return union(schema.type.map((type) => this.#renderType({ ...schema, type }, indent)));
    }
    return this.#renderType(schema, indent);
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
      return `[${tuple.map((one) => this.render(one, indent)).join(', ')}]`;
    }
    const item = this.render(schema.items, indent);
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
      return `Record<string, ${isRecord(others) ? this.render(others, indent) : 'unknown'}>`;
    }
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const inner = `${indent}  `;
    const lines = properties.flatMap(([name, property]) => {
      const key = isIdentifier(name) ? name : JSON.stringify(name);
      const mark = required.has(name) ? '' : '?';
      return [
        ...comment(isRecord(property) ? property.description : undefined, inner),
        `${inner}${key}${mark}: ${this.render(property, inner)};`,
      ];
    });
    return ['{', ...lines, `${indent}}`].join('\n');
  }

  /**
   * @param {string} reference
   * @param {string} indent
   */
  #renderReference(reference, indent) {
    const target = this.#resolve(reference);
    if (target === undefined || this.#references.includes(reference)) return 'unknown';
    this.#references.push(reference);
    const type = this.render(target, indent);
    this.#references.pop();
    return type;
  }

  /** @param {string} reference only those into the schema itself */
  #resolve(reference) {
    if (reference === '#') return this.#root;
    if (!reference.startsWith('#/')) return undefined;
    const steps = reference.slice(2).split('/').map(decodeStep);
    return steps.reduce(
      (/** @type {any} */ at, step) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? at[step] : undefined,
      this.#root,
    );
  }
}

/** @param {string} step of a JSON pointer in a URI fragment */
function decodeStep(step) {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
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

module.exports = { declareNamespace };
