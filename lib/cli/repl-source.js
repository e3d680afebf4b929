'use strict';
// What is typed, as a script whose declarations outlast it.

const { SourceError, eraseTypes } = require('../source/index.js');
const { parseJavaScript, parseLoneObject } = require('../source/parse-javascript.js');
const { applyEdits, insertAt } = require('../source/text-edits.js');

/**
 * @param {string} text TypeScript or JavaScript; its last expression is its value
 * @returns {Promise<{ script: string } | 'incomplete'>} an expression that gives a promise; `incomplete` when more is to come
 * @throws {SourceError}
 */
async function prepareInput(text) {
  const input = parseLoneObject(text) === null ? text : `(${text})`;
  try {
    const { code } = await eraseTypes(input, { filename: '<repl>' });
    const { program } = parseJavaScript(code, 'module');
    const edits = program === null ? [] : editsFor(program.statements, code);
    return { script: `(async () => {${applyEdits(code, edits).code}\n})()` };
  } catch (error) {
    if (error instanceof SourceError && isAtEnd(error, input)) return 'incomplete';
    throw error;
  }
}

/**
 * @param {{ reason: string, line?: number, column?: number }} failure
 * @param {string} text
 */
function isAtEnd({ reason, line, column }, text) {
  // Of what is not closed, a parser tells where it begins.
  if (/^Unterminated (?:template|comment|block comment)/i.test(reason)) return true;
  const lines = text.trimEnd().split('\n');
  const [last] = lines.slice(-1);
  return line !== undefined && line >= lines.length && (column ?? 1) > last.length;
}

/**
 * Declarations become assignments of globals, as scripts that come later see them.
 *
 * @param {any[]} statements
 * @param {string} code
 */
function editsFor(statements, code) {
  const edits = statements.flatMap((one) => declarationEdits(one, code));
  const last = statements.at(-1);
  if (last?.type !== 'ExpressionStatement') return edits;
  const { start, end, expression } = last;
  return [
    ...edits,
    { start, end: expression.start, text: 'return (' },
    { start: expression.end, end, text: ');' },
  ];
}

/**
 * @param {any} node
 * @param {string} code
 */
function declarationEdits(node, code) {
  switch (node.type) {
    case 'VariableDeclaration': {
      const end = code[node.end - 1] === ';' ? node.end - 1 : node.end;
      return [
        { start: node.start, end: node.declarations[0].start, text: 'void (' },
        ...node.declarations.flatMap((/** @type {any} */ one) =>
          one.init === null ? [insertAt(one.end, ' = undefined')] : [],
        ),
        { start: end, end: node.end, text: ');' },
      ];
    }
    case 'FunctionDeclaration':
      return [insertAt(0, `globalThis.${node.id.name} = ${node.id.name};`)];
    case 'ClassDeclaration':
      return [insertAt(node.start, `${node.id.name} = `), insertAt(node.end, ';')];
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
    case 'ExportAllDeclaration':
      throw new SourceError({
        name: 'SyntaxError',
        code: 'ERR_SOURCE_SYNTAX',
        filename: '<repl>',
        reason: 'There is no import and export here: --tool gives modules of the host',
      });
    default:
      return [];
  }
}

module.exports = { prepareInput };
