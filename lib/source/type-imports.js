'use strict';

/**
 * Imports that only types used, written without `type`: `import { Row, load } from './rows'` where
 * `Row` is an interface. TypeScript drops them, and so must an eraser, or linking fails for want of
 * an export that never existed. A name that the source mentions nowhere is dropped as well, but the
 * request for its module stays: whether that exists is for the linker to say.
 */

const { eachNode } = require('./parse-javascript.js');
const { blankRanges, blanksFor } = require('./text-lines.js');

/**
 * @typedef {{ start: number, end: number, fill?: (text: string) => string }} BlankRange
 * @typedef {'used' | 'types' | 'unmentioned'} Use
 */

/**
 * @param {string} code a module after its types were blanked
 * @param {import('./parse-javascript.js').Program} program its syntax tree
 * @param {string} source the TypeScript it came from, of the same length
 * @returns {string} the code, of the same length again
 */
function blankTypeImports(code, { statements }, source) {
  const requests = statements.filter(isModuleRequest);
  if (requests.length === 0) return code;
  const references = collectReferences(statements);
  const mentions = collectMentions(source, requests);
  /** @param {string} name @returns {Use} */
  const useOf = (name) => {
    if (references.has(name)) return 'used';
    return mentions.has(name) ? 'types' : 'unmentioned';
  };
  return blankRanges(
    code,
    requests.flatMap((node) => rangesToBlank(node, code, useOf)),
  );
}

/**
 * @param {import('acorn').AnyNode} node
 * @returns {node is import('acorn').ImportDeclaration | import('acorn').ExportNamedDeclaration}
 */
function isModuleRequest(node) {
  if (node.type === 'ImportDeclaration') return true;
  return node.type === 'ExportNamedDeclaration' && Boolean(node.source);
}

/**
 * @param {import('acorn').ImportDeclaration | import('acorn').ExportNamedDeclaration} node
 * @param {string} code
 * @param {(name: string) => Use} useOf
 * @returns {BlankRange[]}
 */
function rangesToBlank(node, code, useOf) {
  const { start, end } = node;
  const from = /** @type {import('acorn').Literal} */ (node.source).start;
  if (node.specifiers.length === 0) {
    return code.slice(start, from).includes('{') ? [{ start, end, fill: emptyStatement }] : [];
  }
  if (node.type === 'ExportNamedDeclaration') return [];
  const uses = node.specifiers.map((specifier) => useOf(specifier.local.name));
  if (uses.includes('used')) {
    return node.specifiers.flatMap((_, index) =>
      uses[index] === 'used' ? [] : [specifierRange(code, from, node.specifiers, index)],
    );
  }
  if (uses.includes('unmentioned')) return [{ start: start + 'import'.length, end: from }];
  return [{ start, end, fill: emptyStatement }];
}

/**
 * A specifier with the comma that has to go with it. A comma may stay behind the last name in
 * braces, but neither behind a lone default import nor before the first name.
 *
 * @param {string} code
 * @param {number} fromClause where the specifiers end at the latest
 * @param {import('acorn').ImportDeclaration['specifiers']} specifiers
 * @param {number} index
 * @returns {BlankRange}
 */
function specifierRange(code, fromClause, specifiers, index) {
  const { start, end, type } = specifiers[index];
  if (type === 'ImportDefaultSpecifier') {
    return { start, end: code.indexOf(',', end) + 1 };
  }
  if (type === 'ImportNamespaceSpecifier') {
    return { start: code.lastIndexOf(',', start), end };
  }
  const next = specifiers[index + 1]?.start ?? fromClause;
  const comma = code.indexOf(',', end);
  return { start, end: comma !== -1 && comma < next ? comma + 1 : end };
}

/**
 * An empty statement instead of nothing: the lines around it must not grow together.
 *
 * @param {string} text
 */
function emptyStatement(text) {
  return `;${blanksFor(text.slice(1))}`;
}

/**
 * Names that the code refers to, or binds anew. Taking a name that only shadows an import for a use
 * keeps an import that could have gone.
 *
 * @param {import('acorn').AnyNode[]} statements
 * @returns {Set<string>}
 */
function collectReferences(statements) {
  const names = new Set();
  const own = statements.filter((node) => !isModuleRequest(node));
  for (const { node, parent, key } of eachNode(own)) {
    if (node.type === 'Identifier' && !isOnlyName(parent, key)) names.add(node.name);
  }
  return names;
}

/**
 * @param {any} parent
 * @param {string} key
 */
function isOnlyName(parent, key) {
  switch (parent?.type) {
    case 'MemberExpression':
      return key === 'property' && !parent.computed;
    case 'Property':
      return key === 'key' && !parent.computed && !parent.shorthand;
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return key === 'key' && !parent.computed;
    case 'ExportSpecifier':
      return key === 'exported';
    default:
      return false;
  }
}

/**
 * Words of the source outside of its import declarations.
 *
 * @param {string} source
 * @param {import('acorn').AnyNode[]} declarations
 * @returns {Set<string>}
 */
function collectMentions(source, declarations) {
  const rest = blankRanges(source, declarations);
  return new Set(rest.match(/[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu) ?? []);
}

module.exports = { blankTypeImports };
