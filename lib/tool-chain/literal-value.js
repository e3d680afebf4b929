'use strict';
// The value of an expression that is written out: a JSON value, in the syntax of JavaScript.

/**
 * @param {any} node of a syntax tree
 * @returns {{ value: any } | undefined} undefined for what has to be run to be known
 */
function literalValue(node) {
  switch (node.type) {
    case 'Literal':
      return isJsonScalar(node.value) ? { value: node.value } : undefined;
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? { value: node.quasis[0].value.cooked } : undefined;
    case 'UnaryExpression':
      return signedNumber(node);
    case 'ArrayExpression':
      return arrayValue(node);
    case 'ObjectExpression':
      return objectValue(node);
    default:
      return undefined;
  }
}

/** @param {unknown} value infinite numbers and patterns are none */
function isJsonScalar(value) {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}

/** @param {any} node */
function signedNumber({ operator, argument }) {
  const { value } = argument;
  if (argument.type !== 'Literal' || typeof value !== 'number' || !Number.isFinite(value)) {
    return undefined;
  }
  if (operator === '-') return { value: -value };
  return operator === '+' ? { value } : undefined;
}

/** @param {any} node */
function arrayValue({ elements }) {
  const values = [];
  for (const element of elements) {
    const item = element === null ? undefined : literalValue(element);
    if (item === undefined) return undefined;
    values.push(item.value);
  }
  return { value: values };
}

/** @param {any} node */
function objectValue({ properties }) {
  /** @type {[string, unknown][]} */
  const entries = [];
  for (const property of properties) {
    if (property.type !== 'Property' || property.kind !== 'init') return undefined;
    if (property.computed || property.method || property.shorthand) return undefined;
    const { key } = property;
    const name = key.type === 'Identifier' ? key.name : String(key.value);
    // In an object literal this is no key: it sets the prototype.
    if (name === '__proto__') return undefined;
    const item = literalValue(property.value);
    if (item === undefined) return undefined;
    entries.push([name, item.value]);
  }
  return { value: Object.fromEntries(entries) };
}

module.exports = { literalValue };
