'use strict';
// Tells the bundler which variables of a module it may leave out when nobody uses them. Packages that say of themselves that
// loading them has no side effects mean just that, but a bundler believes it for whole modules only: it keeps every schema and
// table that a large library builds when it loads, and a fresh isolate would build them for every call.

const acorn = require('acorn');

const { applyEdits, insertAt } = require('../../source/text-edits.js');

const BEGIN = '/* @__PURE__ */ (() => (';
const END = '))()';

/** What has to be computed; functions and literals are left out by themselves. */
const BUILT = new Set([
  'ArrayExpression',
  'BinaryExpression',
  'CallExpression',
  'ClassExpression',
  'ConditionalExpression',
  'LogicalExpression',
  'MemberExpression',
  'NewExpression',
  'ObjectExpression',
  'TaggedTemplateExpression',
  'TemplateLiteral',
]);

/**
 * @param {string} source of an ES module in a package without side effects
 * @returns {string} the same program, with the values of its variables marked
 */
function markPure(source) {
  /** @type {acorn.Program} */
  let program;
  try {
    program = acorn.parse(source, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowHashBang: true,
    });
  } catch {
    // The bundler says what is wrong with it.
    return source;
  }
  /** @type {import('../../source/text-edits.js').TextEdit[]} */
  const edits = [];
  for (const statement of program.body) {
    const declared =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type === 'ClassDeclaration') {
      edits.push(
        insertAt(declared.start, `let ${declared.id.name} = ${BEGIN}`),
        insertAt(declared.end, `${END};`),
      );
    }
    if (declared?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declared.declarations) {
      if (id.type !== 'Identifier' || !init || !BUILT.has(init.type)) continue;
      const text = source.slice(init.start, init.end);
      if (/\bawait\b/.test(text) && !isSynchronous(text)) continue;
      // A class without a name takes that of its variable.
      const isUnnamed = init.type === 'ClassExpression' && !init.id;
      edits.push(
        insertAt(init.start, isUnnamed ? `/* @__PURE__ */ (() => { let ${id.name} = ` : BEGIN),
        insertAt(init.end, isUnnamed ? `; return ${id.name}; })()` : END),
      );
    }
  }
  return applyEdits(source, edits).code;
}

/** @param {string} expression whether it awaits only in functions of its own */
function isSynchronous(expression) {
  try {
    acorn.parse(`(() => (${expression}))`, { ecmaVersion: 'latest', sourceType: 'module' });
    return true;
  } catch {
    return false;
  }
}

module.exports = { markPure };
