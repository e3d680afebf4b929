'use strict';

/**
 * Imports that only types used, written without `type`: `import { Row, load } from './rows'` where
 * `Row` is an interface. TypeScript drops them, and so must an eraser, or linking fails for want of
 * an export that never existed. An import that the source mentions nowhere at all stays: whether
 * its module exists is then for the linker to say.
 */

const { eachNode } = require('./parse-javascript');
const { blankRanges, blanksFor } = require('./text-lines');

/**
 * @param {string} code a module after its types were blanked
 * @param {import('./parse-javascript').Program} program its syntax tree
 * @param {string} source the TypeScript it came from, of the same length
 * @returns {string} the code, of the same length again
 */
function blankTypeImports(code, { statements }, source) {
  const declarations = statements.filter((node) => node.type === 'ImportDeclaration');
  if (declarations.length === 0) return code;
  const used = collectReferences(statements);
  const mentioned = collectMentions(source, declarations);
  const isForTypes = (/** @type {string} */ name) => !used.has(name) && mentioned.has(name);
  const ranges = declarations.flatMap((node) => rangesToBlank(node, code, isForTypes));
  return blankRanges(code, ranges);
}

/**
 * @param {import('acorn').ImportDeclaration} node
 * @param {string} code
 * @param {(name: string) => boolean} isForTypes
 * @returns {{ start: number, end: number, fill?: (text: string) => string }[]}
 */
function rangesToBlank({ start, end, source, specifiers }, code, isForTypes) {
  const doomed = specifiers.map((specifier) => isForTypes(specifier.local.name));
  const hasClause = specifiers.length > 0 || code.slice(start, source.start).includes('{');
  if (hasClause && doomed.every(Boolean)) return [{ start, end, fill: emptyStatement }];
  return specifiers.flatMap((specifier, index) =>
    doomed[index] ? [specifierRange(code, source.start, specifiers, index)] : [],
  );
}

/**
 * A specifier with the comma that has to go with it. A comma may stay behind the last name in
 * braces, but neither behind a lone default import nor before the first name.
 *
 * @param {string} code
 * @param {number} fromClause where the specifiers end at the latest
 * @param {import('acorn').ImportDeclaration['specifiers']} specifiers
 * @param {number} index
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
  for (const { node, parent, key } of eachNode(statements)) {
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
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
      return true;
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
