'use strict';

/**
 * How a function body is made to return what its author meant as the result:
 *
 * - a lone function is called: an expression, in parentheses or not, or a declaration;
 * - what `export default` names is the result, called first if it is a function;
 * - so is an exported `main`, unless the last expression says how it is called;
 * - else the value of the last expression statement is the result.
 *
 * An explicit `return` needs nothing, and goes with any of these.
 *
 * @typedef {import('./text-edits.js').TextEdit} TextEdit
 */

const { eachNode } = require('./parse-javascript.js');
const { insertAt } = require('./text-edits.js');

/**
 * @param {string} text
 * @param {import('./parse-javascript.js').Program} program
 * @returns {{ edits: TextEdit[], refused: null }
 *   | { edits: null, refused: { reason: string, offset: number } }}
 */
function findResultEdits(text, { statements, offset }) {
  const refused = statements.find(isModuleSyntax) ?? findNestedExport(text, statements);
  if (refused !== undefined) {
    const reason = 'Only export default can be used here, no other import or export declaration';
    return { edits: null, refused: { reason, offset: refused.start - offset } };
  }
  const relocate = (/** @type {TextEdit} */ edit) => ({
    ...edit,
    start: edit.start - offset,
    end: edit.end - offset,
  });
  return { edits: resultEdits(text, statements, offset).map(relocate), refused: null };
}

/**
 * The parser takes module syntax anywhere; V8 does not.
 *
 * @param {string} text
 * @param {import('acorn').AnyNode[]} statements
 * @returns {import('acorn').AnyNode | undefined}
 */
function findNestedExport(text, statements) {
  if (!/\b(?:export|import)\b/.test(text)) return undefined;
  for (const { node, parent } of eachNode(statements)) {
    const isDeclaration = /^(?:Export|Import)\w*Declaration$/.test(node.type);
    if (isDeclaration && parent !== null) return node;
  }
  return undefined;
}

/** @param {import('acorn').AnyNode} node */
function isModuleSyntax(node) {
  if (node.type === 'ExportNamedDeclaration') return !node.declaration;
  return node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration';
}

/**
 * @param {string} text
 * @param {import('acorn').AnyNode[]} statements
 * @param {number} offset
 * @returns {TextEdit[]} with the positions of the nodes
 */
function resultEdits(text, statements, offset) {
  const named = statements.filter((node) => node.type === 'ExportNamedDeclaration');
  const edits = named.map((node) => blankWord(node.start, 'export'));
  const exported = statements.find((node) => node.type === 'ExportDefaultDeclaration');
  if (exported !== undefined) {
    return [...edits, ...returnExport(text, exported, statements, offset)];
  }
  const plain = statements
    .map((node) => /** @type {any} */ (node).declaration ?? node)
    .filter((node) => node.type !== 'EmptyStatement');
  const effective = plain.filter((node) => !node.directive);
  if (effective.length === 1 && isFunction(effective[0])) {
    return [...edits, ...callFunction(effective[0])];
  }
  // Strings alone are directives to the parser and a result to their author.
  const candidates = effective.length > 0 ? effective : plain;
  const last = candidates.findLast((node) => !isHoisted(node));
  if (named.some(declaresMain) && !mentionsMain(last)) {
    const { end } = statements[statements.length - 1];
    return [...edits, insertAt(end, ";return typeof main==='function'?main():main")];
  }
  if (last?.type === 'ExpressionStatement') edits.push(insertAt(last.start, 'return '));
  return edits;
}

/** @param {any} node an exported declaration */
function declaresMain({ declaration }) {
  const declared = declaration.declarations ?? [declaration];
  return declared.some((/** @type {any} */ { id }) => id?.name === 'main');
}

/** @param {any} statement */
function mentionsMain(statement) {
  if (statement?.type !== 'ExpressionStatement') return false;
  for (const { node } of eachNode([statement])) {
    if (node.type === 'Identifier' && node.name === 'main') return true;
  }
  return false;
}

/**
 * @param {any} statement
 * @returns {boolean} whether it does its work before the first statement runs
 */
function isHoisted(statement) {
  if (statement.type === 'FunctionDeclaration') return true;
  if (statement.type !== 'VariableDeclaration' || statement.kind !== 'var') return false;
  return statement.declarations.every((/** @type {any} */ { init }) => !init);
}

/** @param {any} statement */
function isFunction(statement) {
  const node = statement.type === 'ExpressionStatement' ? statement.expression : statement;
  return /^(?:ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(node.type);
}

/**
 * @param {any} statement
 * @returns {TextEdit[]}
 */
function callFunction(statement) {
  const { start, end, id, expression } = statement;
  if (statement.type === 'FunctionDeclaration') return [insertAt(end, `return ${id.name}()`)];
  // With parentheses around it, these stand inside them: `return ((f)())`.
  return [insertAt(start, 'return ('), insertAt(expression.end, ')()')];
}

/**
 * The value of `export default` is taken where it stands and used when all the rest has run, as it
 * would be in a module.
 *
 * @param {string} text
 * @param {any} exported
 * @param {import('acorn').AnyNode[]} statements
 * @param {number} offset
 * @returns {TextEdit[]}
 */
function returnExport(text, exported, statements, offset) {
  const { start, declaration } = exported;
  const end = statements[statements.length - 1].end;
  const keyword = skipToDefault(text, start - offset) + offset;
  const isDeclaration = /^(?:Function|Class)Declaration$/.test(declaration.type);
  const edits = [blankWord(start, 'export')];
  const isNamed = isDeclaration && Boolean(declaration.id);
  const name = isNamed ? declaration.id.name : unusedName(text);
  if (isNamed) {
    edits.push(blankWord(keyword, 'default'));
  } else {
    edits.push({ start: keyword, end: keyword + 'default'.length, text: `const ${name}=` });
  }
  if (isDeclaration && !isNamed) edits.push(insertAt(declaration.end, ';'));
  const value =
    declaration.type === 'ClassDeclaration'
      ? name
      : `typeof ${name}==='function'?${name}():${name}`;
  return [...edits, insertAt(end, `;return ${value}`)];
}

/**
 * @param {string} text
 * @param {number} start of the word `export`
 * @returns {number} where the word `default` begins
 */
function skipToDefault(text, start) {
  const head = /export(?:\s|\/\*[^]*?\*\/|\/\/.*)*/y;
  head.lastIndex = start;
  head.exec(text);
  return head.lastIndex;
}

/**
 * @param {number} start
 * @param {string} word
 * @returns {TextEdit}
 */
function blankWord(start, word) {
  return { start, end: start + word.length, text: ' '.repeat(word.length) };
}

/** @param {string} text */
function unusedName(text) {
  let name = '$default';
  while (text.includes(name)) name += '$';
  return name;
}

module.exports = { findResultEdits };
